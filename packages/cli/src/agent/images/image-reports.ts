import type { Answer } from '../../connect/http-client.ts'
import type { ClaimedJob } from '../run/claimed-job.ts'
import type { AgentState } from '../state/agent-state.ts'
import { type AgentApi, isPassing, type StatusReport } from '../wire/agent-api.ts'
import { type HandlerImages, readHandlerImages } from './handler-images.ts'
import { type Registration, registrationsOf } from './registrations.ts'

/** Kinds of jobs that say something about the images of the host. */
const KINDS: readonly string[] = ['backup', 'restore']

/** A job that has ended, and the place where its handler may have left a report on images. */
export interface EndedJob {
  readonly job: ClaimedJob
  readonly outcome: StatusReport
  readonly file: string
  /** Aborts every exchange with the plane. */
  readonly life: AbortSignal
  /** Takes a line for the log of the job. */
  readonly say: (line: string) => void
}

/** Tells the plane which images this host has, and remembers for heartbeats how backups and drills went. */
export class ImageReports {
  readonly #api: AgentApi
  readonly #state: AgentState
  readonly #now: () => number

  /** `now` returns milliseconds since 1970. */
  constructor(api: AgentApi, state: AgentState, now: () => number) {
    this.#api = api
    this.#state = state
    this.#now = now
  }

  /**
   * Takes note of a job whose handler has ended, before its outcome is reported: from then on the plane takes
   * no more of its images. Returns the outcome, which is a failure if the plane refused the job's own image.
   */
  async take(ended: EndedJob): Promise<StatusReport> {
    const { job, outcome } = ended
    if (!KINDS.includes(job.kind) || outcome.state === 'pending') return outcome
    const images = await readHandlerImages(ended.file)
    const refused = images === undefined ? undefined : await this.#register(ended, images)
    const final: StatusReport = refused === undefined ? outcome : { state: 'failed', error: refused }
    await this.#remember(job, final)
    return final
  }

  async #register(ended: EndedJob, images: HandlerImages): Promise<string | undefined> {
    const { job, say } = ended
    const known = this.#state.images
    const isKnown = known !== undefined && known.repo === images.repo && job.payload.sync !== true
    const after = isKnown ? known.until : Number.NEGATIVE_INFINITY
    const { id: jobId, attempt } = job
    let refused: string | undefined
    for (const each of registrationsOf(images, { jobId, attempt, after, verified: this.#verified(ended) })) {
      const answer = await this.#send(each, ended.life)
      if (isPassing(answer)) {
        say('[agent] the plane did not take the images: the next backup tells it about them')
        return refused
      }
      if (answer.status > 201) {
        say(`[agent] the image ${each.checksum} was not registered: ${reasonOf(answer)}`)
        if (each.job_id !== undefined) refused = `the image was not registered: ${reasonOf(answer)}`
      }
    }
    const until = images.snapshots.at(-1)?.time
    if (until !== undefined) await this.#state.keepImages({ repo: images.repo, until })
    return refused
  }

  #verified({ job, outcome }: EndedJob) {
    const { checksum, drill, own_image: isOwn } = job.payload
    const isVerified = drill === true && isOwn === true && outcome.state === 'succeeded'
    return isVerified && typeof checksum === 'string' ? { checksum, at: this.#seconds() } : undefined
  }

  #send(registration: Registration, life: AbortSignal): Promise<Answer> {
    return this.#api.insist((signal) => this.#api.registerImage(registration, signal), { signal: life })
  }

  /** A failed capture leaves the time of the last good one, whose age raises an alert of its own. */
  async #remember({ kind, payload }: ClaimedJob, { state }: StatusReport): Promise<void> {
    const worked = state === 'succeeded'
    if (kind === 'backup' && payload.sync !== true) {
      const at = worked ? this.#seconds() : this.#state.backupHealth?.last_capture_at
      await this.#state.keepBackupHealth({
        ...(at === undefined ? {} : { last_capture_at: at }),
        success: worked,
      })
    }
    if (kind === 'restore' && payload.drill === true)
      await this.#state.keepRestoreDrill({ last_at: this.#seconds(), pass: worked })
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000)
  }
}

function reasonOf({ status, body }: Answer): string {
  const { error } = (body ?? {}) as { error?: unknown }
  return typeof error === 'string' ? error : `status ${status}`
}
