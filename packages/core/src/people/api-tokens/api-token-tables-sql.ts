import { defineEntity, p } from '@mikro-orm/core'
import {
  digest,
  fact,
  person,
  type TablesOf,
  time,
  valuesOf,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { ApiToken } from './api-token.ts'

/** Table `api_tokens`. */
export const ApiTokenEntity = defineEntity({
  name: 'ApiToken',
  tableName: 'api_tokens',
  properties: {
    id: word(p.text().primary()),
    digest: digest(p.text()),
    label: fact(p.text()),
    role: word(p.text().$type<ApiToken['role']>()),
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

const read = valuesOf(ApiTokenEntity, 'digest', 'revokedAt')
/** Reads a row of `api_tokens`. */
export const toToken = (row: object): ApiToken => read(row) as ApiToken

interface Tables extends TablesOf<typeof ApiTokenEntity> {}

/** Statements over the table. */
export const { statement } = statementsOver<Tables>()
