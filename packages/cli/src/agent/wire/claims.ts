import type { Answer } from '../../connect/http-client.ts'
import { pause, spread } from '../pause.ts'
import { type ClaimedJob, readClaimedJob } from '../run/claimed-job.ts'
import { handledKinds } from '../run/handlers-folder.ts'
import { type JobEnd, type JobParts, JobRun } from '../run/job-run.ts'
import type { RunningJobs } from '../run/running-jobs.ts'
import { WorkFolder, workRoot } from '../run/work-folder.ts'
import type { AgentState } from '../state/agent-state.ts'
import type { HostKey } from './agent-api.ts'
import type { SessionNews } from './session-news.ts'
import { WaitLength } from './wait-length.ts'

/** Longest wait between claims, however full the plane's limits are. */
const SLOWEST_POLL_MS = 60_000

/** Most kinds that a claim may name; a handlers folder has ten or so. */
const MAX_KINDS = 64

/** How long a claim under way may take to end when the host drains, in milliseconds. */
const FAREWELL_MS = 2000
/** How much sooner than asked a wait may end and still count as whole, in milliseconds. */
const SLACK_MS = 1000

/** The work of this host. */
interface Work {
  readonly kinds: readonly string[]
  readonly concurrency: number
}

/** The parts of `Claims`. */
export interface ClaimParts extends JobParts {
  readonly state: AgentState
  readonly jobs: RunningJobs
  readonly news: SessionNews
  /** The key of this host; undefined while it cannot be read. */
  readonly hostKey: () => Promise<HostKey | undefined>
}

/** An answer to a claim, and whether the plane let it wait for its whole time. */
interface Asked {
  readonly answer: Answer
  readonly isWhole: boolean
}

/**
 * Asks for work and starts it. One claim at a time, also when several jobs may run. A claim asks the plane
 * to wait until there is a job; an older plane answers at once, and then the host asks at its own pace. While
 * it has no free slot, the host waits for no kind of job, to hear of cancels and sessions; its next claim
 * ends that one.
 */
export class Claims {
  readonly #parts: ClaimParts
  readonly #onEnd: (end: JobEnd) => void
  readonly #wait = new WaitLength()
  #pollMs: number
  #failures = 0
  #held = false
  /** Whether the plane let the last claim wait. */
  #isWaited = false
  /** The kinds that the plane was told last by a claim for work. */
  #said: string | undefined

  constructor(parts: ClaimParts, onEnd: (end: JobEnd) => void) {
    this.#parts = parts
    this.#onEnd = onEnd
    this.#pollMs = parts.timing.pollMs
  }

  /**
   * Claims until `draining`; a claim under way is asked to end and waited for, because the plane may already
   * have handed out a job on it. `life` ends that too.
   */
  async run(draining: AbortSignal, life: AbortSignal): Promise<void> {
    const { jobs, options } = this.#parts
    const concurrency = Math.max(1, options.concurrency ?? 1)
    while (!draining.aborted) {
      if (jobs.size >= concurrency) {
        await this.#beBusy(concurrency, draining, life)
        continue
      }
      // Read each time: an operator may add a handler while the agent runs.
      const kinds = await this.#kinds()
      const { answer, isWhole } = await this.#ask({ kinds, concurrency }, draining, life)
      const job = answer.status === 200 ? readClaimedJob(answer.body) : undefined
      if (job) await this.#take(job, draining)
      else if (answer.status === 200) await this.#parts.state.renewIntent()
      if (options.once && (job || answer.status === 204)) return
      if (!job && !isWhole) await this.#rest(this.#restMs(answer), draining)
    }
  }

  async #kinds(): Promise<readonly string[]> {
    const { options, own } = this.#parts
    return [...new Set([...own.keys(), ...(await handledKinds(options.handlersDir))])].slice(0, MAX_KINDS)
  }

  /** Waits for the end of a job; a plane that lets claims wait tells of cancels and sessions meanwhile. */
  async #beBusy(concurrency: number, draining: AbortSignal, life: AbortSignal): Promise<void> {
    const ended = this.#parts.jobs.oneEnded().then(() => undefined)
    if (!this.#isWaited || this.#parts.options.once) return ended
    const asked = await Promise.race([ended, this.#ask({ kinds: [], concurrency }, draining, life)])
    if (asked !== undefined && !asked.isWhole) await this.#rest(this.#restMs(asked.answer), draining)
  }

  async #ask(work: Work, draining: AbortSignal, life: AbortSignal): Promise<Asked> {
    const { api, state, jobs, news } = this.#parts
    const isBusy = work.kinds.length === 0 && jobs.size > 0
    const waitSeconds = this.#waitSeconds(work, isBusy)
    const cut = new AbortController()
    const leave = () => void this.#leave(work, cut, life)
    if (waitSeconds !== undefined) draining.addEventListener('abort', leave, { once: true })
    const startMs = performance.now()
    const within = AbortSignal.any([life, cut.signal])
    const intent = isBusy ? undefined : state.intent
    const answer = await api.claim(intent, work, within, { waitSeconds, key: await this.#parts.hostKey() })
    const tookMs = performance.now() - startMs
    draining.removeEventListener('abort', leave)
    jobs.hearCancels(answer.header('svc-cancel'))
    this.#noteHold(answer)
    if (waitSeconds === undefined) return { answer, isWhole: false }
    news.hear(answer)
    this.#noteWaiting(answer)
    const isWhole = this.#isWaited && answer.status === 204 && tookMs >= 1000 * waitSeconds - SLACK_MS
    if (isWhole) {
      this.#failures = 0
      this.#wait.whole()
    } else if (answer.status === 0 && this.#isWaited && tookMs > SLACK_MS && !within.aborted) this.#wait.cut()
    return { answer, isWhole }
  }

  /** The wait to ask for; undefined for a claim that shall be answered at once. */
  #waitSeconds({ kinds }: Work, isBusy: boolean): number | undefined {
    if (this.#parts.options.once) return undefined
    if (isBusy) return this.#wait.seconds
    // A host that runs no kind of job says so once without waiting: a wait for no kind is one of a busy host.
    const said = kinds.join(' ')
    const isNews = said !== this.#said
    this.#said = said
    return said === '' && isNews ? undefined : this.#wait.seconds
  }

  /** Notes whether the plane lets claims wait. It lets none wait while a job should stop. */
  #noteWaiting(answer: Answer): void {
    const isAnswered = answer.status === 200 || answer.status === 204
    if (!isAnswered || answer.header('svc-cancel') !== undefined) return
    this.#isWaited = answer.header('preference-applied') !== undefined
  }

  /** Asks the plane to end a claim that waits, and cuts it when it does not end by then. */
  async #leave(work: Work, cut: AbortController, life: AbortSignal): Promise<void> {
    if (this.#isWaited)
      await this.#parts.api.claim(undefined, { ...work, kinds: [] }, life, { waitSeconds: 0 })
    await pause(FAREWELL_MS, life)
    cut.abort()
  }

  /** Rests for some time, or until a job ends: the slot that gets free is worth a claim. */
  async #rest(milliseconds: number, draining: AbortSignal): Promise<void> {
    const { jobs } = this.#parts
    const over = new AbortController()
    if (jobs.size > 0) void jobs.oneEnded().then(() => over.abort())
    await pause(milliseconds, AbortSignal.any([draining, over.signal]))
  }

  async #take(job: ClaimedJob, draining: AbortSignal): Promise<void> {
    const { log, options } = this.#parts
    const { state, jobs } = this.#parts
    const known = jobs.get(job.id)
    if (known && known.job.attempt >= job.attempt) return state.renewIntent()
    // Our own lease on it has passed: the earlier attempt must have ended before the next one begins.
    known?.interrupt('gone')
    await jobs.jobEnded(job.id)
    log.info({ job: job.id, kind: job.kind, attempt: job.attempt }, 'claimed a job')
    try {
      const folder = await WorkFolder.create(workRoot(options), job)
      const run = new JobRun(this.#parts, folder)
      // Not before the folder stands: until then a restarted agent gets the job again under the same intent.
      await state.renewIntent()
      this.#start(run, draining)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      log.error({ job: job.id, code }, 'the work folder of a job could not be made')
      await state.renewIntent()
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
    this.#parts.jobs.add(run, ended)
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
