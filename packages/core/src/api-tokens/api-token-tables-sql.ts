import { defineEntity, p } from '@mikro-orm/core'
import { digest, fact, person, time, word } from '../database/table-sql.ts'

/** Table `api_tokens`. */
export const ApiTokenEntity = defineEntity({
  name: 'ApiToken',
  tableName: 'api_tokens',
  properties: {
    id: word(p.text().primary()),
    digest: digest(p.text()),
    label: fact(p.text()),
    role: word(p.text()),
    tenantId: word(p.text().nullable()),
    createdBy: person(p.text()),
    createdAt: time(),
    lastUsedAt: time().nullable(),
    expiresAt: time().nullable(),
    revokedAt: time().nullable(),
  },
})

/** Its tables. */
export const entities = [ApiTokenEntity]
