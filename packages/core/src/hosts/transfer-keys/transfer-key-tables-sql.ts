import { defineEntity, p } from '@mikro-orm/core'
import { digest, fact, type TablesOf, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { AgentEntity } from '../../work/agents/agent-tables-sql.ts'
import type { TransferScope } from './transfer-fields.ts'
import type { PinKind, TransferKey, TransferMode } from './transfer-key.ts'
import type { TransferUse } from './transfer-keys-store.ts'

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
    mode: word(p.text().$type<TransferMode>()),
    maxUses: p.integer(),
    uses: p.integer().default(0),
    pinKind: word(p.text().$type<PinKind>()),
    pinSpki: fact(p.text().nullable()),
    pinHash: digest(p.text().nullable()),
    pinFails: p.integer().default(0),
    scope: fact(p.json().$type<TransferScope>().nullable()),
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

const keyOf = valuesOf(TransferKeyEntity)
/** Reads a row of `transfer_keys`. */
export function toKey(row: object): TransferKey {
  const { keySha256, sourceFp, targetFp, ...key } = keyOf(row)
  return { ...key, keyDigest: keySha256, sourceFingerprint: sourceFp, targetFingerprint: targetFp }
}

const useOf = valuesOf(TransferUseEntity)
/** Reads a row of `transfer_uses`. */
export function toUse(row: object): TransferUse {
  const { transferId: id, callerFp, peerFp, ...use } = useOf(row)
  return { id, ...use, callerFingerprint: callerFp, peerFingerprint: peerFp }
}

interface Tables extends TablesOf<typeof TransferKeyEntity | typeof TransferUseEntity | typeof AgentEntity> {}

/** Statements over them, and over the hosts that keys name. */
export const { statement, scoped } = statementsOver<Tables>()
