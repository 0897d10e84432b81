import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../../packages/testing/src/simulator/random.ts'
import type { Journal } from '../journal.ts'
import type { IssuedLicense } from '../names.ts'
import { operate } from './control.ts'
import type { Row } from './database.ts'

/**
 * When a license may or must have been suspended, in unix milliseconds; what was never answered is absent.
 */
export interface Barring {
  readonly license: string
  readonly asked: number
  since?: number
  lifting?: number
  lifted?: number
}

/** What an operator works with. */
export interface OperatorParts {
  readonly random: Random
  readonly journal: Journal
  readonly queued: number
  /** Control sockets of the replicas that are at work. */
  readonly sockets: () => readonly string[]
}

const RECENT = 200
const FILL_MS = 250
const AT_ONCE = 6
const RETRY_MS = 100
const NEVER_MS = 8.64e15
const MOST_TRIES = 100
/** Enough that jobs survive some lost hosts, few enough that some do not. */
const MAX_ATTEMPTS = 6

/** Does what an operator does, through the control sockets: gives work, cancels it, bars licenses. */
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

  /**
   * Issues licenses that get work, and some that get none and will be revoked, while nothing is broken yet.
   */
  async issueAll(working: number, doomed: number): Promise<readonly IssuedLicense[]> {
    this.#licenses = await this.#issue(working)
    this.#doomed = await this.#issue(doomed)
    return [...this.#licenses, ...this.#doomed]
  }

  /** Keeps work waiting for every license until `rest`. */
  async fill(): Promise<void> {
    while (this.#isFilling) {
      const missing = await this.#missing()
      for (let at = 0; at < missing.length && this.#isFilling; at += AT_ONCE)
        await Promise.all(missing.slice(at, at + AT_ONCE).map((license) => this.enqueue(license)))
      await pause(FILL_MS)
    }
  }

  /** Gives no more work. */
  rest(): void {
    this.#isFilling = false
  }

  /** Gives a license a job; its id, when that was acknowledged. */
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

  /** Gives every license one job ahead of all others, for as long as it may take; their ids. */
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

  /** Cancels one of the newer jobs. */
  async cancel(): Promise<void> {
    if (this.#recent.length > 0)
      await this.#once('jobs.cancel', { job: this.#parts.random.pick(this.#recent) })
  }

  /** Ends a license for good; undefined when none is left to be ended. */
  revoke(): Promise<void> | undefined {
    const license = this.#doomed.shift()
    return license === undefined ? undefined : this.#end(license.id)
  }

  /**
   * Bars one license for so long. One of whose commands no answer came is left alone: it may still come to
   * pass.
   */
  suspend(milliseconds: number): Promise<void> | undefined {
    const { id } = this.#parts.random.pick(this.#licenses)
    return this.#barred.has(id) || this.#doubtful.has(id) ? undefined : this.#bar(id, milliseconds)
  }

  /** Lifts what commands that came late have barred. */
  async reinstateAll(): Promise<void> {
    for (const license of this.#doubtful) await this.#once('licenses.reinstate', { license })
  }

  /** Whether every job has ended; undefined when nobody says. */
  async isIdle(): Promise<boolean | undefined> {
    for (const state of ['pending', 'claimed', 'running']) {
      const answer = await this.#once('jobs.list', { state, limit: 1 })
      if (answer === undefined) return undefined
      if ((answer.jobs as readonly unknown[]).length > 0) return false
    }
    return true
  }

  /** Runs an operation until somebody answers. */
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
      // What is left barred is lifted while the queue drains.
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
