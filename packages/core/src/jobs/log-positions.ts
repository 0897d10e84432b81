import { EMPTY_LOG, type LogPosition } from './job-log.ts'

interface Known {
  readonly attempt: number
  readonly position: LogPosition
}

const GENERATION = 4096

/**
 * Where logs stood when this process last wrote to them: a guess that saves asking first. The statement that writes
 * checks it. Two generations, so that forgetting costs nothing: the last 4,096 logs are known, 8,192 at most.
 */
export class LogPositions {
  #recent = new Map<string, Known>()
  #older = new Map<string, Known>()

  /** The likely position of a job's log, for a writer of `attempt`. */
  of(jobId: string, attempt: number | undefined): LogPosition {
    const known = this.#recent.get(jobId) ?? this.#older.get(jobId)
    if (known === undefined) return EMPTY_LOG
    const isSame = attempt === undefined || attempt === known.attempt
    return isSame ? known.position : { ...known.position, next: EMPTY_LOG.next }
  }

  keep(jobId: string, attempt: number, position: LogPosition): void {
    this.#recent.set(jobId, { attempt, position })
    if (this.#recent.size < GENERATION) return
    this.#older = this.#recent
    this.#recent = new Map()
  }
}
