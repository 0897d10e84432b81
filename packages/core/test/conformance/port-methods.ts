import type { Storage } from '@svc/core'
import { memoryStorage } from '@svc/testing'

/** A part of a storage that can be asked, with the names of what it can do. */
export interface Port {
  readonly name: string
  readonly methods: readonly string[]
}

/** Every port of a storage. */
export function portsOf(storage: Storage = memoryStorage()): readonly Port[] {
  return Object.entries(storage)
    .filter(([, store]) => typeof store === 'object')
    .map(([name, store]) => ({ name, methods: methodsOf(store as object) }))
}

/** What a port can do, be it a plain object or of a class. */
export function methodsOf(store: object): readonly string[] {
  const proto: object = Object.getPrototypeOf(store)
  const names = proto === Object.prototype ? Object.keys(store) : Object.getOwnPropertyNames(proto)
  const isMethod = (name: string) => name !== 'constructor' && typeof Reflect.get(store, name) === 'function'
  return names.filter(isMethod)
}
