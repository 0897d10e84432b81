import { defineEntity, p } from '@mikro-orm/core'
import { digest, fact, time, word } from '../database/table-sql.ts'

/** Table `transfer_keys`. */
export const TransferKeyEntity = defineEntity({
  name: 'TransferKey',
  tableName: 'transfer_keys',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    keySha256: digest(p.text()),
    sourceFp: fact(p.text()),
    targetFp: fact(p.text()),
    mode: word(p.text()),
    maxUses: p.integer(),
    uses: p.integer().default(0),
    pinKind: word(p.text()),
    pinSpki: fact(p.text().nullable()),
    pinHash: digest(p.text().nullable()),
    pinFails: p.integer().default(0),
    scope: fact(p.json().nullable()),
    createdAt: time(),
    expiresAt: time(),
    lastUsedAt: time().nullable(),
    revokedAt: time().nullable(),
  },
})

/** Table `transfer_uses`. */
export const TransferUseEntity = defineEntity({
  name: 'TransferUse',
  tableName: 'transfer_uses',
  properties: {
    transferId: word(p.text().primary()),
    keyId: word(p.text()),
    at: time(),
    callerFp: fact(p.text()),
    peerFp: fact(p.text()),
  },
})

/** Its tables. */
export const entities = [TransferKeyEntity, TransferUseEntity]
