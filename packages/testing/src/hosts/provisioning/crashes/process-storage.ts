import type { Clock, Outbound, Storage } from '@svc/core'
import { CREATE_TIMEOUT_MS, type Stores } from '@svc/core/ports'
import type { ClaimWatch } from './claim-watch.ts'
import type { Process } from './scheduler.ts'

/** The parts of a process that planted faults replace. */
export interface CrashSeams {
  readonly store?: (store: Stores['provisioning']) => Stores['provisioning']
  readonly outbound?: (outbound: Outbound) => Outbound
}

type Around = <T>(work: () => Promise<T>) => Promise<T>
type Method = (...given: readonly unknown[]) => Promise<unknown>

// Every call of a store is a wait.
const waitingStore = <S extends object>(store: S, around: Around): S =>
  new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...given: readonly unknown[]) => around(() => (method as Method).apply(target, [...given]))
    },
  })

/** The storage as one process uses it: each statement, and each transaction, is a wait. */
export function processStorage(
  { storage, watch }: { readonly storage: Storage; readonly watch: ClaimWatch },
  process: Process,
  seams: CrashSeams,
): Storage {
  const planted = (store: Stores['provisioning']) => seams.store?.(store) ?? store
  const storesOf = (stores: Stores, around: Around): Stores => ({
    ...stores,
    agents: waitingStore(stores.agents, around),
    licenses: waitingStore(stores.licenses, around),
    provisioning: planted(waitingStore(watch.over(stores.provisioning), around)),
  })
  return {
    ...storage,
    ...storesOf(storage, (work) => process.wait(work)),
    transaction: (work) =>
      process.wait(() =>
        storage.transaction((stores) => work(storesOf(stores, (inner) => process.waitInside(inner)))),
      ),
  }
}

/**
 * The client as one process uses it: each call is a wait, before and after which it may be killed. A call
 * that could not be sent within its timeout is never sent.
 */
export function processOutbound(
  { outbound, clock }: { readonly outbound: Outbound; readonly clock: Clock },
  process: Process,
  seams: CrashSeams,
): Outbound {
  const waiting: Outbound = {
    request: (url, request) => {
      const begun = clock.now().getTime()
      const isLate = () => clock.now().getTime() - begun > CREATE_TIMEOUT_MS
      return process.wait(
        async () => (isLate() ? { ok: false, refusal: 'timeout' } : outbound.request(url, request)),
        request?.method === 'POST' ? 'send' : undefined,
      )
    },
    [Symbol.asyncDispose]: async () => {},
  }
  return seams.outbound?.(waiting) ?? waiting
}
