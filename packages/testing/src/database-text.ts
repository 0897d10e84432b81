import type { Stores } from '@svc/core'

const NUL = '\u0000'

/** The stores with every text as PostgreSQL takes it: lone surrogates become U+FFFD, and a NUL fails the statement. */
export const asDatabaseTakesText = (stores: Stores): Stores =>
  Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, guarded(store)]),
  ) as unknown as Stores

type Method = (...given: readonly unknown[]) => Promise<unknown>

function guarded(store: object): object {
  const methods = Object.entries(store as Readonly<Record<string, Method>>)
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      (...given: readonly unknown[]) => {
        try {
          return method(...given.map(taken))
        } catch (error) {
          return Promise.reject(error)
        }
      },
    ]),
  )
}

// Fields of what is given are columns; what lies deeper is kept as JSON, which has rules of its own.
function taken(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(record)
  return record(given)
}

function record(given: unknown): unknown {
  if (typeof given === 'string') return text(given)
  if (typeof given !== 'object' || given === null || given instanceof Date) return given
  const fields = Object.entries(given)
  const odd = fields.some(([, value]) => typeof value === 'string' && isOdd(value))
  return odd
    ? Object.fromEntries(fields.map(([key, value]) => [key, isText(value) ? text(value) : value]))
    : given
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isOdd = (value: string): boolean => value.includes(NUL) || !value.isWellFormed()

function text(value: string): string {
  if (value.includes(NUL)) throw new Error('invalid byte sequence for encoding "UTF8": 0x00')
  return value.toWellFormed()
}
