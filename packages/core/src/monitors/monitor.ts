import { resolverHost } from '../config/setting.ts'
import { isNeverCalled } from '../net/public-address.ts'
import type { AnswerSet, Match, RecordType } from './dns-answer.ts'
import type { DnsError } from './dns-client.ts'

/** Where the expectation comes from: the first good answer, or the operator. */
export const MONITOR_MODES = ['baseline', 'expect'] as const
export type MonitorMode = (typeof MONITOR_MODES)[number]

/**
 * `pending`: no answer to go by yet · `ok`: as expected · `drifted`: confirmed to differ · `unreachable`:
 * three runs in a row without an answer · `paused`: not asked.
 */
export const MONITOR_STATES = ['pending', 'ok', 'drifted', 'unreachable', 'paused'] as const
export type MonitorState = (typeof MONITOR_STATES)[number]

/** Why a run has no answer; `inconsistent`: the resolvers disagree. */
export type MonitorError = DnsError | 'inconsistent'

/** Errors in a row that make a monitor unreachable (wire-app §2). */
export const ERRORS_IN_A_ROW = 3
export const MAX_EXPECTED = 32
export const MAX_VALUE_CHARS = 1024
export const MAX_RESOLVERS = 3
export const MAX_NAME_CHARS = 64
/** Bounds and default of the interval, in seconds. */
export const INTERVAL_SECONDS = { min: 60, max: 86_400, fallback: 300 } as const
/** Bounds and default of how often in a row a difference has to be seen. */
export const CONFIRMATIONS = { min: 1, max: 5, fallback: 1 } as const

/** What is watched. */
export interface MonitorDefinition {
  /** Lower case, without a trailing dot. */
  readonly host: string
  readonly type: RecordType
  readonly mode: MonitorMode
  readonly match: Match
  /** Canonical; undefined while a baseline waits for its first good answer. */
  readonly expected: AnswerSet | undefined
  readonly intervalSeconds: number
  readonly confirmations: number
  /** `ip[:port]`; empty: those of the settings, else the system's. */
  readonly resolvers: readonly string[]
}

/** A difference that was seen and has yet to be seen again. */
export interface Pending {
  readonly answer: AnswerSet
  readonly fits: boolean
  /** Runs in a row that saw it. */
  readonly seen: number
}

/** What runs have found so far. */
export interface Findings {
  readonly expected: AnswerSet | undefined
  /** The last answer that counts. */
  readonly confirmed: AnswerSet | undefined
  readonly pending: Pending | undefined
  readonly driftedAt: Date | undefined
  readonly errorStreak: number
  readonly error: MonitorError | undefined
  readonly unreachableAt: Date | undefined
}

/** Whom a monitor belongs to: a tenant, a license, or with neither the platform. */
export interface MonitorOwner {
  readonly tenantId: string | undefined
  readonly licenseId: string | undefined
}

/** A watched name with what is known of it. */
export interface Monitor extends MonitorOwner, MonitorDefinition, Findings {
  readonly id: string
  /** Unique per owner. */
  readonly name: string
  readonly createdAt: Date
  /** Grows with every change of the definition. */
  readonly revision: number
  readonly pausedAt: Date | undefined
  /** Due from then on. */
  readonly nextRunAt: Date
  readonly lastRunAt: Date | undefined
  /** The last run that was no error. */
  readonly lastAnswerAt: Date | undefined
}

/** What is wrong with a monitor now: an alert's condition, whoever looks and however often. */
export interface MonitorTrouble {
  readonly kind: 'monitor_drift' | 'dns_unreachable'
  readonly monitor: Monitor
  readonly since: Date
}

/** The one word for a monitor. */
export function monitorState(monitor: Monitor): MonitorState {
  if (monitor.pausedAt !== undefined) return 'paused'
  if (monitor.unreachableAt !== undefined) return 'unreachable'
  if (monitor.driftedAt !== undefined) return 'drifted'
  return monitor.confirmed === undefined ? 'pending' : 'ok'
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
const MAX_HOST_CHARS = 253
// Names that mean something else on each machine, or that no resolver shall be asked for.
const LOCAL = new Set(['localhost', 'local', 'internal', 'arpa'])

/**
 * A host as it is kept, or undefined when it is not a fully qualified name that a public resolver may know.
 */
export function hostOf(text: string): string | undefined {
  const host = text.toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  const last = labels.at(-1) ?? ''
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(last)
  return isName && host.length <= MAX_HOST_CHARS && !LOCAL.has(last) ? host : undefined
}

// An id may stand wherever a name does, so no name looks like one.
const NAME = /^(?!mon_)(?! )[^\p{C}]{1,64}(?<! )$/u

/** What is wrong with a name; undefined when nothing is. */
export const nameFault = (name: string): string | undefined =>
  NAME.test(name) ? undefined : `name: expected 1 to ${MAX_NAME_CHARS} printable characters, not an id`

/** What is wrong with resolvers; undefined when nothing is. */
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
