import { createHash } from 'node:crypto'
import { defaulted, type Infer, optional, refine } from 'superstruct'
import {
  field,
  flag,
  listOf,
  matching,
  namedShape,
  oneOf,
  read,
  shape,
  whole,
} from '../../kernel/validation.ts'
import { addressRange } from './address-range.ts'
import { portRange } from './port-range.ts'

const MAX_RANGE_CHARS = 49

const range = field<string>(
  { type: 'string', maxLength: MAX_RANGE_CHARS },
  (value) => typeof value === 'string' && addressRange(value) !== undefined,
  'an IP address, or a range such as 10.0.0.0/8 or 2001:db8::/32',
)
const port = field<string>(
  { type: 'string', pattern: '^[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?$' },
  (value) => typeof value === 'string' && portRange(value) !== undefined,
  'a port of 1 to 65535, or a rising range such as 8000-8100',
)
// nft has no way to write a quotation mark in a comment: a saved ruleset would not load again.
const comment = matching(
  /^[ !#-[\]-~]{0,64}$/,
  'at most 64 printable ASCII characters without quotation marks and backslashes',
)
const networkInterface = matching(
  /^[A-Za-z0-9_.-]{1,14}\*?$/,
  'the name of a network interface, at its end perhaps a *',
)
const unixName = matching(/^[a-z_][a-z0-9_-]{0,31}$/, 'the name of a user')

/** A list that names something: an empty one would read as everybody to one, as nobody to another. */
const someOf = <T>(items: Parameters<typeof listOf<T>>[0], max: number) =>
  refine(listOf(items, max), 'some', (value) => value.length > 0 || 'expected at least one entry')

const allowRule = namedShape('FirewallRule', {
  ports: someOf(port, 20),
  proto: oneOf(['tcp', 'udp']),
  from: optional(someOf(range, 50)),
  comment: optional(comment),
})

const firewall = shape({
  enabled: defaulted(flag(), false),
  allow: defaulted(listOf(allowRule, 200), () => [{ ports: ['22'], proto: 'tcp' }]),
  deny_from: defaulted(listOf(range, 1000), () => []),
  trusted_interfaces: defaulted(listOf(networkInterface, 20), () => ['docker0', 'br-*', 'veth*']),
  icmp: defaulted(flag(), true),
  ssh_rate_limit: defaulted(whole(0, 10_000), 6),
  log_drops: defaulted(flag(), false),
})

const ssh = shape({
  password_auth: defaulted(oneOf(['keep', 'yes', 'no']), 'keep'),
  root_login: defaulted(oneOf(['keep', 'yes', 'prohibit-password', 'no']), 'keep'),
  max_auth_tries: optional(whole(2, 10)),
  allow_users: optional(someOf(unixName, 50)),
})

/** The whole document: absent parts have their defaults, unknown keys are dropped. */
export const securitySettings = namedShape('SecuritySettings', {
  firewall: defaulted(firewall, () => ({})),
  ssh: defaulted(ssh, () => ({})),
  sysctl: defaulted(oneOf(['none', 'baseline']), 'none'),
  auto_updates: defaulted(oneOf(['keep', 'on', 'off']), 'keep'),
})

/** The document of a host: its firewall, its ssh service, its kernel and its updates. */
export type SecuritySettings = Infer<typeof securitySettings>
/** A rule that opens ports. */
export type AllowRule = SecuritySettings['firewall']['allow'][number]

/**
 * Reads a document and fills in its defaults.
 * @throws Problem `invalid-input` with field-scoped messages
 */
export const readSecuritySettings = (value: unknown): SecuritySettings => read(securitySettings, value)

/** The document of a host that was never given one: nothing is changed there. */
export const DEFAULT_SECURITY: SecuritySettings = readSecuritySettings({})

/** SHA-256 of the document, in hex: the same for equal documents, in any order of their keys. */
export const settingsDigest = (settings: SecuritySettings): string =>
  createHash('sha256').update(canonical(settings)).digest('hex')

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`
}
