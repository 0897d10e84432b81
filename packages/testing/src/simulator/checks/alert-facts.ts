import type { HeartbeatWrite } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import { ALERTED_REFUSALS } from '../plane-config.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'

// The history that alert rules look back on, collected from the statements themselves, since the database's
// own record of it is under test.

const MINUTE_MS = 60_000
const STALL_MS = 15 * MINUTE_MS
/** How long the end of a condition is still reported. */
const CLONE_MS = 10 * MINUTE_MS
const REFUSED_MS = 5 * MINUTE_MS
const GAP_MS = 60 * MINUTE_MS
/** An evaluation that begins now has read everything within this time. */
const LOOK_MS = 10_000

/** Conditions by license and dedup key: `sure` hold until an evaluation is over, `possible` may hold. */
export interface LookedBack {
  readonly sure: ReadonlySet<string>
  readonly possible: ReadonlySet<string>
}

/** Returns the key of a condition. */
export const conditionKey = (license: string, dedupKey: string): string => JSON.stringify([license, dedupKey])

interface Host {
  readonly license: string
  readonly fingerprint: string
  /** The boot id and hostname that were reported last. */
  bootId: string
  hostname: string
  /** When each identity was last replaced by another one. */
  readonly leftMs: Map<string, number>
  /** When an earlier identity last came back. */
  returnedMs: number
  seenMs: number
}

interface Refused {
  readonly license: string
  readonly count: number
  readonly atMs: number
}

const identityOf = ({ bootId, hostname }: Host): string => JSON.stringify([bootId, hostname])

/** A record of heartbeats, refused requests and evaluations, as seen in statements. */
export class AlertFactsBook {
  readonly #verdict: Verdict
  /** Returns the number of requests refused so far by limits of licenses. */
  readonly #refusedNow: () => number
  readonly #hosts = new Map<string, Host>()
  readonly #refused: Refused[] = []
  #refusedStored = 0
  /** The number of refused requests when the last tick began. */
  #refusedBefore = 0
  #evaluatedMs: number | undefined
  #gapEndMs = Number.NEGATIVE_INFINITY

  constructor(verdict: Verdict, refusedNow: () => number) {
    this.#verdict = verdict
    this.#refusedNow = refusedNow
  }

  /** Records one statement. */
  see({ name, args, now }: Statement): void {
    const atMs = now.getTime()
    if (name === 'agents.heartbeat') this.#beat(args[0] as HeartbeatWrite, atMs)
    if (name === 'agents.forget') this.#hosts.delete(conditionKey(String(args[0]), String(args[1])))
    if (name === 'alertFacts.addRefusals') this.#note(String(args[0]), Number(args[1]), atMs)
    if (name === 'alertFacts.evaluated') this.#evaluated(atMs)
  }

  /**
   * Checks, at the end of a run that cannot have lost a count, that all requests refused before the last tick
   * were counted.
   */
  end(): void {
    const detail = () =>
      `${this.#refusedBefore} requests were refused before the last tick, ${this.#refusedStored} were counted`
    const isCounted = this.#refusedStored >= this.#refusedBefore
    this.#verdict.expect(isCounted, 'refused requests are counted', detail)
  }

  /** Returns the conditions that the beginning tick should alert. */
  lookedBack({ agents }: MemoryTables, now: Date): LookedBack {
    this.#refusedBefore = this.#refusedNow()
    const within = (atMs: number, ms: number) => now.getTime() - atMs < ms
    const sure = new Set<string>()
    const possible = new Set<string>()
    const note = (key: string, isSure: boolean, isPossible: boolean) => {
      if (isSure) sure.add(key)
      if (isPossible) possible.add(key)
    }
    for (const [host, { license, fingerprint, returnedMs }] of this.#hosts) {
      if (agents.get(host) === undefined) continue
      const key = conditionKey(license, `fingerprint_collision:${fingerprint}`)
      note(key, within(returnedMs, CLONE_MS - LOOK_MS), within(returnedMs, CLONE_MS))
    }
    for (const license of new Set(this.#refused.map((each) => each.license))) {
      // Refusals are stored by the minute: the first minute of five counts completely or not at all.
      const [least, most] = [REFUSED_MS - MINUTE_MS - LOOK_MS, REFUSED_MS].map((ms) =>
        this.#countOf(license, (atMs) => within(atMs, ms)),
      ) as [number, number]
      note(conditionKey(license, 'rate_limited_fleet'), least >= ALERTED_REFUSALS, most >= ALERTED_REFUSALS)
    }
    const gap = conditionKey('', 'scheduler_stalled:tick')
    note(gap, within(this.#gapEndMs, GAP_MS - LOOK_MS), within(this.#gapEndMs, GAP_MS))
    return { sure, possible }
  }

  #countOf(license: string, isCounted: (atMs: number) => boolean): number {
    return this.#refused
      .filter((each) => each.license === license && isCounted(each.atMs))
      .reduce((sum, { count }) => sum + count, 0)
  }

  #beat({ licenseId, fingerprint, bootId = '', hostname = '' }: HeartbeatWrite, atMs: number): void {
    const key = conditionKey(licenseId, fingerprint)
    const known = this.#hosts.get(key)
    if (known === undefined) {
      const never = { leftMs: new Map(), returnedMs: Number.NEGATIVE_INFINITY }
      this.#hosts.set(key, { license: licenseId, fingerprint, bootId, hostname, seenMs: atMs, ...never })
      return
    }
    // The last heartbeat of a host never goes back in time.
    known.seenMs = Math.max(known.seenMs, atMs)
    const before = identityOf(known)
    // A field that is not reported keeps its value.
    known.bootId = bootId || known.bootId
    known.hostname = hostname || known.hostname
    const identity = identityOf(known)
    if (before === identity) return
    const leftMs = known.leftMs.get(identity)
    if (leftMs !== undefined && known.seenMs - leftMs <= CLONE_MS) known.returnedMs = known.seenMs
    known.leftMs.set(before, known.seenMs)
  }

  #note(license: string, count: number, atMs: number): void {
    this.#refused.push({ license, count, atMs })
    this.#refusedStored += count
    const detail = () => `${this.#refusedNow()} requests were refused, ${this.#refusedStored} were counted`
    this.#verdict.expect(
      this.#refusedStored <= this.#refusedNow(),
      'a refused request is counted once',
      detail,
    )
  }

  #evaluated(atMs: number): void {
    const before = this.#evaluatedMs ?? atMs
    if (atMs - before > STALL_MS) this.#gapEndMs = atMs
    this.#evaluatedMs = Math.max(before, atMs)
  }
}
