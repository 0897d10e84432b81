import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** One setting: its source, its accepted values and its default. */
export interface Setting<T> {
  /** The name of the environment variable. */
  readonly name: string
  /** A line of documentation for operators. */
  readonly doc: string
  /** Completes the sentence "<name> must be …". */
  readonly form: string
  /** Whether the value is a secret. A secret appears nowhere: reports say only whether it is set. */
  readonly secret: boolean
  readonly fallback: T
  /**
   * The beginning of the names of a family of variables, which are one setting: `parse` gets `<name>=<value>`
   * for each that is set, with NUL between them.
   */
  readonly family?: string
  /** Parses a text that is trimmed and not empty; `undefined` when it does not have the form. */
  parse(text: string): T | undefined
  /**
   * Completes the warning "<name> …" about a value that is allowed but probably a mistake. Must not repeat
   * the value.
   */
  caution?(value: T, given: string): string | undefined
  /** Formats the value for reports, if its own text would say too little. */
  show?(value: T): string
}

/** Options that the constructors below share. */
export interface SettingOptions<F> {
  readonly secret?: boolean
  readonly fallback?: F
}

/** Any text. */
export function text<F extends string | undefined = undefined>(
  name: string,
  doc: string,
  options: SettingOptions<F> = {},
): Setting<string | F> {
  return { ...named(name, doc, 'text', options), parse: (given) => given }
}

/** A whole number between two bounds, both allowed, in plain digits. */
export function wholeNumber<F extends number | undefined = undefined>(
  name: string,
  doc: string,
  options: SettingOptions<F> & { readonly min: number; readonly max: number },
): Setting<number | F> {
  const { min, max } = options
  const parse = (given: string) => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
    return value >= min && value <= max ? value : undefined
  }
  return { ...named(name, doc, `a whole number from ${min} to ${max}`, options), parse }
}

/** One of a few words. */
export function choice<const W extends string>(
  name: string,
  doc: string,
  words: readonly W[],
  fallback: W,
): Setting<W> {
  const parse = (given: string) => words.find((word) => word === given)
  return { ...named(name, doc, `one of ${words.join(', ')}`, { fallback }), fallback, parse }
}

/** An absolute URL with one of these schemes, kept as written. */
export function url(
  name: string,
  doc: string,
  schemes: readonly string[],
  options: { readonly secret?: boolean } = {},
): Setting<string | undefined> {
  const form = `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`
  const parse = (given: string) => {
    const scheme = URL.canParse(given) ? new URL(given).protocol.slice(0, -1) : ''
    return schemes.includes(scheme) && given.includes('://') ? given : undefined
  }
  return { ...named(name, doc, form, options), parse }
}

/**
 * A comma-separated list; blanks around entries, empty entries and repetitions are ignored. Unset is an empty
 * list.
 */
export function list(
  name: string,
  doc: string,
  options: {
    readonly secret?: boolean
    readonly of?: string
    readonly accepts?: (entry: string) => boolean
    /** Returns the canonical spelling of an accepted entry. */
    readonly keepAs?: (entry: string) => string
    /** Formats the list for reports. */
    readonly show?: (entries: readonly string[]) => string
  } = {},
): Setting<readonly string[]> {
  const { of = 'texts', accepts = () => true, keepAs = (entry) => entry, secret = false, show } = options
  const parse = (value: string) => {
    const entries = value.split(',').map((entry) => entry.trim())
    const given = entries.filter((entry) => entry !== '')
    return given.every(accepts) ? [...new Set(given.map(keepAs))] : undefined
  }
  const setting = { ...named(name, doc, `a comma-separated list of ${of}`, { secret, fallback: [] }), parse }
  return show === undefined ? setting : { ...setting, show }
}

/** Whether a text is the address of a whole site: scheme and host, a port, and no path but `/`. */
export function isSite(entry: string): boolean {
  return /^https?:\/\/[^/?#@\\]+\/?$/i.test(entry) && URL.canParse(entry)
}

/**
 * Returns the origin of an address as browsers send it: in lower case, and without the scheme's default port.
 */
export const originOf = (address: string): string => new URL(address).origin

/**
 * Whether a text is an IP address with or without a port: `9.9.9.9`, `9.9.9.9:53`, `2620:fe::fe`,
 * `[2620:fe::fe]:53`.
 */
export const isResolverAddress = (entry: string): boolean => resolverHost(entry) !== undefined

/** Returns the IP address of a resolver that may have a port; undefined when the text has another form. */
export function resolverHost(entry: string): string | undefined {
  if (isIP(entry)) return entry
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(entry) ?? []
  const known = six === undefined ? isIP(four ?? '') === 4 : isIP(six) === 6
  return known && Number(port) >= 1 && Number(port) <= 65_535 ? (six ?? four) : undefined
}

/** Whether a text is an IP network that starts at its first address, `10.1.0.0/16`, or one address. */
export function isAddressRange(entry: string): boolean {
  const [network = '', bits, ...more] = entry.split('/')
  const version = isIP(network)
  if (version === 0 || network.includes('%') || more.length > 0) return false
  const family = version === 4 ? ipaddr.IPv4 : ipaddr.IPv6
  const address = family.parse(network)
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return false
  if (bits === undefined) return true
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) return false
  return family.networkAddressFromCIDR(entry).toString() === address.toString()
}

function named<F>(name: string, doc: string, form: string, options: SettingOptions<F>) {
  const { secret = false, fallback } = options
  return { name, doc, form, secret, fallback: fallback as F }
}
