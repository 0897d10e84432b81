import type { Deployment } from '../deployments/deployments-store.ts'
import type { Job } from '../jobs/job.ts'

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly retention: RetentionStore
  }
}

/** How the rules of retention stand in a database. */
export interface RetentionState {
  /** Whether it held ended jobs before it had rules, so that an operator has to accept them. */
  readonly held: boolean
  readonly acceptedAt: Date | undefined
  readonly acceptedBy: string | undefined
  /** Logs of jobs that ended before this time are gone. */
  readonly logsBefore: Date | undefined
  /** The mark of the folder that rows are written to before they go; undefined: none. */
  readonly archive: string | undefined
}

/** A job, and the deployment that it carried. */
export interface RetainedJob {
  readonly job: Job
  readonly deployment: Omit<Deployment, 'state' | 'target'> | undefined
}

/** A look at the next jobs by id. */
export interface RetentionPage {
  /** Jobs behind this id; empty: from the first on. */
  readonly after: string
  /** Jobs that ended before this time are past their retention. */
  readonly before: Date
  /** Jobs that are looked at. */
  readonly limit: number
}

/** Jobs of a page that are past their retention. */
export interface PastJobs {
  readonly ids: readonly string[]
  /** The last job that was looked at; undefined: there are no further ones. */
  readonly last: string | undefined
}

/** A number of rows; `more`: counting stopped there. */
export interface RowCount {
  readonly rows: number
  readonly more: boolean
}

/** Rows past their retention, with those that an app holds, and with logs of jobs that ended late. */
export interface RetentionBacklog {
  readonly jobs: RowCount & { readonly oldest: Date | undefined }
  /** Pieces of logs, and their bytes. */
  readonly logs: RowCount & { readonly bytes: number }
}

/** Rows that went. */
export interface Removed {
  readonly jobs: number
  readonly logs: number
}

/** Logs that went by months. */
export interface DroppedLogs {
  /** Pieces, as the storage last counted them. */
  readonly logs: number
  /** The beginning of the first month that is still there; undefined: logs are not kept by months. */
  readonly since: Date | undefined
}

/**
 * Faults of the months of logs. `logs-ahead`: there are logs of later months than there are, since a clock is
 * wrong or no month could be made · `log-rights`: our role has a right on a month that it lacks on the whole.
 */
export type LogMonthsFault = 'logs-ahead' | 'log-rights'

/** Storage of the retention of jobs and logs. Ids of jobs begin with the time of their making. */
export interface RetentionStore {
  state(): Promise<RetentionState>
  /** Accepts the rules. The first time counts. */
  accept(by: string, now?: Date): Promise<void>
  /** Notes that logs of jobs that ended before this time are gone. */
  noteLogs(before: Date): Promise<void>
  /** Begins an archive with this mark, unless there is one; ends it without a mark. Returns the state. */
  setArchive(mark: string | undefined): Promise<RetentionState>
  /** The jobs with these ids, by id. */
  jobs(ids: readonly string[]): Promise<readonly RetainedJob[]>
  /**
   * The ended jobs of a page that nothing holds: the newest ten deployments of an app, its last one that
   * succeeded, and jobs that a domain or a database of an app names are held.
   */
  pastJobs(page: RetentionPage): Promise<PastJobs>
  /** The ended jobs of a page that have a log. */
  pastLogs(page: RetentionPage): Promise<PastJobs>
  /** Removes ended jobs with their deployments and logs. Returns how many there were. */
  removeJobs(ids: readonly string[]): Promise<number>
  /** Removes the logs of ended jobs. Returns the number of their pieces. */
  removeLogs(ids: readonly string[]): Promise<number>
  /** Makes the months of logs from this one to the second from now, where there are none yet. */
  makeLogMonths(): Promise<void>
  /**
   * Lets the months of logs go that ended a day or more before this time. Logs of jobs that run, or ended
   * since, stay. Without `withRows` every log stays. A month that would leave much behind goes another
   * time.
   */
  dropLogMonths(before: Date, withRows: boolean): Promise<DroppedLogs>
  /** Looks for a fault of the months of logs. */
  logMonthsFault(): Promise<LogMonthsFault | undefined>
  /** Counts the rows of jobs that ended before these times, up to `most`. */
  backlog(jobsBefore: Date, logsBefore: Date, most: number): Promise<RetentionBacklog>
}
