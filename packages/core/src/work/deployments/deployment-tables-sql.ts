import { defineEntity, p } from '@mikro-orm/core'
import {
  fact,
  person,
  type TablesOf,
  time,
  valuesOf,
  verbatim,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { JobEntity } from '../jobs/job-tables-sql.ts'
import type { Deployment } from './deployments-store.ts'

/** Table `deployments`. */
export const DeploymentEntity = defineEntity({
  name: 'Deployment',
  tableName: 'deployments',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    jobId: word(p.text()),
    app: fact(p.text()),
    source: verbatim(p.json().$type<Deployment['source']>()),
    createdAt: time(),
    madeBy: person(p.text().nullable()),
  },
})

/** Its tables. */
export const entities = [DeploymentEntity]

/** Reads a row of `deployments`. */
export const toOwnDeployment = valuesOf(DeploymentEntity)
/** Reads a row of `deployments`, with the state of its job. */
export const toDeployment = (row: Pick<Deployment, 'state' | 'target'>): Deployment => ({
  ...toOwnDeployment(row),
  state: row.state,
  target: row.target,
})

interface Tables extends TablesOf<typeof DeploymentEntity | typeof JobEntity> {}

/** Statements over the table, and over the jobs of deployments. */
export const { statement } = statementsOver<Tables>()
