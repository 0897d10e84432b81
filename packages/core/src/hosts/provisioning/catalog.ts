import type { Money } from '../../kernel/money.ts'
import { NAME_PATTERN, type ProviderName, SSH_KEY_PATTERN } from './order.ts'
import type { PlacePrice } from './server-provider.ts'

/** The most that an entry may let a server cost a month, in minor units. */
export const MAX_MONTHLY_MINOR = 10_000_000
/** The most places of an entry, and the most keys. */
export const MAX_LOCATIONS = 10
export const MAX_SSH_KEYS = 20

/** A plan's meaning at a provider, and the most that it may cost. */
export interface CatalogEntry {
  readonly plan: string
  readonly provider: ProviderName
  readonly serverType: string
  readonly locations: readonly string[]
  readonly image: string
  readonly sshKeys: readonly string[]
  readonly maxMonthlyMinor: number
  readonly currency: string
  readonly enabled: boolean
}

/** Returns the faults of an entry; empty if orders can use it. */
export function catalogFaults(entry: CatalogEntry): readonly string[] {
  const { plan, serverType, image, locations, sshKeys, maxMonthlyMinor } = entry
  const names = { plan, server_type: serverType, image }
  const bad = Object.entries(names).filter(([, name]) => !NAME_PATTERN.test(name))
  const isCount = (list: readonly string[], most: number) => list.length >= 1 && list.length <= most
  const isPriced =
    Number.isSafeInteger(maxMonthlyMinor) && maxMonthlyMinor > 0 && maxMonthlyMinor <= MAX_MONTHLY_MINOR
  return [
    ...bad.map(([name]) => `${name}: expected lower-case letters, digits, dots and dashes`),
    ...(isCount(locations, MAX_LOCATIONS) && locations.every((each) => NAME_PATTERN.test(each))
      ? []
      : [`locations: expected 1 to ${MAX_LOCATIONS} names`]),
    ...(isCount(sshKeys, MAX_SSH_KEYS) && sshKeys.every((each) => SSH_KEY_PATTERN.test(each))
      ? []
      : [`ssh_keys: expected 1 to ${MAX_SSH_KEYS} ids or names of keys`]),
    ...(isPriced ? [] : ['max_monthly: expected an amount above 0.00 and at most 100000.00']),
  ]
}

/** The most that a month of an entry's server may cost. */
export const maxMonthly = ({ maxMonthlyMinor: minor, currency }: CatalogEntry): Money => ({ minor, currency })

/** The places where a server costs no more than the catalogue allows. */
export const affordable = (places: readonly PlacePrice[], limit: Money): readonly PlacePrice[] =>
  places.filter(({ serverMinor }) => serverMinor <= limit.minor)

/** The amount that is reserved for a server that may come to stand at any of these places, in minor units. */
export const reserveFor = (places: readonly PlacePrice[], limit: Money): number =>
  Math.max(limit.minor, ...places.map(({ totalMinor }) => totalMinor))
