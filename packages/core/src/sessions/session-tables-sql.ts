import { defineEntity, p } from '@mikro-orm/core'
import { digest, time, word } from '../database/table-sql.ts'

/** Table `sessions`. */
export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    digest: digest(p.text().primary()),
    userId: word(p.text()),
    minted: p.boolean().default(false),
    createdAt: time(),
    lastUsedAt: time(),
    expiresAt: time(),
    revokedAt: time().nullable(),
  },
})

/** Its tables. */
export const entities = [SessionEntity]
