import type { Answer } from '../../connect/http-client.ts'
import { pause, spread } from '../pause.ts'
import { type ClaimedJob, readClaimedJob } from '../run/claimed-job.ts'
import { handledKinds } from '../run/handlers-folder.ts'
import { type JobEnd, type JobParts, JobRun } from '../run/job-run.ts'
import type { RunningJobs } from '../run/running-jobs.ts'
import { WorkFolder, workRoot } from '../run/work-folder.ts'
import type { AgentState } from '../state/agent-state.ts'

/** Longest wait between claims, however full the plane's limits are. */
const SLOWEST_POLL_MS = 60_000

/** Most kinds that a claim may name; a handlers folder has ten or so. */
const MAX_KINDS = 64

/** Asks for work and starts it. One claim at a time, also when several jobs may run. */
export class Claims {
  readonly #parts: JobParts
  readonly #state: AgentState
  readonly #jobs: RunningJobs
  readonly #onEnd: (end: JobEnd) => void
  #pollMs: number
  #failures = 0
  #held = false

  constructor(parts: JobParts, state: AgentState, jobs: RunningJobs, onEnd: (end: JobEnd) => void) {
    this.#parts = parts
    this.#state = state
    this.#jobs = jobs
    this.#onEnd = onEnd
    this.#pollMs = parts.timing.pollMs
  }

  /**
   * Claims until `draining`; a claim under way is waited for, because the plane may already have handed out a
   * job on it. `life` ends that too.
   */
  async run(draining: AbortSignal, life: AbortSignal): Promise<void> {
    const { api, options, own } = this.#parts
    const concurrency = Math.max(1, options.concurrency ?? 1)
    while (!draining.aborted) {
      if (this.#jobs.size >= concurrency) {
        await this.#jobs.oneEnded()
        continue
      }
      // Read each time: an operator may add a handler while the agent runs.
      const kinds = [...new Set([...own.keys(), ...(await handledKinds(options.handlersDir))])].slice(
        0,
        MAX_KINDS,
      )
      const answer = await api.claim(this.#state.intent, { kinds, concurrency }, life)
      this.#jobs.hearCancels(answer.header('svc-cancel'))
      this.#noteHold(answer)
      const job = answer.status === 200 ? readClaimedJob(answer.body) : undefined
      if (job) await this.#take(job, draining)
      else if (answer.status === 200) await this.#state.renewIntent()
      if (options.once && (job || answer.status === 204)) return
      if (!job) await pause(this.#restMs(answer), draining)
    }
  }

  async #take(job: ClaimedJob, draining: AbortSignal): Promise<void> {
    const { log, options } = this.#parts
    const known = this.#jobs.get(job.id)
    if (known && known.job.attempt >= job.attempt) return this.#state.renewIntent()
    // Our own lease on it has passed: the earlier attempt must have ended before the next one begins.
    known?.interrupt('gone')
    await this.#jobs.jobEnded(job.id)
    log.info({ job: job.id, kind: job.kind, attempt: job.attempt }, 'claimed a job')
    try {
      const folder = await WorkFolder.create(workRoot(options), job)
      const run = new JobRun(this.#parts, folder)
      // Not before the folder stands: until then a restarted agent gets the job again under the same intent.
      await this.#state.renewIntent()
      this.#start(run, draining)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      log.error({ job: job.id, code }, 'the work folder of a job could not be made')
      await this.#state.renewIntent()
      await this.#refuse(job, draining)
    }
  }

  #start(run: JobRun, draining: AbortSignal): void {
    const { job } = run
    if (draining.aborted) run.interrupt('given back')
    const ended = run.run().then((end) => {
      this.#parts.log.info({ job: job.id, kind: job.kind, attempt: job.attempt, end }, 'a job ended')
      this.#onEnd(end)
    })
    this.#jobs.add(run, ended)
  }

  async #refuse(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    const { api } = this.#parts
    const report = { state: 'failed', error: 'the agent could not make a work folder for the job' } as const
    await api.insist((within) => api.status(job, report, within), { signal })
  }

  #noteHold(answer: Answer): void {
    const held = answer.header('svc-drain') === '1'
    if (answer.status === 0 || held === this.#held) return
    this.#held = held
    this.#parts.log.info(
      {},
      held ? 'an operator drained this host: it gets no jobs' : 'this host gets jobs again',
    )
  }

  /**
   * Slower when the plane limits this license, whose hosts share one budget; back to the set pace when it
   * does not.
   */
  #restMs(answer: Answer): number {
    const { api, timing, log } = this.#parts
    if (answer.status === 204) {
      this.#failures = 0
      this.#pollMs = Math.max(timing.pollMs, this.#pollMs * 0.9)
      return spread(this.#pollMs)
    }
    const { status, fault } = answer
    this.#failures += 1
    log.warn({ status, fault, failures: this.#failures }, 'a claim was not answered with a job or with none')
    if (status === 429) this.#pollMs = Math.min(SLOWEST_POLL_MS, this.#pollMs * 2)
    return api.retryMs(answer, this.#failures)
  }
}
