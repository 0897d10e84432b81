import type { Stores } from '@svc/core/ports'
import { jsonCopy } from './text-order.ts'

const NUL = '\u0000'

/**
 * Returns the stores with every text changed as PostgreSQL would: lone surrogates become U+FFFD, and a NUL
 * fails the statement.
 */
export const asDatabaseTakesText = (stores: Stores): Stores =>
  Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, guarded(name, store)]),
  ) as unknown as Stores

type Method = (...given: readonly unknown[]) => Promise<unknown>

/** Calls whose arguments are sent as one JSON document, where a lone surrogate fails, too. */
const SENT_AS_JSON: ReadonlySet<string> = new Set(['alerts.move', 'alerts.record'])

function guarded(storeName: string, store: object): object {
  const methods = Object.entries(store as Readonly<Record<string, Method>>)
  return Object.fromEntries(
    methods.map(([name, method]) => {
      const isJson = SENT_AS_JSON.has(`${storeName}.${name}`)
      return [name, isJson ? guardedJson(guardedMethod(method)) : guardedMethod(method)]
    }),
  )
}

const guardedMethod =
  (method: Method): Method =>
  (...given) => {
    try {
      return method(...given.map(taken))
    } catch (error) {
      return Promise.reject(error)
    }
  }

const guardedJson =
  (method: Method): Method =>
  async (...given) => {
    jsonCopy({ given: given[0] })
    return method(...given)
  }

// Top-level fields of an argument are columns. Deeper values are stored as JSON, which follows other rules,
// so they are left alone.
function taken(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(record)
  return record(given)
}

function record(given: unknown): unknown {
  if (typeof given === 'string') return text(given)
  if (typeof given !== 'object' || given === null || given instanceof Date) return given
  // A message is stored in columns of its own, at any depth.
  if ('message' in given) return { ...recordOf(given), message: record(given.message) }
  return recordOf(given)
}

function recordOf(given: object): object {
  return Object.values(given).some(isOdd)
    ? Object.fromEntries(
        Object.entries(given).map(([key, value]) => [key, isText(value) ? text(value) : value]),
      )
    : given
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isOdd = (value: unknown): boolean => isText(value) && (value.includes(NUL) || !value.isWellFormed())

function text(value: string): string {
  if (value.includes(NUL)) throw new Error('invalid byte sequence for encoding "UTF8": 0x00')
  return value.toWellFormed()
}
