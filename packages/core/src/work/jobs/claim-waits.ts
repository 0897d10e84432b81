import { RecentMap } from '../../kernel/recent-map.ts'
import type { Base } from '../../platform/base.ts'
import { type Hearer, LOOK_MS, type Signal, type SignalSource } from '../../platform/signals/signal.ts'
import type { JobKind } from './job.ts'
import type { LeaseAnswer, WaitedQueue } from './jobs-store.ts'

/** Longest wait that a host may ask for, in seconds. */
export const MAX_CLAIM_WAIT_SECONDS = 50
/** Hosts of one license that may wait at once. */
const MAX_OF_LICENSE = 1000
/** Hosts that may wait at one process. */
const MAX_OF_PROCESS = 20_000
/** How long a session that was opened while its host asked for nothing is remembered, in milliseconds. */
const REMEMBERED_MS = LOOK_MS

/** A host that is about to wait. */
export interface WaitingHost {
  readonly licenseId: string
  readonly fingerprint: string
  /** Kinds of jobs that it runs; undefined: all. */
  readonly kinds: readonly JobKind[] | undefined
}

/**
 * The reason why a wait ended: there may be a job, something about the host changed, or a session waits for
 * it. `over`: the time is over, another request took its place, the host has left, or the process drains.
 */
export type WaitEnd = 'job' | 'host' | 'access' | 'over'

/** How long a host waits for work. */
export interface ClaimWait {
  readonly seconds: number
  /** Aborted when the host has left. */
  readonly gone: AbortSignal
}

/** The answer to a host that waits for work. */
export interface WaitedAnswer extends LeaseAnswer {
  /** How long it has waited, in milliseconds; undefined when it was not let wait. */
  readonly waitedMs: number | undefined
  /** Whether a session waits for it. */
  readonly hasSession: boolean
}

/** The addition to the answer of a host that may not wait. */
export const NOT_WAITED = { waitedMs: undefined, hasSession: false } as const

/** Dependencies of `ClaimWaits`. */
export interface ClaimWaitsParts extends Pick<Base, 'storage' | 'clock' | 'timers'> {
  readonly signals: SignalSource
  /** Aborted when nobody shall wait any more. */
  readonly draining: AbortSignal
}

const keyOf = (licenseId: string, fingerprint: string): string => `${licenseId} ${fingerprint}`

type JobSignal = Signal & { readonly kind: 'job' }

/** The place of one host that waits. News that comes while it asks for work stays for its next wait. */
export class Seat {
  readonly host: WaitingHost
  /** A drained host is told of no job. */
  isDrained = false
  #job: JobSignal | undefined
  #news: 'host' | 'access' | undefined
  #isOver = false
  #wake: (() => void) | undefined

  constructor(host: WaitingHost) {
    this.host = host
  }

  /** The job that it was told of and has not looked for. */
  get job(): JobSignal | undefined {
    return this.#job
  }

  tell(what: JobSignal | 'host' | 'access'): void {
    if (typeof what === 'object') this.#job = what
    // A session is news that no look at the jobs finds out.
    else if (this.#news !== 'access') this.#news = what
    this.#wake?.()
  }

  /** Ends its wait for good. */
  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  /** Returns the reason to end a wait, and forgets it; undefined when there is none. */
  take(): WaitEnd | undefined {
    const told = this.#news ?? (this.#job === undefined ? undefined : 'job')
    // A wait that ends for a session asks for no job: another host is told of it then.
    if (this.#news !== 'access') this.#job = undefined
    this.#news = undefined
    return told ?? (this.#isOver ? 'over' : undefined)
  }

  /** Calls `wake` when there is something to take; at once if there is already. */
  onWake(wake: () => void): void {
    this.#wake = wake
    if (this.#news !== undefined || this.#job !== undefined || this.#isOver) wake()
  }
}

/**
 * Hosts that wait for work. A job wakes one host that may take it, the one that has waited longest, so that
 * a burst of jobs wakes as many hosts as there are jobs. A host that waits costs no statement until then, but
 * for its share of one look at all queues.
 */
export class ClaimWaits implements Hearer {
  readonly #parts: ClaimWaitsParts
  readonly #seats = new Map<string, Map<string, Seat>>()
  readonly #sessions = new RecentMap<number>()
  #count = 0

  constructor(parts: ClaimWaitsParts) {
    this.#parts = parts
    parts.signals.join(this)
    parts.draining.addEventListener('abort', () => {
      for (const seats of this.#seats.values()) for (const seat of seats.values()) seat.end()
    })
  }

  /** The number of hosts that wait. */
  get size(): number {
    return this.#count
  }

  get isWaiting(): boolean {
    return this.#count > 0
  }

  /**
   * Takes a place for a host before it asks for work, so that no signal is missed between. An earlier request
   * of the same host ends. Undefined when there is no room, or the process drains.
   */
  enter(host: WaitingHost): Seat | undefined {
    const { licenseId, fingerprint } = host
    const seats = this.#seats.get(licenseId) ?? new Map<string, Seat>()
    const earlier = seats.get(fingerprint)
    if (earlier !== undefined) this.#remove(earlier)
    earlier?.end()
    if (this.#parts.draining.aborted || seats.size >= MAX_OF_LICENSE || this.#count >= MAX_OF_PROCESS) return
    const seat = new Seat(host)
    this.#seats.set(licenseId, seats.set(fingerprint, seat))
    this.#count += 1
    if (this.#isExpected(keyOf(licenseId, fingerprint))) seat.tell('access')
    return seat
  }

  /**
   * Asks for work with `claim` until there is some, or something else to tell the host: a job to stop, a
   * session, that it is drained or no longer is. Asks once when the host may not wait.
   */
  async waited(
    host: WaitingHost,
    { seconds, gone }: ClaimWait,
    claim: () => Promise<LeaseAnswer>,
  ): Promise<WaitedAnswer> {
    const seat = this.enter(host)
    if (seat === undefined) return { ...(await claim()), ...NOT_WAITED }
    try {
      const end = this.#now + 1000 * seconds
      let waitedMs = 0
      let answer = await claim()
      // Jobs to stop are told at once: whether the host knows of them already, nobody can say here.
      if (answer.job !== undefined) return { ...answer, waitedMs, hasSession: false }
      if (answer.cancel.length > 0) return { ...answer, ...NOT_WAITED }
      const { drained } = answer
      seat.isDrained = drained
      for (;;) {
        const startMs = this.#now
        const why = await this.wait(seat, end - startMs, gone)
        waitedMs += this.#now - startMs
        if (why === 'job' || why === 'host') answer = await claim()
        const isNews = answer.job !== undefined || answer.cancel.length > 0 || answer.drained !== drained
        if (isNews || why === 'access' || why === 'over')
          return { ...answer, waitedMs, hasSession: why === 'access' }
      }
    } finally {
      this.leave(seat)
    }
  }

  /** Waits until there is something for the host, `ms` have passed, or `gone` is aborted. */
  async wait(seat: Seat, ms: number, gone: AbortSignal): Promise<WaitEnd> {
    this.#parts.signals.begin()
    const over = new AbortController()
    const wake = () => over.abort()
    gone.addEventListener('abort', wake)
    seat.onWake(wake)
    if (!gone.aborted) await this.#parts.timers.pause(Math.max(0, ms), over.signal)
    gone.removeEventListener('abort', wake)
    // A host that has left takes nothing: the next one is told when it leaves its place.
    return gone.aborted ? 'over' : (seat.take() ?? 'over')
  }

  /** Gives up a place. A job that this host was told of and has not looked for is told to another. */
  leave(seat: Seat): void {
    this.#remove(seat)
    const { job } = seat
    if (job !== undefined) this.hear(job)
    const { licenseId, fingerprint } = seat.host
    if (seat.take() === 'access') this.#sessions.set(keyOf(licenseId, fingerprint), this.#now)
  }

  hear(signal: Signal): void {
    if (signal.kind === 'job') this.#hearJob(signal)
    else if (signal.kind !== 'echo') {
      const { kind, licenseId, fingerprint } = signal
      const seat = this.#seats.get(licenseId)?.get(fingerprint)
      if (seat !== undefined) seat.tell(kind)
      else if (kind === 'access') this.#sessions.set(keyOf(licenseId, fingerprint), this.#now)
    }
  }

  /** Looks for jobs that are due until the next look: a signal may be missed, and time alone sends none. */
  async look(): Promise<readonly Signal[]> {
    const { storage, clock } = this.#parts
    const found = await storage.jobs.upcoming(this.#queues(), LOOK_MS / 1000, clock.statementTime())
    return found.map(({ kind, ...job }) => ({ kind: 'job', jobKind: kind, ...job }))
  }

  #hearJob(signal: JobSignal): void {
    const { licenseId, target, jobKind, inMs } = signal
    const seats = this.#seats.get(licenseId)
    if (seats === undefined) return
    if (inMs > 0) {
      if (inMs <= LOOK_MS) void this.#hearLater(signal)
      return
    }
    const mayTake = ({ host: { kinds }, isDrained, job }: Seat) =>
      !isDrained && job === undefined && (kinds === undefined || kinds.some((kind) => kind === jobKind))
    const seat = target === '' ? [...seats.values()].find(mayTake) : seats.get(target)
    if (seat !== undefined && mayTake(seat)) seat.tell(signal)
  }

  async #hearLater(signal: JobSignal): Promise<void> {
    const { timers, draining } = this.#parts
    await timers.pause(signal.inMs, draining)
    this.hear({ ...signal, inMs: 0 })
  }

  /** One queue of each host that waits, and one that hosts of a license with the same kinds share. */
  #queues(): readonly WaitedQueue[] {
    const queues: WaitedQueue[] = []
    for (const [licenseId, seats] of this.#seats) {
      const open = [...seats.values()].filter(({ isDrained, host }) => !isDrained && host.kinds?.length !== 0)
      for (const { host } of open)
        queues.push({ licenseId, target: host.fingerprint, kinds: host.kinds, most: 1 })
      for (const alike of Map.groupBy(open, ({ host }) => host.kinds?.join(' ')).values())
        queues.push({ licenseId, target: '', kinds: alike[0]?.host.kinds, most: alike.length })
    }
    return queues
  }

  #remove(seat: Seat): void {
    const { licenseId, fingerprint } = seat.host
    const seats = this.#seats.get(licenseId)
    if (seats?.get(fingerprint) !== seat) return
    seats.delete(fingerprint)
    if (seats.size === 0) this.#seats.delete(licenseId)
    this.#count -= 1
  }

  get #now(): number {
    return this.#parts.timers.elapsedMs()
  }

  #isExpected(key: string): boolean {
    const at = this.#sessions.get(key)
    if (at !== undefined) this.#sessions.delete(key)
    return at !== undefined && this.#now - at < REMEMBERED_MS
  }
}
