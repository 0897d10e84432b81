import { RecentMap } from '../recent-map.ts'
import { EMPTY_LOG, type LogPosition } from './job-log.ts'

/**
 * Where a log is believed to end, and the attempt that has written there; undefined for a log that nobody has
 * written to.
 */
export interface Believed {
  readonly attempt: number | undefined
  readonly position: LogPosition
}

/** Where a log was found to end, for one attempt, in the table of one `origin`. */
export interface Found extends Believed {
  readonly attempt: number
  readonly origin: string
}

/**
 * Where logs stood when this process last wrote to them: a guess that saves asking first. The statement that
 * writes checks it.
 */
export class LogPositions {
  #known = new RecentMap<Believed>()
  #origin: string | undefined

  /** The table that all positions are of; undefined before the first. */
  get origin(): string | undefined {
    return this.#origin
  }

  /** The likely position of a job's log, for a writer of `attempt`. */
  of(jobId: string, attempt: number | undefined): Believed {
    const known = this.#known.get(jobId)
    if (known === undefined) return { attempt, position: EMPTY_LOG }
    const isSame = attempt === undefined || attempt === known.attempt
    return isSame ? known : { attempt, position: { ...known.position, next: EMPTY_LOG.next } }
  }

  /**
   * Positions in the table of another origin are forgotten: a log may end before the place where it ended
   * there.
   */
  keep(jobId: string, { attempt, position, origin }: Found): void {
    if (origin !== this.#origin) this.#known = new RecentMap()
    this.#origin = origin
    this.#known.set(jobId, { attempt, position })
  }
}
