import type { Clock, Log } from '@svc/core'
import type { Answer } from '../../connect/http-client.ts'
import type { AgentOptions, AgentTiming } from '../agent-options.ts'
import type { ImageReports } from '../images/image-reports.ts'
import { pause } from '../pause.ts'
import type { AgentApi, StatusReport } from '../wire/agent-api.ts'
import type { ClaimedJob } from './claimed-job.ts'
import { envSecretsOf, withoutSecrets } from './env-secrets.ts'
import { withoutGitAuth } from './git-auth.ts'
import { handlerEnvironment } from './handler-environment.ts'
import { type HandlerEnd, HandlerProcess } from './handler-process.ts'
import { findHandler } from './handlers-folder.ts'
import { type Interruption, noHandler, outcomeOf, outcomeOfInterrupted } from './job-outcome.ts'
import { JobReporter } from './job-reporter.ts'
import { withoutKey } from './license-key-mask.ts'
import type { OwnHandlers, RunningHandler } from './running-handler.ts'
import { endStrays, killStrays, type StrayMarks, strayLine } from './strays.ts'
import type { WorkFolder } from './work-folder.ts'

/** Parts that a job run works with. */
export interface JobParts {
  readonly api: AgentApi
  readonly options: AgentOptions
  readonly timing: AgentTiming
  readonly clock: Clock
  readonly log: Log
  readonly images: ImageReports
  /** The kinds of jobs that the agent does itself. */
  readonly own: OwnHandlers
}

/**
 * How a run ended, for the agent's own count. `unreported`: the outcome stays in the work folder until the
 * agent starts again.
 */
export type JobEnd = 'succeeded' | 'failed' | 'given back' | 'gone' | 'unreported'

/** One job from claim to end. */
export class JobRun {
  readonly job: ClaimedJob
  readonly #parts: JobParts
  readonly #folder: WorkFolder
  readonly #reporter: JobReporter
  /** Aborts every exchange with the plane. */
  readonly #life = new AbortController()
  #handler: RunningHandler | undefined
  #settling = false
  #interruption: Interruption | undefined
  #ending: Promise<void> = Promise.resolve()

  constructor(parts: JobParts, folder: WorkFolder) {
    this.job = folder.job
    this.#parts = parts
    this.#folder = folder
    this.#reporter = new JobReporter(parts, folder, (answer) => this.#hear(answer), this.#life.signal)
  }

  /**
   * Ends the work early. The first reason counts, except that `gone` overrules every other; after the handler
   * has ended, only `gone` counts.
   */
  interrupt(why: Interruption): void {
    const over = this.#handler?.exited ?? false
    if (why !== 'gone' && (this.#interruption !== undefined || over)) return
    if (this.#interruption === 'gone') return
    this.#interruption = why
    this.#parts.log.info({ job: this.job.id, attempt: this.job.attempt, why }, 'ending a job early')
    if (this.#handler && !over) this.#ending = this.#endHandler(this.#handler)
  }

  /**
   * Stops reporting to the plane: the outcome stays in the work folder, and the next agent on that folder
   * reports it.
   */
  abandon(): void {
    this.#life.abort()
  }

  /** Runs the job and reports how it ended. Never throws. */
  async run(): Promise<JobEnd> {
    try {
      const outcome = await this.#work()
      return outcome === undefined ? await this.#leave() : await this.#settle(outcome)
    } catch (error) {
      this.#parts.log.error({ job: this.job.id, error: (error as Error).message }, 'a job could not be run')
      const outcome: StatusReport = { state: 'failed', error: 'the agent could not run the job' }
      return this.#settle(outcome).catch(() => 'unreported' as const)
    } finally {
      this.#reporter.dispose()
    }
  }

  /** Returns the outcome, or `undefined` when the job is not ours to report on. */
  async #work(): Promise<StatusReport | undefined> {
    const { options, own } = this.#parts
    const { kind } = this.job
    const file = own.has(kind) ? '' : await findHandler(options.handlersDir, kind)
    if (file === undefined) return noHandler(kind)
    const heard = await this.#reporter.announce()
    if (heard === 'gone') return undefined
    // The plane did not answer for a whole lease. The work has not begun, so any host may take the job.
    if (heard === 'unheard') return { state: 'pending' }
    const end = this.#interruption ? {} : await this.#runHandler(file)
    if (this.#interruption === 'gone') return undefined
    if (this.#interruption) return outcomeOfInterrupted(this.#interruption, this.job, end)
    return this.#afterImages(outcomeOf(end, this.job.kind))
  }

  /** The plane takes images of a job while the host holds it, so they come before the outcome. */
  async #afterImages(outcome: StatusReport): Promise<StatusReport | undefined> {
    const final = await this.#parts.images.take({
      job: this.job,
      outcome,
      file: this.#folder.imagesFile,
      life: this.#life.signal,
      say: (line) => this.#reporter.push(line),
    })
    return this.#isGone() ? undefined : final
  }

  #isGone(): boolean {
    return this.#interruption === 'gone'
  }

  async #runHandler(file: string): Promise<HandlerEnd> {
    this.#reporter.start()
    const handler = this.#start(file)
    if (!('ended' in handler)) return this.#notStarted(handler)
    this.#handler = handler
    using _timeout = after(this.job.timeoutSeconds * 1000, () => this.interrupt('timeout'))
    const end = await handler.ended
    // Processes that outlive the handler are still being ended.
    await this.#ending
    await this.#endStrays(handler)
    return end.fault === undefined ? end : this.#notStarted(end)
  }

  #start(file: string): RunningHandler | HandlerEnd {
    const { options, own } = this.#parts
    const ownHandler = own.get(this.job.kind)
    if (ownHandler) return ownHandler(this.job, (line) => this.#reporter.push(line))
    const { maxLineChars } = this.job.log
    const secrets = envSecretsOf(this.job)
    try {
      return HandlerProcess.start({
        file,
        folder: this.#folder.handlerPath,
        owner: options.handlerUser,
        environment: handlerEnvironment(this.#folder, options),
        input: `${JSON.stringify(withoutGitAuth(this.job))}\n`,
        maxLineChars,
        masked: (line) =>
          withoutSecrets(withoutKey(line, options.licenseKey, maxLineChars), secrets, maxLineChars),
        onLine: (line, from) => this.#reporter.push(line, from),
        onState: (state, from) => this.#reporter.show(state, from),
      })
    } catch (error) {
      return { fault: (error as NodeJS.ErrnoException).code ?? 'EFAULT' }
    }
  }

  #notStarted(end: HandlerEnd): HandlerEnd {
    this.#parts.log.warn(
      { job: this.job.id, kind: this.job.kind, fault: end.fault },
      'a handler could not be started',
    )
    this.#reporter.push(`[agent] the handler could not be started: ${end.fault}`)
    return end
  }

  async #endHandler(handler: RunningHandler): Promise<void> {
    // Another host may already work on the job, so there is no grace time.
    if (this.#interruption === 'gone') handler.kill()
    else await handler.terminate(this.#parts.timing.killGraceMs)
    await killStrays(this.#marks)
  }

  /** The next job of the application must not meet ports that a process of this one still holds. */
  async #endStrays(handler: RunningHandler): Promise<void> {
    if (this.#interruption || !(handler instanceof HandlerProcess) || handler.session === undefined) return
    const { killGraceMs } = this.#parts.timing
    const ended = await endStrays({ ...this.#marks, session: handler.session }, killGraceMs)
    if (ended.length > 0) this.#reporter.push(strayLine(ended))
  }

  get #marks(): StrayMarks {
    return { folder: this.#folder, user: this.#parts.options.handlerUser }
  }

  async #settle(outcome: StatusReport): Promise<JobEnd> {
    this.#settling = true
    await this.#folder.keepOutcome(outcome)
    const heard = await this.#reporter.conclude(outcome)
    if (heard === 'unheard') return 'unreported'
    if (heard === 'gone') return this.#leave()
    await this.#folder.remove()
    return outcome.state === 'pending' ? 'given back' : outcome.state === 'succeeded' ? 'succeeded' : 'failed'
  }

  async #leave(): Promise<JobEnd> {
    await this.#reporter.quit()
    await this.#folder.remove()
    return 'gone'
  }

  #hear(answer: Answer): void {
    if (this.#settling) return
    const state = answer.header('svc-job-state')
    if (answer.status === 404) this.interrupt('gone')
    else if (answer.status !== 200) return
    else if (state === 'canceling') this.interrupt('cancelled')
    // The plane closed the job while we work on it.
    else if ((state === 'failed' || state === 'succeeded') && !this.#handler?.exited) this.interrupt('gone')
  }
}

/**
 * Calls `act` once after `milliseconds`, unless disposed before. A time beyond the limit of timers counts as
 * never.
 */
function after(milliseconds: number, act: () => void): Disposable {
  const cancelled = new AbortController()
  if (milliseconds < 2 ** 31) void pause(milliseconds, cancelled.signal).then((passed) => passed && act())
  return { [Symbol.dispose]: () => cancelled.abort() }
}
