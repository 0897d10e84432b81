import type { Storage } from '@svc/core'
import { memoryStorage } from '@svc/testing'

/** A port of a storage, with the names of its methods. */
export interface Port {
  readonly name: string
  readonly methods: readonly string[]
}

/** Returns every port of a storage. */
export function portsOf(storage: Storage = memoryStorage()): readonly Port[] {
  return Object.entries(storage)
    .filter(([, store]) => typeof store === 'object' && !Array.isArray(store))
    .map(([name, store]) => ({ name, methods: methodsOf(store as object) }))
}

/** Returns the names of a port's methods, whether it is a plain object or an instance of a class. */
export function methodsOf(store: object): readonly string[] {
  const proto: object = Object.getPrototypeOf(store)
  const names = proto === Object.prototype ? Object.keys(store) : Object.getOwnPropertyNames(proto)
  const isMethod = (name: string) => name !== 'constructor' && typeof Reflect.get(store, name) === 'function'
  return names.filter(isMethod)
}
