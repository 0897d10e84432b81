import type { Stores } from '@svc/core'

/** One call of a store. */
export interface StoreCall {
  /** `<store>.<method>`, for example `jobs.lease`. */
  readonly name: string
  readonly args: readonly unknown[]
  run(): Promise<unknown>
}

type Method = (...args: unknown[]) => Promise<unknown>

/** The same stores with every call handed to `around`, which runs it when it sees fit. */
export function wrapStores(stores: Stores, around: (call: StoreCall) => Promise<unknown>): Stores {
  const each = Object.entries(stores).map(([name, methods]) => [name, wrapStore(name, methods, around)])
  return Object.fromEntries(each) as Stores
}

function wrapStore(store: string, methods: object, around: (call: StoreCall) => Promise<unknown>): object {
  const wrapped: Record<string, Method> = {}
  for (const [key, method] of Object.entries(methods) as [string, Method][]) {
    const name = `${store}.${key}`
    wrapped[key] = (...args) => around({ name, args, run: () => method(...args) })
  }
  return wrapped
}
