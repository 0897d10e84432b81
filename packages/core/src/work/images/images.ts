import { Problem } from '../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../kernel/scope.ts'
import { shellWord } from '../../kernel/shell-word.ts'
import type { Base } from '../../platform/base.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { AHEAD_SECONDS, agentId, secondsAhead } from '../agents/agent.ts'
import type { Job } from '../jobs/job.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type Image, PREFIX_CHARS } from './image.ts'
import type { ImageRegistration } from './image-fields.ts'
import type { ImageMetrics } from './image-metrics.ts'
import type { ImageFilter, NewImage } from './images-store.ts'
import { restorePayload } from './restore-payload.ts'

/** The parts that `Images` is built from. */
export interface ImagesParts extends Pick<Base, 'storage' | 'clock' | 'ids'> {
  readonly jobs: Pick<Jobs, 'enqueue'>
  readonly metrics: ImageMetrics
  /** Days that images that left their repository are kept. */
  readonly prunedRetentionDays: number
}

/** The result of a registration: nothing was stored if the known image has different content. */
export type RegistrationAnswer =
  | { readonly outcome: 'created' | 'known'; readonly image: Image; readonly pruned: number }
  | { readonly outcome: 'different'; readonly image: Image }

/** The restore of an image, as an operator orders it. */
export interface RestoreInput {
  readonly image: Image
  /** The full fingerprint of the host that restores it; another host's makes a clone. */
  readonly fingerprint: string
  /** A folder of that host; undefined: one that its handler names after the image. */
  readonly target: string | undefined
  /** Restore aside, compare, remove, and tell how it went: a drill. */
  readonly isDrill: boolean
  /** Read the restored files again, and compare them with the image. */
  readonly isVerified: boolean
  /** `restore`: volumes and databases take the place of the present ones. `undo`: those take it back. */
  readonly data?: 'restore' | 'undo' | undefined
}

/** Most images that an ambiguous name lists. */
const MAX_CANDIDATES = 12

/** The ledger of captured images, and the way back from them. */
export class Images {
  readonly #parts: ImagesParts

  constructor(parts: ImagesParts) {
    this.#parts = parts
  }

  /**
   * Takes the registration of an image by its host, with the ids that its repository still has, if it sends
   * them. A repeat changes only newer facts.
   * @throws Problem `invalid-input`, `agent-not-owned`, or `job-not-owned` when it names a job that the host
   * does not hold
   */
  async register(licenseId: string, given: ImageRegistration): Promise<RegistrationAnswer> {
    const { storage, clock, metrics } = this.#parts
    const image = this.#newImage(licenseId, given)
    const present = presentOf(given)
    const now = clock.statementTime()
    const answer = await storage.transaction(async (stores) => {
      const registered = await stores.images.register(image, now)
      if (registered.outcome === 'no-host' || registered.outcome === 'no-job') return registered
      if (registered.outcome === 'different') return registered
      return { ...registered, pruned: await reconciled(stores, image, present, now) }
    })
    if ('image' in answer) {
      metrics.registered(answer.outcome)
      if ('pruned' in answer) metrics.pruned(answer.pruned)
      return answer as RegistrationAnswer
    }
    metrics.registered('not-owned')
    throw new Problem(answer.outcome === 'no-job' ? 'job-not-owned' : 'agent-not-owned')
  }

  /** The images of a scope by filter, the latest capture first. */
  list(scope: Scope, filter: ImageFilter): Promise<readonly Image[]> {
    return this.#parts.storage.images.list(scope, filter)
  }

  /**
   * Returns the one image of a scope that a name means: an id, or at least eight characters of the start of a
   * checksum.
   * @throws Problem `invalid-input` for a shorter one, `not-found`, or `ambiguous` with the candidates
   */
  async resolve(scope: Scope, name: string): Promise<Image> {
    const { images } = this.#parts.storage
    const image = name.startsWith('img_') ? await images.get(scope, name) : undefined
    if (image !== undefined) return image
    if (name.length >= PREFIX_CHARS) return theImage(await images.find(scope, name, MAX_CANDIDATES + 1), name)
    const details = [`image: expected an id, or at least ${PREFIX_CHARS} characters of a checksum`]
    throw new Problem('invalid-input', { details })
  }

  /**
   * Takes an image off the ledger; its snapshot stays where it is, so one that is still there comes back with
   * the next registration. An available one is taken off only with `isForced`.
   * @throws Problem `not-found`, or `conflict` for an available one
   */
  async forget(image: Image, isForced: boolean): Promise<Image> {
    const { images } = this.#parts.storage
    const gone = await images.forget(image.id, isForced)
    if (gone !== undefined) return gone
    if ((await images.get(PLATFORM, image.id)) === undefined) throw noImage(image.id)
    throw new Problem('conflict', {
      detail: `${image.id} is still in its repository: remove the snapshot there first, or force it`,
    })
  }

  /**
   * Orders a restore: by its own host, or by another one of the license, which makes a clone.
   * @throws Problem `conflict` for an image that is no longer in its repository, or as `Jobs.enqueue`
   */
  async restore({ image, fingerprint, target, isDrill, isVerified, data }: RestoreInput): Promise<Job> {
    if (image.state !== 'available') {
      const list = 'svc images list --state available'
      throw new Problem('conflict', {
        detail: `${image.id} is no longer in its repository: ${list} shows the images that can be restored`,
      })
    }
    if (data === 'undo' && image.app === undefined)
      throw new Problem('conflict', { detail: `${image.id} is no image of one app: name one that is` })
    const isOwn = fingerprint === image.fingerprint
    const payload = restorePayload(image, { target, isDrill, isVerified, data, isOwn })
    const { licenseId } = image
    const { job } = await this.#parts.jobs.enqueue({
      licenseId,
      kind: 'restore',
      payload,
      target: fingerprint,
    })
    return job
  }

  /** Deletes images that left their repository long ago. Returns their number. */
  purge(): Promise<number> {
    const { storage, clock, prunedRetentionDays } = this.#parts
    return storage.images.purge(prunedRetentionDays, clock.statementTime())
  }

  #newImage(licenseId: string, given: ImageRegistration): NewImage {
    this.#requirePast(given)
    return {
      id: this.#parts.ids.next('img'),
      licenseId,
      fingerprint: given.fingerprint,
      repo: given.repo ?? '',
      checksum: given.checksum,
      engine: given.engine,
      kind: given.kind,
      app: given.app || undefined,
      hostname: given.hostname || undefined,
      label: given.label || undefined,
      sizeBytes: given.size_bytes,
      addedBytes: given.added_bytes,
      capturedAt: instantOf(given.captured_at),
      durationSeconds: given.duration_s,
      paths: given.paths,
      tags: given.tags,
      parent: given.parent,
      encrypted: given.encrypted,
      verifiedAt: instantOf(given.verified_at),
      jobId: given.job_id,
      attempt: given.attempt,
    }
  }

  #requirePast({ captured_at, verified_at }: ImageRegistration): void {
    const now = this.#parts.clock.now()
    const ahead = Object.entries({ captured_at, verified_at }).filter(
      ([, at]) => secondsAhead(at, now) !== undefined,
    )
    if (ahead.length === 0) return
    throw new Problem('invalid-input', {
      details: ahead.map(([name]) => `${name}: expected unix seconds, at most ${AHEAD_SECONDS} s ahead`),
    })
  }
}

const instantOf = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : new Date(Math.floor(seconds) * 1000)

function presentOf({ present, confirm_empty }: ImageRegistration): readonly string[] | undefined {
  if (present?.length !== 0 || confirm_empty === true) return present
  throw new Problem('invalid-input', {
    details: ['present: expected at least one id; confirm_empty: true says that there is none'],
  })
}

/** The image that was just registered is there, even if a list made a moment before lacks it. */
async function reconciled(
  { images }: Stores,
  image: NewImage,
  present: readonly string[] | undefined,
  now: Date | undefined,
): Promise<number> {
  return present === undefined ? 0 : images.reconcile(image, [...present, image.checksum], now)
}

const noImage = (name: string): Problem =>
  new Problem('not-found', { detail: `there is no image ${shellWord(name)}: svc images list shows them` })

/**
 * Returns the only one of `images`, which a name means.
 * @throws Problem `not-found`, or `ambiguous` with the candidates
 */
function theImage(images: readonly Image[], name: string): Image {
  const [only, ...others] = images
  if (only === undefined) throw noImage(name)
  if (others.length === 0) return only
  const spelled = images.map(
    ({ id, fingerprint, checksum }) => `${id}: ${checksum} of ${agentId(fingerprint)}`,
  )
  throw new Problem('ambiguous', {
    detail: `${shellWord(name)} may be any of several images: use one of these ids`,
    candidates: spelled.slice(0, MAX_CANDIDATES),
  })
}
