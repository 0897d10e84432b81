import { defineEntity, p } from '@mikro-orm/core'
import { fact, time, verbatim, word } from '../database/table-sql.ts'

/** Table `deployments`. */
export const DeploymentEntity = defineEntity({
  name: 'Deployment',
  tableName: 'deployments',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    jobId: word(p.text()),
    app: fact(p.text()),
    source: verbatim(p.json()),
    createdAt: time(),
  },
})

/** Its tables. */
export const entities = [DeploymentEntity]
