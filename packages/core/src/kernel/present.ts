import { unixSeconds } from './clock.ts'

/** `{ [key]: value }`, or nothing without a value. */
export const present = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as Record<K, V>)

/** `{ [key]: instant }` in unix seconds, or nothing without an instant. */
export const presentSeconds = <K extends string>(key: K, instant: Date | undefined) =>
  present(key, instant && unixSeconds(instant))
