import { WorkRun } from './agent-work.ts'
import type { AgentProgram, SimulatedHost } from './host.ts'
import type { Random } from './random.ts'
import type { WireAnswer } from './wire.ts'

/** How a simulated agent behaves. */
export interface AgentHabits {
  /** Seconds between two claims while the agent is idle. */
  readonly claimSeconds: number
  /** Seconds of the longest step of a job. */
  readonly stepSeconds: number
  /** Whether it leaves out `attempt` and `offset`, as the plain contract allows. */
  readonly sloppy: boolean
  /** Whether it sends idempotency keys; agents that are not sloppy always do. */
  readonly keyed: boolean
  /** Whether some steps of a job last longer than a lease. */
  readonly slowSteps: () => boolean
  readonly leaseSeconds: number
}

/** A job that an agent remembers across a crash. */
export interface RememberedJob {
  readonly id: string
  readonly attempt: number
}

const ACTIVATE_PATH = '/v1/license/activate'
const HEARTBEAT_PATH = '/v1/telemetry/heartbeat'
const CLAIM_PATH = '/v1/jobs/claim'

/** Returns an agent that keeps to the wire contract: activate, heartbeat, claim, work, report. */
export const simulatedAgent =
  (habits: AgentHabits): AgentProgram =>
  (host) =>
    new AgentRun(host, habits).run()

/** Kinds of the jobs of the workload. */
const KINDS = ['deploy', 'stop', 'prune', 'db']

// Drawn for each claim, so that a job which one claim passes over is handed out by a later one.
const workOf = (random: Random): Readonly<Record<string, unknown>> =>
  random.chance(0.75) ? {} : { kinds: KINDS.filter(() => random.chance(0.75)), concurrency: 1 }

/** One run of the agent, from start to crash. */
class AgentRun {
  readonly #host: SimulatedHost
  readonly #habits: AgentHabits
  /** The job under way. */
  #job: RememberedJob | undefined
  readonly #cancelled = new Set<string>()

  constructor(host: SimulatedHost, habits: AgentHabits) {
    this.#host = host
    this.#habits = habits
  }

  async run(): Promise<void> {
    const { fingerprint, hostname, random } = this.#host
    await this.#host.sleep(2000 * random.fraction())
    await this.#host.request(ACTIVATE_PATH, { hostname, fingerprint })
    await Promise.all([this.#beat(), this.#work()])
  }

  async #beat(): Promise<never> {
    const { fingerprint, hostname, random } = this.#host
    const bootId = String(random.next())
    for (;;) {
      const job = this.#habits.sloppy ? undefined : this.#job
      const jobs = job === undefined ? {} : { jobs: [{ id: job.id, attempt: job.attempt }] }
      const facts = { fingerprint, hostname, version: '1.0.0', state: 'ready', boot_id: bootId }
      this.#hear(await this.#host.request(HEARTBEAT_PATH, { ...facts, ...jobs }))
      await this.#host.sleep(1000 * this.#habits.claimSeconds * (1 + random.fraction()))
    }
  }

  async #work(): Promise<never> {
    const { disk, random } = this.#host
    for (;;) {
      const job = (disk.get('job') as RememberedJob | undefined) ?? (await this.#claim())
      if (job === undefined) {
        await this.#host.sleep(1000 * this.#habits.claimSeconds * (0.5 + random.fraction() / 2))
        continue
      }
      this.#job = job
      disk.set('job', job)
      await new WorkRun(this.#host, this.#habits, job, () => this.#cancelled.has(job.id)).run()
      disk.delete('job')
      this.#job = undefined
    }
  }

  /** Claims under the same key until an answer arrives, so that a lost answer is repeated. */
  async #claim(): Promise<RememberedJob | undefined> {
    const { disk, fingerprint, random } = this.#host
    const { sloppy, keyed } = this.#habits
    const key = sloppy && !keyed ? undefined : (disk.get('claim') ?? `${fingerprint}.${random.next()}`)
    if (key !== undefined) disk.set('claim', key)
    const work = sloppy ? {} : workOf(random)
    const answer = await this.#host.request(CLAIM_PATH, { fingerprint, ...work }, key as string | undefined)
    this.#hear(answer)
    if (answer?.status !== 200 && answer?.status !== 204) return undefined
    disk.delete('claim')
    return answer.status === 200 ? (answer.body.job as RememberedJob) : undefined
  }

  #hear(answer: WireAnswer | undefined): void {
    const ids = answer?.headers['Svc-Cancel']
    for (const id of ids?.split(',') ?? []) this.#cancelled.add(id)
  }
}
