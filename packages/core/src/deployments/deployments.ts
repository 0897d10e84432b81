import { type LogLine, longPieces, MAX_VIEW_CHARS, turnForLong } from '../jobs/job-log.ts'
import { ownTurn } from '../own-turn.ts'
import { Problem } from '../problem.ts'
import type { Storage } from '../storage/storage.ts'
import type { User } from '../users/user.ts'
import type { Deployment } from './deployment.ts'
import {
  type LogView,
  locate,
  MAX_VIEW_LINES,
  viewLength,
  type WholeLog,
  withSystemLines,
} from './deployment-log.ts'
import type { DeploymentFilter } from './deployments-store.ts'

/** What hosts were asked to bring up, and how it went. */
export class Deployments {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /**
   * @throws Problem `not-found`
   */
  async get(id: string): Promise<Deployment> {
    const deployment = await this.#storage.deployments.get(id)
    if (deployment === undefined) throw new Problem('not-found', { detail: `there is no deployment ${id}` })
    return deployment
  }

  /**
   * A deployment as `user` may see it: a product user sees their tenant's only, and another tenant's does not
   * exist.
   * @throws Problem `not-found`
   */
  async visible(id: string, user: User): Promise<Deployment> {
    const deployment = await this.get(id)
    if (user.tenantId === undefined) return deployment
    const license = await this.#storage.licenses.get(deployment.licenseId)
    if (license?.tenantId !== user.tenantId) throw new Problem('not-found')
    return deployment
  }

  /**
   * A stretch of the log of a deployment: its job's lines, a system line between attempts, `after` of them
   * skipped; at most `limit` and what one answer holds.
   */
  async log(deployment: Deployment, after = 0, limit = MAX_VIEW_LINES): Promise<LogView> {
    const { jobs } = this.#storage
    const attempts = await jobs.logLengths(deployment.jobId)
    const { stored, before } = locate(attempts, after)
    const lines = await jobs.logs(deployment.jobId, stored, limit, MAX_VIEW_CHARS)
    await turnForLong(lines)
    return { logs: withSystemLines(lines, before).slice(0, limit), count: viewLength(attempts) }
  }

  /**
   * All of that log, however long it is. The first piece has been read by then, so that most failures are met
   * before an answer begins. The others throw when lines are gone before they are read.
   */
  async wholeLog({ jobId }: Deployment): Promise<WholeLog> {
    const attempts = await this.#storage.jobs.logLengths(jobId)
    const stored = attempts.reduce((sum, { lines }) => sum + lines, 0)
    const pieces = this.#pieces(jobId, stored)
    return { count: viewLength(attempts), pieces: resumed(await pieces.next(), pieces) }
  }

  async *#pieces(jobId: string, count: number): AsyncGenerator<readonly LogLine[]> {
    let before: number | undefined
    for (let read = 0; read < count; ) {
      const limit = Math.min(MAX_VIEW_LINES, count - read)
      const lines = await this.#storage.jobs.logs(jobId, read, limit, MAX_VIEW_CHARS)
      if (lines.length === 0) throw new Error(`the log of ${jobId} is shorter than it was`)
      read += lines.length
      for (const piece of longPieces(lines)) {
        await ownTurn()
        yield withSystemLines(piece, before)
        before = piece.at(-1)?.attempt
      }
    }
  }

  /** Newest first. */
  list(filter: DeploymentFilter): Promise<readonly Deployment[]> {
    return this.#storage.deployments.list(filter)
  }
}

/** A sequence from its beginning, of which the first value has been read. */
async function* resumed<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}
