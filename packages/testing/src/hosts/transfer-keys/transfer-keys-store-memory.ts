import type { Scope } from '@svc/core'
import {
  type NewTransferKey,
  PIN_TRIES,
  type Redemption,
  type TransferKey,
  type TransferKeysStore,
  type TransferUse,
  transferKeyState,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes, jsonCopy } from '../../text-order.ts'
import { agentKey } from '../../work/agents/agents-store-memory.ts'

const DAY_MS = 86_400_000

/** Whether a key is active, with so many of its wrong PINs not counted. */
const isActive = (key: TransferKey, now: Date, forgiven = 0): boolean =>
  transferKeyState({ ...key, pinFails: key.pinFails - forgiven }, now) === 'active'

/** Transfer keys in memory. */
export function memoryTransferKeysStore(tables: MemoryTables, run: Run, time: () => Date): TransferKeysStore {
  const keys = tables.of<TransferKey>('transferKeys')
  const uses = tables.of<TransferUse>('transferUses')
  const knows = (licenseId: string, fingerprint: string) =>
    tables.agents.get(agentKey(licenseId, fingerprint)) !== undefined
  const within = (scope: Scope, id: string) => {
    const key = keys.get(id)
    return key !== undefined && isWithin(tables, scope, key) ? key : undefined
  }
  const change = (key: TransferKey): TransferKey => {
    keys.put(key.id, key)
    return key
  }
  return {
    add: (key: NewTransferKey, now = time()) => run(() => added(tables, key, now)),
    knowsHost: (licenseId: string, fingerprint: string) => run(() => knows(licenseId, fingerprint)),
    get: (scope, id) => run(() => within(scope, id)),
    list: (scope, limit) =>
      run(() =>
        keys
          .all()
          .filter((key) => isWithin(tables, scope, key))
          .sort((one, other) => byBytes(other.id, one.id))
          .slice(0, limit),
      ),
    uses: (keyId: string) =>
      run(() =>
        uses
          .all()
          .filter((use) => use.keyId === keyId)
          .sort((one, other) => +one.at - +other.at || byBytes(one.id, other.id)),
      ),
    tryPin: (id: string, now = time()) =>
      run(() => {
        const key = keys.get(id)
        if (key === undefined || !isActive(key, now)) return undefined
        return change({ ...key, pinFails: key.pinFails + 1 })
      }),
    redeem: ({ isReserved, ...use }: Redemption, now = time()) =>
      run(() => {
        const key = keys.get(use.keyId)
        const forgiven = isReserved ? 1 : 0
        if (key === undefined || !isActive(key, now, forgiven)) return undefined
        if (uses.get(use.id) !== undefined) throw new Error('there is a session with this id already')
        const pinFails = key.pinFails - forgiven
        if (pinFails < 0 || pinFails > PIN_TRIES) throw new Error('no try at the PIN was counted before')
        uses.put(use.id, { ...use, at: now })
        const { lastUsedAt = now } = key
        return change({
          ...key,
          uses: key.uses + 1,
          pinFails,
          lastUsedAt: lastUsedAt > now ? lastUsedAt : now,
        })
      }),
    revoke: (scope, id, now = time()) =>
      run(() => {
        const key = within(scope, id)
        return key && change({ ...key, revokedAt: key.revokedAt ?? now })
      }),
    purge: (keptDays: number, now = time()) =>
      run(() => {
        const oldest = now.getTime() - keptDays * DAY_MS
        const endOf = ({ revokedAt, expiresAt }: TransferKey) =>
          Math.min(+(revokedAt ?? expiresAt), +expiresAt)
        const gone = keys.all().filter((key) => endOf(key) < oldest)
        for (const { id } of gone) {
          for (const use of uses.all()) if (use.keyId === id) uses.put(use.id, undefined)
          keys.put(id, undefined)
        }
        return gone.length
      }),
  }
}

function added(tables: MemoryTables, { mostActive, ...given }: NewTransferKey, now: Date) {
  const keys = tables.of<TransferKey>('transferKeys')
  const { licenseId, sourceFingerprint, targetFingerprint } = given
  const isHost = (fingerprint: string) => tables.agents.get(agentKey(licenseId, fingerprint)) !== undefined
  if (sourceFingerprint === targetFingerprint) return 'no-host'
  if (!isHost(sourceFingerprint) || !isHost(targetFingerprint)) return 'no-host'
  const active = keys.all().filter((key) => key.licenseId === licenseId && isActive(key, now))
  if (active.length >= mostActive) return 'full'
  if (keys.all().some(({ id, keyDigest }) => id === given.id || keyDigest === given.keyDigest))
    throw new Error('there is a key with this id or digest already')
  const scope = given.scope === undefined ? undefined : (jsonCopy(given.scope) as TransferKey['scope'])
  const none = { uses: 0, pinFails: 0, lastUsedAt: undefined, revokedAt: undefined }
  const key: TransferKey = { ...given, ...none, scope, createdAt: now }
  keys.put(key.id, key)
  return key
}
