import { present } from '../../kernel/present.ts'
import type { Base } from '../../platform/base.ts'
import { fits } from '../../platform/dns/dns-answer.ts'
import type { DnsBatch, DnsClient } from '../../platform/dns/dns-client.ts'
import { MAX_RESOLVERS, type Monitor } from './monitor.ts'
import {
  combine,
  isDifference,
  type Judgement,
  judge,
  nextRunSeconds,
  type Observation,
  type RunOutcome,
  type TransitionKind,
} from './monitor-run.ts'

/** Dependencies of `MonitorRuns`. */
export interface MonitorRunsParts extends Pick<Base, 'storage' | 'clock' | 'ids'> {
  readonly dns: DnsClient
  /** Resolvers for monitors without their own. Empty: the system's resolvers. */
  readonly dnsServers: readonly string[]
}

/** A state change of a monitor by a run, reported once. */
export interface Transition {
  readonly kind: TransitionKind
  /** The monitor after the run. */
  readonly monitor: Monitor
}

/** One run that was claimed and finished here. */
export interface FinishedRun {
  readonly monitor: Monitor
  readonly outcome: RunOutcome
  readonly changed: boolean
  readonly transitions: readonly Transition[]
}

/** Result of a run over the due monitors (docs/monitors.md). */
export interface MonitorRunResult {
  /** Number of monitors that this call claimed and finished. */
  readonly ran: number
  /** Number of monitors whose confirmed answer differs from the previous one, recovery included. */
  readonly changed: number
  readonly transitions: readonly Transition[]
}

/** Result of one query, and whether it is as expected; undefined without an answer or an expectation. */
export interface Inspection {
  readonly observation: Observation
  readonly asExpected: boolean | undefined
}

/**
 * Longer than two questions to a silent server, so that no other replica takes the monitor while its run
 * still waits.
 */
const LEASE_SECONDS = 60
const AT_ONCE = 100
const JITTER_BYTES = 4

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

// Writes results one after another: a hundred at once would take every connection of the pool, and hosts and
// operators would wait. After a failed write the rest is not tried, since each would wait for its own
// timeout.
function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>) => {
    const done = last.then(work)
    last = done
    return done
  }
}

/**
 * Runs monitors: takes them under a lease, queries the resolvers, judges the answers, and writes the result.
 * No transaction is open during the queries.
 */
export class MonitorRuns {
  readonly #parts: MonitorRunsParts

  constructor(parts: MonitorRunsParts) {
    this.#parts = parts
  }

  /**
   * Runs each due monitor once. When `signal` aborts, unfinished monitors are released and stay due. Safe
   * beside other runs, here and on other replicas. Errors of the storage are thrown.
   */
  async due(signal?: AbortSignal): Promise<readonly FinishedRun[]> {
    const finished: FinishedRun[] = []
    while (signal?.aborted !== true) {
      const { taken, runs } = await this.#take(AT_ONCE, undefined, signal)
      finished.push(...runs)
      if (taken < AT_ONCE) break
    }
    return finished
  }

  /**
   * Runs one monitor now, due or not. Returns undefined if the monitor is paused, gone, already running, or
   * was changed during the run.
   */
  async one(id: string): Promise<FinishedRun | undefined> {
    return (await this.#take(1, id, undefined)).runs[0]
  }

  /** Queries the resolvers once and writes nothing. */
  async inspect(monitor: Monitor): Promise<Inspection> {
    const observation = await this.#ask(this.#parts.dns.batch(), monitor)
    const { type, match, expected } = monitor
    const { answer } = observation
    const asExpected =
      answer === undefined || expected === undefined ? undefined : fits(type, match, expected, answer)
    return { observation, asExpected }
  }

  async #take(
    limit: number,
    id: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ taken: number; runs: FinishedRun[] }> {
    const { storage, clock, ids, dns } = this.#parts
    const token = ids.next('mrn')
    const request = { token, limit, leaseSeconds: LEASE_SECONDS, ...present('id', id) }
    const monitors = await storage.monitors.takeDue(request, clock.statementTime())
    if (monitors.length === 0) return { taken: 0, runs: [] }
    const batch = dns.batch()
    const giveUp = () => batch.cancel()
    signal?.addEventListener('abort', giveUp, { once: true })
    const inTurn = oneByOne()
    try {
      const ends = await Promise.allSettled(
        monitors.map((monitor) => this.#run({ monitor, token, batch, signal, inTurn })),
      )
      const runs = ends.map((end) => {
        if (end.status === 'rejected') throw end.reason
        return end.value
      })
      return { taken: monitors.length, runs: runs.filter((run) => run !== undefined) }
    } finally {
      signal?.removeEventListener('abort', giveUp)
      // Settled monitors have lost this token, so only unfinished ones are released.
      await storage.monitors.release(token)
    }
  }

  async #run(parts: {
    monitor: Monitor
    token: string
    batch: DnsBatch
    signal: AbortSignal | undefined
    inTurn: InTurn
  }): Promise<FinishedRun | undefined> {
    const { monitor, token, batch, signal, inTurn } = parts
    const first = await this.#ask(batch, monitor)
    if (signal?.aborted) return undefined
    const second = isDifference(monitor, first) ? await this.#ask(batch, monitor) : undefined
    if (signal?.aborted) return undefined
    return inTurn(() => this.#settle(monitor, token, judge(monitor, first, second)))
  }

  async #settle(monitor: Monitor, token: string, judgement: Judgement): Promise<FinishedRun | undefined> {
    const { storage, clock } = this.#parts
    const delaySeconds = nextRunSeconds(monitor.intervalSeconds, judgement.after.pending, this.#unit())
    const settlement = { id: monitor.id, token, judgement, delaySeconds }
    const after = await storage.monitors.settle(settlement, clock.statementTime())
    if (after === undefined) return undefined
    const { outcome, changed } = judgement
    const transitions = judgement.transitions.map((kind) => ({ kind, monitor: after }))
    return { monitor: after, outcome, changed, transitions }
  }

  async #ask(batch: DnsBatch, { host, type, resolvers }: Monitor): Promise<Observation> {
    const servers = this.#servers(resolvers)
    return combine(type, await Promise.all(servers.map((server) => batch.ask({ server, host, type }))))
  }

  #servers(own: readonly string[]): readonly string[] {
    const { dns, dnsServers } = this.#parts
    if (own.length > 0) return own
    return (dnsServers.length > 0 ? dnsServers : dns.systemServers()).slice(0, MAX_RESOLVERS)
  }

  #unit(): number {
    return Buffer.from(this.#parts.ids.secret(JITTER_BYTES), 'base64url').readUInt32BE() / 2 ** 32
  }
}
