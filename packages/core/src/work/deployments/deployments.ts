import { Problem } from '../../kernel/problem.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { Membership } from '../../platform/operations/permission.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { type LogLine, longPieces, MAX_VIEW_CHARS, yieldIfLong } from '../jobs/job-log.ts'
import {
  type LogView,
  locate,
  MAX_VIEW_LINES,
  viewLength,
  type WholeLog,
  withSystemLines,
} from './deployment-log.ts'
import type { Deployment, DeploymentFilter } from './deployments-store.ts'

/** Deployments and their logs. */
export class Deployments {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /**
   * Returns a deployment by id.
   * @throws Problem `not-found`
   */
  async get(id: string): Promise<Deployment> {
    const deployment = await this.#storage.deployments.get(id)
    if (deployment === undefined) throw new Problem('not-found', { detail: `there is no deployment ${id}` })
    return deployment
  }

  /**
   * Returns a deployment if the platform, or this tenant, may see it. For a tenant, deployments of others do
   * not exist.
   * @throws Problem `not-found`
   */
  async visible(id: string, { tenantId }: Pick<Membership, 'tenantId'>): Promise<Deployment> {
    const deployment = await this.get(id)
    if (tenantId === undefined) return deployment
    const license = await this.#storage.licenses.get(deployment.licenseId)
    if (license?.tenantId !== tenantId) throw new Problem('not-found')
    return deployment
  }

  /**
   * Returns part of a deployment's log: the lines of its job with system lines between attempts, without the
   * first `after` lines. It has at most `limit` lines and the characters that fit in one answer.
   */
  async log(deployment: Deployment, after = 0, limit = MAX_VIEW_LINES): Promise<LogView> {
    const { jobs } = this.#storage
    const attempts = await jobs.logLengths(deployment.jobId)
    const { stored, before } = locate(attempts, after)
    const lines = await jobs.logs(deployment.jobId, stored, limit, MAX_VIEW_CHARS)
    await yieldIfLong(lines)
    return { logs: withSystemLines(lines, before).slice(0, limit), count: viewLength(attempts) }
  }

  /**
   * Returns the whole log of any length. The first piece is read before this returns, so that most failures
   * come before an answer begins. Reading a later piece throws if its lines were deleted meanwhile.
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
        await yieldToEventLoop()
        yield withSystemLines(piece, before)
        before = piece.at(-1)?.attempt
      }
    }
  }

  /** Lists deployments, newest first. */
  list(filter: DeploymentFilter): Promise<readonly Deployment[]> {
    return this.#storage.deployments.list(filter)
  }
}

/** Returns a whole sequence whose first value was already read. */
async function* resumed<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}
