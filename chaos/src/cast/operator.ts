import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../../packages/testing/src/simulator/random.ts'
import type { Journal } from '../journal.ts'
import type { IssuedLicense } from '../names.ts'
import { operate } from './control.ts'
import type { Row } from './database.ts'

/**
 * The period when a license may or must have been suspended, in unix milliseconds: when the suspension was
 * sent and answered (`asked`, `since`), and then its end (`lifting`, `lifted`). The time of a missing answer
 * is absent.
 */
export interface Barring {
  readonly license: string
  readonly asked: number
  since?: number
  lifting?: number
  lifted?: number
}

/** Inputs of an operator. */
export interface OperatorParts {
  readonly random: Random
  readonly journal: Journal
  readonly queued: number
  /** Returns the control sockets of the replicas that are up. */
  readonly sockets: () => readonly string[]
}

const RECENT = 200
const FILL_MS = 250
const AT_ONCE = 6
const RETRY_MS = 100
const NEVER_MS = 8.64e15
const MOST_TRIES = 100
/** Enough for most jobs to survive lost hosts, few enough for some to fail. */
const MAX_ATTEMPTS = 6

/**
 * An operator, who enqueues and cancels jobs and suspends and revokes licenses through the control sockets.
 */
export class Operator {
  readonly barrings: Barring[] = []
  readonly #parts: OperatorParts
  #licenses: readonly IssuedLicense[] = []
  #doomed: IssuedLicense[] = []
  readonly #recent: string[] = []
  readonly #doubtful = new Set<string>()
  readonly #barred = new Set<string>()
  #isFilling = true
  enqueued = 0

  constructor(parts: OperatorParts) {
    this.#parts = parts
  }

  /** Issues `working` licenses that get jobs and `doomed` ones to revoke. Runs before any fault. */
  async issueAll(working: number, doomed: number): Promise<readonly IssuedLicense[]> {
    this.#licenses = await this.#issue(working)
    this.#doomed = await this.#issue(doomed)
    return [...this.#licenses, ...this.#doomed]
  }

  /** Has the jobs of a license told to an endpoint. Runs before any fault. */
  async tell(license: string, url: string): Promise<void> {
    const has = async () => {
      const answer = await this.#once('webhooks.list', { license })
      return ((answer?.endpoints ?? []) as readonly unknown[]).length > 0
    }
    // An endpoint whose answer was late is there, and is refused the second time.
    while ((await this.#once('webhooks.add', { license, url, events: ['job.*'] })) === undefined) {
      if (await has()) return
      await pause(RETRY_MS)
    }
  }

  /** Keeps the queue of every license filled until `rest`. */
  async fill(): Promise<void> {
    while (this.#isFilling) {
      const missing = await this.#missing()
      for (let at = 0; at < missing.length && this.#isFilling; at += AT_ONCE)
        await Promise.all(missing.slice(at, at + AT_ONCE).map((license) => this.enqueue(license)))
      await pause(FILL_MS)
    }
  }

  /** Stops filling the queues. */
  rest(): void {
    this.#isFilling = false
  }

  /** Enqueues a job for a license. Returns its id; undefined if no answer acknowledged it. */
  async enqueue(license: string, urgent = false): Promise<string | undefined> {
    const sent = Date.now()
    const input = { kind: 'prune', license, urgent, max_attempts: MAX_ATTEMPTS }
    const answer = await this.#once('jobs.enqueue', input)
    if (answer === undefined) return undefined
    const { id } = answer.job as { id: string }
    this.#parts.journal.write({ kind: 'enqueue', license, job: id, sent, got: Date.now() })
    this.enqueued += 1
    this.#recent.push(id)
    if (this.#recent.length > RECENT) this.#recent.shift()
    return id
  }

  /** Enqueues one urgent job for every license, with retries until `over`. Returns their ids. */
  async probe(over: AbortSignal): Promise<readonly string[]> {
    const probes = this.#licenses.map(async ({ id }) => {
      for (; !over.aborted; await pause(RETRY_MS)) {
        const job = await this.enqueue(id, true)
        if (job !== undefined) return [job]
      }
      return []
    })
    return (await Promise.all(probes)).flat()
  }

  /** Cancels one of the 200 newest jobs. */
  async cancel(): Promise<void> {
    if (this.#recent.length > 0)
      await this.#once('jobs.cancel', { job: this.#parts.random.pick(this.#recent) })
  }

  /** Revokes a doomed license; undefined when none is left. */
  revoke(): Promise<void> | undefined {
    const license = this.#doomed.shift()
    return license === undefined ? undefined : this.#end(license.id)
  }

  /**
   * Suspends a random license for this time. Returns undefined if that license is suspended already, or if an
   * earlier command for it was never answered: such a command may still take effect.
   */
  suspend(milliseconds: number): Promise<void> | undefined {
    const { id } = this.#parts.random.pick(this.#licenses)
    return this.#barred.has(id) || this.#doubtful.has(id) ? undefined : this.#bar(id, milliseconds)
  }

  /** Reinstates every license with a command that was never answered. */
  async reinstateAll(): Promise<void> {
    for (const license of this.#doubtful) await this.#once('licenses.reinstate', { license })
  }

  /** Returns whether every job has ended; undefined if no replica answers. */
  async isIdle(): Promise<boolean | undefined> {
    for (const state of ['pending', 'claimed', 'running']) {
      const answer = await this.#once('jobs.list', { state, limit: 1 })
      if (answer === undefined) return undefined
      if ((answer.jobs as readonly unknown[]).length > 0) return false
    }
    return true
  }

  /** Repeats an operation until a replica answers. */
  async insist(name: string, input: object): Promise<Row> {
    for (;;) {
      const answer = await this.#once(name, input)
      if (answer !== undefined) return answer
      await pause(RETRY_MS)
    }
  }

  async #bar(id: string, milliseconds: number): Promise<void> {
    this.#barred.add(id)
    const barring: Barring = { license: id, asked: Date.now() }
    this.barrings.push(barring)
    if ((await this.#once('licenses.suspend', { license: id })) === undefined) this.#doubtful.add(id)
    else barring.since = Date.now()
    await pause(milliseconds)
    barring.lifting = Date.now()
    for (let tries = 0; (await this.#once('licenses.reinstate', { license: id })) === undefined; tries += 1) {
      this.#doubtful.add(id)
      // `reinstateAll` retries while the queue drains.
      if (tries === MOST_TRIES) break
      await pause(RETRY_MS)
    }
    if (!this.#doubtful.has(id)) barring.lifted = Date.now()
    this.#barred.delete(id)
  }

  async #issue(count: number): Promise<IssuedLicense[]> {
    const issued: IssuedLicense[] = []
    for (let number = 0; number < count; number += 1) {
      const { license, key } = (await this.insist('licenses.issue', { label: `chaos ${number}` })) as {
        license: { id: string }
        key: string
      }
      issued.push({ id: license.id, key })
    }
    return issued
  }

  async #end(license: string): Promise<void> {
    const barring: Barring = { license, asked: Date.now(), lifting: NEVER_MS }
    this.barrings.push(barring)
    if ((await this.#once('licenses.revoke', { license })) !== undefined) barring.since = Date.now()
  }

  async #missing(): Promise<readonly string[]> {
    const answer = await this.#once('jobs.list', { state: 'pending', limit: 1000 })
    if (answer === undefined) return []
    const waiting = new Map<string, number>()
    for (const { license_id } of answer.jobs as readonly { license_id: string }[])
      waiting.set(license_id, (waiting.get(license_id) ?? 0) + 1)
    return this.#licenses.flatMap(({ id }) =>
      new Array<string>(Math.max(0, this.#parts.queued - (waiting.get(id) ?? 0))).fill(id),
    )
  }

  async #once(name: string, input: object): Promise<Row | undefined> {
    const sockets = this.#parts.sockets()
    return sockets.length === 0 ? undefined : operate(this.#parts.random.pick(sockets), name, input)
  }
}
