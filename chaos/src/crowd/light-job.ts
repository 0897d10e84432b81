import { pause } from '../../../packages/cli/src/agent/pause.ts'
import type { Answer } from '../../../packages/cli/src/connect/http-client.ts'
import { type Host, lineText, signature } from '../names.ts'
import type { Crowd } from './crowd.ts'
import type { Wire } from './wire.ts'

/** Inputs of an attempt at a job. */
export interface LightJobParts {
  readonly crowd: Crowd
  readonly host: Host
  readonly wire: Wire
  readonly job: string
  readonly attempt: number
}

type Word = 'running' | 'succeeded' | 'failed' | 'pending'
/** The control plane's answer to a write: go on, stop because the job was cancelled, or the lease is lost. */
type Heard = 'on' | 'cancelled' | 'gone'

const LATE = 0.5
const CONTRADICTED = 0.1
const GIVEN_BACK = 0.08
const BY_KEY = 0.3
/** A long pause exceeds the lease by up to this share of the lease. */
const BEYOND = 1.2

/** One attempt at a job: `running`, lines, an end. Each step is repeated until it is answered. */
export class LightJob {
  readonly #parts: LightJobParts
  readonly #byKey: boolean
  #next = 0

  constructor(parts: LightJobParts) {
    this.#parts = parts
    this.#byKey = parts.crowd.random.chance(BY_KEY)
  }

  /** The entry for this job in a heartbeat. */
  get owned(): { readonly id: string; readonly attempt: number } {
    return { id: this.#parts.job, attempt: this.#parts.attempt }
  }

  /** Works until the job ends, until an answer says that the lease is lost, or until it forgets the job. */
  async run(): Promise<void> {
    const { crowd } = this.#parts
    const { logRequests, amnesia } = crowd.orders.profile
    let heard = await this.#step(() => this.#report('running'))
    for (let left = crowd.random.between(...logRequests); left > 0 && heard === 'on'; left -= 1) {
      if (crowd.errs(amnesia)) return
      heard = await this.#step(() => this.#say())
    }
    if (heard === 'gone') return this.#writeLate()
    const word = this.#lastWord(heard)
    const last = await this.#step(() => this.#report(word))
    if (last !== 'gone' && word !== 'pending' && crowd.errs(CONTRADICTED))
      await this.#report(word === 'failed' ? 'succeeded' : 'failed')
  }

  #lastWord(heard: Heard): Word {
    const { random, isWild } = this.#parts.crowd
    if (heard === 'cancelled') return random.chance(0.5) ? 'pending' : 'failed'
    if (isWild && random.chance(GIVEN_BACK)) return 'pending'
    return random.chance(0.8) ? 'succeeded' : 'failed'
  }

  /** Writes a line or an end although the lease is lost, like an agent that has not noticed. */
  async #writeLate(): Promise<void> {
    const { crowd } = this.#parts
    if (crowd.errs(LATE)) await this.#say()
    if (crowd.errs(LATE)) await this.#report('succeeded')
  }

  async #step(work: () => Promise<Heard>): Promise<Heard> {
    const { crowd } = this.#parts
    const { random, isWild, over, orders } = crowd
    const { pause: span, longPause } = orders.profile
    const share = crowd.errs(longPause)
      ? 1 + random.fraction() * BEYOND
      : span[0] + random.fraction() * (span[1] - span[0])
    if (isWild && !(await pause(orders.leaseMs * share, over.signal))) return 'gone'
    return work()
  }

  async #report(state: Word): Promise<Heard> {
    const { wire, host, job, attempt, crowd } = this.#parts
    const { fingerprint, licenseId: license } = host
    const isEnd = state === 'succeeded' || state === 'failed'
    const answer = await wire.insist({
      path: `/v1/jobs/${job}/status`,
      body: {
        fingerprint,
        attempt,
        state,
        ...(isEnd ? { exit_code: signature(host, attempt), error: `said ${state}` } : {}),
      },
      heard: ({ status, header }, sent, got) => {
        if (status !== 200) return
        const told = header('svc-job-state')
        const stands = told === undefined || told === 'canceling' ? state : told
        const entry = { host: fingerprint, license, job, attempt, state: stands, sent, got }
        crowd.acknowledge({ kind: 'status', ...entry })
      },
    })
    return heardIn(answer)
  }

  /** Sends the next lines with their offset, or under an idempotency key that a repetition repeats. */
  async #say(): Promise<Heard> {
    const { wire, host, job, attempt, crowd } = this.#parts
    const { fingerprint } = host
    const first = this.#next
    const count = crowd.random.between(...crowd.orders.profile.linesPerRequest)
    const lines = Array.from({ length: count }, (_, index) => ({
      ts: attempt,
      line: lineText(fingerprint, job, attempt, first + index),
    }))
    const answer = await wire.insist({
      path: `/v1/jobs/${job}/logs`,
      body: { fingerprint, attempt, lines, ...(this.#byKey ? {} : { offset: first }) },
      key: this.#byKey ? `${job}.${attempt}.${first}` : undefined,
      heard: (told, sent, got) => this.#hearLines(told, { first, lines: count, sent, got }),
    })
    if (answer.status === 200) this.#next = first + count
    return heardIn(answer)
  }

  #hearLines(answer: Answer, said: { first: number; lines: number; sent: number; got: number }): void {
    if (answer.status !== 200) return
    const { crowd, host, job, attempt } = this.#parts
    const { accepted } = answer.body as { accepted: number }
    const next = Number(answer.header('svc-log-next'))
    if (accepted !== said.lines || next < said.first + said.lines) {
      const evidence = `${job}, attempt ${attempt}: ${said.lines} lines from ${said.first} on, after all before was acknowledged: accepted ${accepted}, next ${next}`
      crowd.breach('I5', evidence)
      return
    }
    const { fingerprint, licenseId: license } = host
    crowd.counts.lines += said.lines
    crowd.acknowledge({ kind: 'lines', host: fingerprint, license, job, attempt, ...said })
  }
}

function heardIn(answer: Answer): Heard {
  if (answer.status !== 200) return 'gone'
  const state = answer.header('svc-job-state')
  return state === 'canceling' ? 'cancelled' : state === undefined ? 'on' : 'gone'
}
