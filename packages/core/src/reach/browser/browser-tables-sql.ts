import { defineEntity, p } from '@mikro-orm/core'
import {
  bigInteger,
  day,
  digest,
  fact,
  type TablesOf,
  time,
  valuesOf,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { BrowserWork } from './browser-store.ts'

/** Table `browser_tokens`. */
export const BrowserTokenEntity = defineEntity({
  name: 'BrowserToken',
  tableName: 'browser_tokens',
  properties: {
    id: word(p.text().primary()),
    digest: digest(p.text()),
    label: fact(p.text()),
    licenseId: word(p.text().nullable()),
    dailyLimit: p.integer(),
    usedOn: day().nullable(),
    used: p.integer().default(0),
    createdAt: time(),
    lastUsedAt: time().nullable(),
    revokedAt: time().nullable(),
  },
})

/** Table `browser_runs`. */
export const BrowserRunEntity = defineEntity({
  name: 'BrowserRun',
  tableName: 'browser_runs',
  properties: {
    id: word(p.text().primary()),
    tokenId: word(p.text()),
    kind: word(p.text().$type<BrowserWork>()),
    urlHost: fact(p.text()),
    status: word(p.text()),
    steps: p.integer().default(0),
    ms: p.integer().default(0),
    bytes: bigInteger().default(0),
    llmTokens: p.integer().default(0),
    createdAt: time(),
  },
})

/** Its tables. */
export const entities = [BrowserTokenEntity, BrowserRunEntity]

/** Reads a row of `browser_tokens`. */
export const toToken = valuesOf(BrowserTokenEntity, 'digest', 'usedOn', 'used', 'revokedAt')
/** Reads a row of `browser_runs`. */
export const toRun = valuesOf(BrowserRunEntity)

interface Tables extends TablesOf<typeof BrowserTokenEntity | typeof BrowserRunEntity> {}

/** Statements over them. */
export const { statement } = statementsOver<Tables>()
