import type { Stores } from '@svc/core/ports'

type Method = (...args: unknown[]) => Promise<unknown>

/** One call of a store. */
export class StoreCall {
  /** `<store>.<method>`, for example `jobs.lease`. */
  readonly name: string
  readonly args: readonly unknown[]
  readonly #method: Method

  constructor(name: string, args: readonly unknown[], method: Method) {
    this.name = name
    this.args = args
    this.#method = method
  }

  run(): Promise<unknown> {
    return this.#method(...this.args)
  }
}

/** Returns the same stores with every call passed to `around`, which decides when it runs. */
export function wrapStores(stores: Stores, around: (call: StoreCall) => Promise<unknown>): Stores {
  const wrapped: Record<string, object> = {}
  for (const [name, methods] of Object.entries(stores)) {
    // A replica uses only a few stores before it crashes, so each store is wrapped at its first use.
    let made: object | undefined
    const get = () => {
      made ??= wrapStore(name, methods, around)
      return made
    }
    Object.defineProperty(wrapped, name, { enumerable: true, configurable: true, get })
  }
  return wrapped as unknown as Stores
}

function wrapStore(store: string, methods: object, around: (call: StoreCall) => Promise<unknown>): object {
  const wrapped: Record<string, Method> = {}
  for (const [key, method] of Object.entries(methods) as [string, Method][]) {
    const name = `${store}.${key}`
    wrapped[key] = (...args) => around(new StoreCall(name, args, method))
  }
  return wrapped
}
