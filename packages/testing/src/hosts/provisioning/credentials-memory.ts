import {
  BUILDING_STATES,
  type Credential,
  HELD_BY_CREDENTIAL,
  type ProviderName,
  type ProvisioningStore,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import { provisioningTables } from './memory-order.ts'

type Stored = Pick<
  ProvisioningStore,
  'credentials' | 'setCredential' | 'clearCredential' | 'verified' | 'invalidated' | 'limited'
>

/** Credentials of providers in memory. */
export function memoryCredentials(tables: MemoryTables, run: Run, time: () => Date): Stored {
  const rows = tables.of<Credential>('providerCredentials')
  const { orders } = provisioningTables(tables)
  const fitting = (provider: ProviderName, fingerprint: string) => {
    const row = rows.get(provider)
    return row?.fingerprint === fingerprint ? row : undefined
  }
  const waiting = (provider: ProviderName) =>
    orders.all().filter((order) => order.provider === provider && order.nextRunAt !== undefined)
  return {
    credentials: () => run(() => rows.all().sort((one, other) => byBytes(one.provider, other.provider))),
    setCredential: ({ provider, fingerprint, tokenEnc }) =>
      run(() => {
        const none = { state: 'unverified' as const, verifiedAt: undefined, rateResetAt: undefined }
        const known = fitting(provider, fingerprint) ?? none
        const { state, verifiedAt, rateResetAt } = known
        rows.put(provider, { provider, fingerprint, tokenEnc, state, verifiedAt, rateResetAt })
      }),
    clearCredential: (provider) =>
      run(() => {
        const had = rows.get(provider) !== undefined
        rows.put(provider, undefined)
        return had
      }),
    verified: (provider, fingerprint, now = time()) =>
      run(() => {
        const row = fitting(provider, fingerprint)
        if (row === undefined) return false
        rows.put(provider, { ...row, state: 'verified', verifiedAt: now })
        for (const order of waiting(provider)) {
          if (order.errorCode !== HELD_BY_CREDENTIAL) continue
          const cleared = { errorCode: undefined, errorDetail: undefined, errorSince: undefined }
          orders.put(order.id, { ...order, ...cleared, nextRunAt: now, stateSince: now, updatedAt: now })
        }
        return true
      }),
    invalidated: (provider, fingerprint, errorDetail, now = time()) =>
      run(() => {
        const row = fitting(provider, fingerprint)
        if (row === undefined) return
        rows.put(provider, { ...row, state: 'invalid' })
        for (const order of waiting(provider)) {
          if (!BUILDING_STATES.has(order.state)) continue
          const error = { errorCode: HELD_BY_CREDENTIAL, errorDetail, errorSince: now }
          orders.put(order.id, { ...order, ...error, updatedAt: now })
        }
      }),
    limited: (provider, until) =>
      run(() => {
        const row = rows.get(provider)
        if (row === undefined) return
        const { rateResetAt = until } = row
        rows.put(provider, { ...row, rateResetAt: rateResetAt > until ? rateResetAt : until })
      }),
  }
}
