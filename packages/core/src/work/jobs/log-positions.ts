import { RecentMap } from '../../kernel/recent-map.ts'
import { EMPTY_LOG, type LogPosition } from './job-log.ts'

interface Known {
  readonly attempt: number
  readonly position: LogPosition
}

/**
 * The log ends that this process saw last: a hint that saves a lookup. The statement that writes checks it.
 */
export class LogPositions {
  readonly #known = new RecentMap<Known>()

  /** The likely position of a job's log, for a writer of `attempt`. */
  of(jobId: string, attempt: number | undefined): LogPosition {
    const known = this.#known.get(jobId)
    if (known === undefined) return EMPTY_LOG
    const isSame = attempt === undefined || attempt === known.attempt
    return isSame ? known.position : { ...known.position, next: EMPTY_LOG.next }
  }

  /** Notes where the log of a job ended for an attempt. */
  keep(jobId: string, attempt: number, position: LogPosition): void {
    this.#known.set(jobId, { attempt, position })
  }
}
