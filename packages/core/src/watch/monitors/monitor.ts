import { asciiName } from '../../kernel/ascii-name.ts'
import { resolverHost } from '../../platform/config/setting.ts'
import type { AnswerSet, Match, RecordType } from '../../platform/dns/dns-answer.ts'
import { DNS_ERRORS } from '../../platform/dns/dns-client.ts'
import { isNeverCalled } from '../../platform/net/public-address.ts'

/** Sources of the expected values: the first good answer (`baseline`), or the operator (`expect`). */
export const MONITOR_MODES = ['baseline', 'expect'] as const
export type MonitorMode = (typeof MONITOR_MODES)[number]

/**
 * `pending`: no confirmed answer yet · `ok`: as expected · `drifted`: confirmed to differ · `unreachable`:
 * three runs in a row without an answer · `paused`: not run.
 */
export const MONITOR_STATES = ['pending', 'ok', 'drifted', 'unreachable', 'paused'] as const
export type MonitorState = (typeof MONITOR_STATES)[number]

/** Reasons why a run has no answer. `inconsistent`: the resolvers disagree. */
export const MONITOR_ERRORS = [...DNS_ERRORS, 'inconsistent'] as const
export type MonitorError = (typeof MONITOR_ERRORS)[number]

/** Number of errors in a row that makes a monitor unreachable (docs/monitors.md). */
export const ERRORS_IN_A_ROW = 3
export const MAX_EXPECTED = 32
export const MAX_VALUE_CHARS = 1024
export const MAX_RESOLVERS = 3
export const MAX_NAME_CHARS = 64
/** Bounds and default of the interval, in seconds. */
export const INTERVAL_SECONDS = { min: 60, max: 86_400, fallback: 300 } as const
/** Bounds and default of the number of runs in a row that must see a difference. */
export const CONFIRMATIONS = { min: 1, max: 5, fallback: 1 } as const

/** Definition of a monitor: the DNS question, the expected answer and the schedule. */
export interface MonitorDefinition {
  /** Lower case, without a trailing dot. */
  readonly host: string
  readonly type: RecordType
  readonly mode: MonitorMode
  readonly match: Match
  /** Canonical values; undefined while a baseline waits for its first good answer. */
  readonly expected: AnswerSet | undefined
  readonly intervalSeconds: number
  readonly confirmations: number
  /** `ip[:port]` of each resolver. Empty: the resolvers of the settings, else the system's. */
  readonly resolvers: readonly string[]
}

/** A difference that waits for confirmation. */
export interface Pending {
  readonly answer: AnswerSet
  readonly fits: boolean
  /** Number of runs in a row that saw the difference. */
  readonly seen: number
}

/** Findings of all runs so far. */
export interface Findings {
  readonly expected: AnswerSet | undefined
  /** The last confirmed answer. */
  readonly confirmed: AnswerSet | undefined
  readonly pending: Pending | undefined
  readonly driftedAt: Date | undefined
  readonly errorStreak: number
  readonly error: MonitorError | undefined
  readonly unreachableAt: Date | undefined
}

/** Owner of a monitor: a tenant, a license, or the platform if neither is set. */
export interface MonitorOwner {
  readonly tenantId: string | undefined
  readonly licenseId: string | undefined
}

/** A monitor with its definition and findings. */
export interface Monitor extends MonitorOwner, MonitorDefinition, Findings {
  readonly id: string
  /** Unique for each owner. */
  readonly name: string
  readonly createdAt: Date
  /** Grows with each change of the definition. */
  readonly revision: number
  readonly pausedAt: Date | undefined
  /** When the monitor becomes due. */
  readonly nextRunAt: Date
  readonly lastRunAt: Date | undefined
  /** Time of the last run that got an answer. */
  readonly lastAnswerAt: Date | undefined
}

/** A confirmed fault of a monitor, which holds until a run ends it. Alerts take their conditions from it. */
export interface MonitorTrouble {
  readonly kind: 'monitor_drift' | 'dns_unreachable'
  readonly monitor: Monitor
  readonly since: Date
}

/** Returns the state of a monitor. */
export function monitorState(monitor: Monitor): MonitorState {
  if (monitor.pausedAt !== undefined) return 'paused'
  if (monitor.unreachableAt !== undefined) return 'unreachable'
  if (monitor.driftedAt !== undefined) return 'drifted'
  return monitor.confirmed === undefined ? 'pending' : 'ok'
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
const MAX_HOST_CHARS = 253
// Names that are local to a machine or network, or that public resolvers must not be asked for.
const LOCAL = new Set(['localhost', 'local', 'internal', 'arpa'])

/**
 * Returns a host in its stored form, or undefined if it is not a fully qualified name that a public resolver
 * may know.
 */
export function hostOf(text: string): string | undefined {
  const host = (asciiName(text) ?? '').toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  const last = labels.at(-1) ?? ''
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(last)
  return isName && host.length <= MAX_HOST_CHARS && !LOCAL.has(last) ? host : undefined
}

// A name cannot look like an id, since commands accept both.
const NAME = /^(?!mon_)(?! )[^\p{C}]{1,64}(?<! )$/u

/** Returns the fault of a name, or undefined. */
export const nameFault = (name: string): string | undefined =>
  NAME.test(name) ? undefined : `name: expected 1 to ${MAX_NAME_CHARS} printable characters, not an id`

/** Returns the fault of a list of resolvers, or undefined. */
export function resolversFault(resolvers: readonly string[]): string | undefined {
  const hosts = resolvers.map(resolverHost)
  if (resolvers.length > MAX_RESOLVERS || hosts.includes(undefined)) {
    return `resolvers: expected at most ${MAX_RESOLVERS} IP addresses, each with or without a port`
  }
  const isBarred = hosts.some((host) => host === undefined || isNeverCalled(host))
  return isBarred
    ? 'resolvers: link-local and metadata addresses are never asked; name another resolver'
    : undefined
}
