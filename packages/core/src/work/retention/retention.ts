import { Problem } from '../../kernel/problem.ts'
import type { ArchiveFolder } from '../../platform/archive/archive-folder.ts'
import type { Base } from '../../platform/base.ts'
import type { Job } from '../jobs/job.ts'
import type { StoredLine } from '../jobs/job-log.ts'
import type { JobArchive } from './job-archive.ts'
import { DAYS_OF_MONTHS, JOB_DAYS, LOG_DAYS } from './retention-days.ts'
import type { LogMonthsFault, Removed, RetentionBacklog, RetentionState } from './retention-store.ts'

/** The parts that `Retention` is built from. */
export interface RetentionParts extends Pick<Base, 'storage' | 'clock' | 'log' | 'timers' | 'metrics'> {
  /** Days that ended jobs are kept; undefined: no setting says so. */
  readonly jobDays: number | undefined
  /** Days that logs are kept after the end of their jobs; undefined: no setting says so. */
  readonly logDays: number | undefined
  readonly archive: JobArchive
}

/** The rules of a plane, and how they stand. */
export interface RetentionRules {
  readonly jobDays: number
  readonly logDays: number
  /** Whether jobs past their retention go, and whether logs do. */
  readonly jobsGo: boolean
  readonly logsGo: boolean
  readonly state: RetentionState
}

/** Rows that a run removed; `more`: its time was over first. */
export interface RetentionRun extends Removed {
  readonly more: boolean
}

const DAY_MS = 86_400_000
/** Jobs of a statement. */
const PAGE = 500
/** Milliseconds of an upkeep, while other tasks of the tick wait. The next one goes on from there. */
const UPKEEP_MS = 5_000
/** Time between two looks at jobs and logs that are all within their retention. */
const REST_MS = 3_600_000
/** Time between two lines of the log about rows that stay. */
const REMINDER_MS = 7 * DAY_MS
/** Rows up to which a backlog is counted. */
export const COUNTED = 100_000

/**
 * Removes ended jobs, deployments and logs past their retention, a page at a time. In a database that was
 * filled before it had rules, nothing goes until a setting says so or an operator accepts them.
 */
export class Retention {
  readonly #parts: RetentionParts
  readonly #rows
  /** The jobs after which the looks go on. */
  readonly #after = { logs: '', jobs: '' }
  #restUntil = Number.NEGATIVE_INFINITY
  #remindedAt = Number.NEGATIVE_INFINITY

  constructor(parts: RetentionParts) {
    this.#parts = parts
    this.#rows = parts.metrics.counter(
      'svc_retention_removed_total',
      'Jobs, and pieces of logs, that were removed past their retention.',
      { what: ['jobs', 'logs'] as const },
    )
  }

  /** Returns the rules, and whether they hold. */
  async rules(): Promise<RetentionRules> {
    const { storage, jobDays, logDays } = this.#parts
    const state = await storage.retention.state()
    const isOpen = !state.held || state.acceptedAt !== undefined
    return {
      jobDays: jobDays ?? JOB_DAYS,
      logDays: logDays ?? LOG_DAYS,
      jobsGo: isOpen || jobDays !== undefined,
      logsGo: isOpen || logDays !== undefined,
      state,
    }
  }

  /** Counts the rows that are past their retention, whether they go or not. */
  backlog({ jobDays, logDays }: RetentionRules): Promise<RetentionBacklog> {
    return this.#parts.storage.retention.backlog(this.#before(jobDays), this.#before(logDays), COUNTED)
  }

  /** Returns why rows past their retention stay, or may not go as a whole; undefined when none does. */
  async finding(): Promise<'not-accepted' | 'archive-missing' | LogMonthsFault | undefined> {
    const rules = await this.rules()
    if ((rules.jobsGo || rules.logsGo) && (await this.archiveFault(rules)) !== undefined)
      return 'archive-missing'
    const fault = await this.#parts.storage.retention.logMonthsFault()
    if (fault !== undefined || (rules.jobsGo && rules.logsGo)) return fault
    const { jobs, logs } = await this.backlog(rules)
    const isHeld = (!rules.jobsGo && jobs.rows > 0) || (!rules.logsGo && logs.rows > 0)
    return isHeld ? 'not-accepted' : undefined
  }

  /** Returns why the archive cannot be written to; undefined when it can, or there is none. */
  async archiveFault({ state }: RetentionRules): Promise<string | undefined> {
    try {
      await this.#parts.archive.check(state)
      return undefined
    } catch (error) {
      if (error instanceof Problem) return error.message
      throw error
    }
  }

  /** The folder of the archive; undefined when this replica has none. */
  get archiveDir(): string | undefined {
    return this.#parts.archive.dir
  }

  /** Returns the log of a job as the archive has it; undefined when it has none. */
  archivedLog({ id }: Pick<Job, 'id'>): Promise<readonly StoredLine[] | undefined> {
    return this.#parts.archive.log(id)
  }

  /**
   * Accepts the rules for a database that was filled before it had any.
   * @throws Problem `conflict` when the rules have other days
   */
  async accept(shown: Pick<RetentionRules, 'jobDays' | 'logDays'>, by: string): Promise<void> {
    const { storage, clock } = this.#parts
    const { jobDays, logDays } = await this.rules()
    if (shown.jobDays !== jobDays || shown.logDays !== logDays)
      throw new Problem('conflict', {
        detail: `jobs are kept for ${jobDays} days and logs for ${logDays}: settings say so, accept those`,
      })
    await storage.retention.accept(by, clock.statementTime())
    this.#restUntil = Number.NEGATIVE_INFINITY
  }

  /** Whether the log of an ended job went because of its age, if it had one. */
  async hasLogGone({ finishedAt }: Job): Promise<boolean> {
    const { logsBefore } = await this.#parts.storage.retention.state()
    return finishedAt !== undefined && logsBefore !== undefined && finishedAt < logsBefore
  }

  /**
   * Removes jobs and logs for some seconds, as an operator asks.
   * @throws Problem `conflict` while the rules have to be accepted
   */
  async run(seconds: number): Promise<RetentionRun> {
    const rules = await this.rules()
    if (!rules.jobsGo && !rules.logsGo)
      throw new Problem('conflict', {
        detail:
          'this database has jobs from before it had rules: run svc retention show, then svc retention accept',
      })
    return this.#run(rules, 1000 * seconds)
  }

  /** Removes jobs and logs for some seconds, if any are past their retention. */
  async upkeep(signal: AbortSignal): Promise<void> {
    const now = this.#now()
    if (now < this.#restUntil && now > this.#restUntil - REST_MS) return
    await this.#parts.storage.retention.makeLogMonths()
    const rules = await this.rules()
    if (!rules.jobsGo || !rules.logsGo) await this.#remind(rules)
    const why = rules.jobsGo || rules.logsGo ? await this.archiveFault(rules) : undefined
    if (why !== undefined) {
      this.#restUntil = now + REST_MS
      this.#parts.log.error(
        { why },
        'jobs and logs past their retention stay: the archive cannot be written to',
      )
      return
    }
    const { jobs, logs, more } = await this.#run(rules, UPKEEP_MS, signal)
    if (!more) this.#restUntil = now + REST_MS
    if (jobs + logs > 0) this.#parts.log.info({ jobs, logs }, 'removed jobs and logs past their retention')
  }

  /** Logs go first: they are kept for a shorter time, and are the most of it. */
  async #run(rules: RetentionRules, ms: number, signal?: AbortSignal): Promise<RetentionRun> {
    const { timers, storage } = this.#parts
    const { retention } = storage
    const until = timers.elapsedMs() + ms
    const isOver = () => signal?.aborted || timers.elapsedMs() >= until
    const removed = { jobs: 0, logs: 0 }
    const archive = await this.#parts.archive.open(await retention.state())
    for (const { what, goes, days } of [
      { what: 'logs', goes: rules.logsGo, days: rules.logDays },
      { what: 'jobs', goes: rules.jobsGo, days: rules.jobDays },
    ] as const) {
      if (!goes) continue
      let before = this.#before(days)
      if (what === 'logs') {
        // An archive is written from rows, before they go.
        const isWhole = archive === undefined && days >= DAYS_OF_MONTHS
        const { logs, since = before } = await retention.dropLogMonths(before, isWhole)
        this.#rows.inc({ what }, logs)
        removed.logs += logs
        if (isWhole && since < before) before = since
      }
      do removed[what] += await this.#page(what, before, archive)
      while (this.#after[what] !== '' && !isOver())
      if (this.#after[what] !== '') return { ...removed, more: true }
      if (what === 'logs') await retention.noteLogs(before)
    }
    return { ...removed, more: false }
  }

  /** Removes what is past its retention among the next jobs. */
  async #page(what: keyof Removed, before: Date, folder?: ArchiveFolder): Promise<number> {
    const { storage, archive } = this.#parts
    const { retention } = storage
    const page = { after: this.#after[what], before, limit: PAGE }
    const { ids, last } = await (what === 'logs' ? retention.pastLogs(page) : retention.pastJobs(page))
    if (folder !== undefined) {
      if (what === 'jobs') await archive.keepJobs(folder, await retention.jobs(ids))
      // A job that goes may have a log still, which goes with it.
      await archive.keepLogs(folder, ids)
    }
    const remove = (past: readonly string[]) =>
      what === 'logs' ? retention.removeLogs(past) : retention.removeJobs(past)
    const count = ids.length === 0 ? 0 : await remove(ids)
    this.#rows.inc({ what }, count)
    this.#after[what] = last ?? ''
    return count
  }

  async #remind(rules: RetentionRules): Promise<void> {
    const now = this.#now()
    if (now - this.#remindedAt < REMINDER_MS && now >= this.#remindedAt) return
    this.#remindedAt = now
    const { jobs, logs } = await this.backlog(rules)
    if (jobs.rows + logs.rows === 0) return
    this.#parts.log.warn(
      { jobs: jobs.rows, logs: logs.rows, bytes: logs.bytes },
      'jobs and logs past their retention stay until the rules are accepted: svc retention show',
    )
  }

  #before(days: number): Date {
    return new Date(this.#now() - days * DAY_MS)
  }

  #now(): number {
    return this.#parts.clock.now().getTime()
  }
}
