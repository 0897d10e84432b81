import { redact } from './redactor.ts'

type Payload = Readonly<Record<string, unknown>>

/** The replacement of a hidden value. */
export const MASK = '***'

// The part of an authority before its `@`. It ends before the next slash, so that reading stays linear.
const CREDENTIALS = /(\/\/)[^\s/?#]*@/g

function masked(value: unknown, key?: string): unknown {
  if (key === 'env' || key === 'basic_auth') return maskedEnvironment(value)
  if (typeof value === 'string') return redact(value.replace(CREDENTIALS, `$1${MASK}@`))
  if (Array.isArray(value)) return value.map((each) => masked(each))
  return isObject(value) ? mapped(value, masked) : value
}

/** Masks the values and keeps the names, which people look for. */
const maskedEnvironment = (env: unknown): unknown => (isObject(env) ? mapped(env, () => MASK) : MASK)

/** A payload with the names of its `env` alone; all else of it stays as it is. */
export const withoutEnvValues = (payload: Payload): Payload =>
  payload.env === undefined ? payload : { ...payload, env: maskedEnvironment(payload.env) }

const isObject = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapped = (value: Payload, change: (each: unknown, key: string) => unknown): Payload =>
  Object.fromEntries(Object.entries(value).map(([key, each]) => [key, change(each, key)]))

/**
 * A payload without its secrets: names without values in every `env`, addresses without credentials, secrets
 * of a known form redacted. Every view or copy of a payload for people without `platform.deploy` uses this.
 */
export const visiblePayload = (payload: Payload): Payload => mapped(payload, masked)
