import { ROLLBACK_SECONDS } from '@svc/core/adapters'
import type { ClaimedJob } from '../run/claimed-job.ts'
import type { HandlerEnd } from '../run/handler-process.ts'
import type { RunningHandler } from '../run/running-handler.ts'
import type { Asked } from './host-security.ts'

/** The newest document of this host, as the control plane has it. */
export interface DesiredDocument {
  readonly revision: number
  readonly sha256: string
}

/** Parts that a firewall job works with. */
export interface FirewallJobParts {
  readonly apply: (
    asked: Asked,
    say: (line: string) => void,
    signal: AbortSignal,
  ) => Promise<string | undefined>
  /** Asks the control plane; undefined when it gave no answer. */
  readonly desired: (signal: AbortSignal) => Promise<DesiredDocument | undefined>
}

/** A job of kind `firewall`, which the agent does itself: handlers may not. */
export class FirewallJob implements RunningHandler {
  readonly ended: Promise<HandlerEnd>
  readonly #stopped = new AbortController()
  #exited = false

  constructor(job: ClaimedJob, parts: FirewallJobParts, onLine: (line: string) => void) {
    this.ended = run(job, parts, onLine, this.#stopped.signal).finally(() => {
      this.#exited = true
    })
  }

  get exited(): boolean {
    return this.#exited
  }

  /** Undoes the attempt. */
  async terminate(): Promise<void> {
    this.#stopped.abort()
    await this.ended
  }

  kill(): void {
    this.#stopped.abort()
  }
}

async function run(
  job: ClaimedJob,
  { apply, desired }: FirewallJobParts,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<HandlerEnd> {
  const asked = askedBy(job)
  if (asked === undefined)
    return failed('refused: this job carries no document: svc security set makes one', say)
  // A job may be made by anybody who may make jobs, a document by those alone who may change the security.
  const newest = await desired(signal)
  if (newest === undefined) return failed('the control plane sent no settings', say)
  if (newest.revision !== asked.revision || newest.sha256 !== asked.sha256)
    return failed(`refused: the newest document is revision ${newest.revision}`, say)
  say(
    `applying revision ${asked.revision}; it is undone unless it is confirmed within ${asked.rollbackSeconds} s`,
  )
  const error = await apply(asked, say, signal)
  return error === undefined ? { code: 0 } : failed(error, say)
}

function failed(error: string, say: (line: string) => void): HandlerEnd {
  say(error)
  return { error }
}

function askedBy({ id, attempt, payload }: ClaimedJob): Asked | undefined {
  const { revision, sha256, settings, force, rollback_s: seconds } = payload
  if (typeof revision !== 'number' || typeof sha256 !== 'string') return undefined
  const { min, max } = ROLLBACK_SECONDS
  const rollbackSeconds = typeof seconds === 'number' && seconds >= min && seconds <= max ? seconds : 60
  return { revision, sha256, settings, force: force === true, rollbackSeconds, job: { id, attempt } }
}
