import { isHeld, type Scope } from '@svc/core'
import {
  type Image,
  type ImageFilter,
  type ImageRepository,
  type ImagesStore,
  isSameContent,
  type NewImage,
  type Registered,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import { agentKey } from '../agents/agents-store-memory.ts'

const DAY_MS = 86_400_000

const isIn = (image: Image, { licenseId, fingerprint, repo }: ImageRepository): boolean =>
  image.licenseId === licenseId && image.fingerprint === fingerprint && image.repo === repo

const latest = <T extends Date | undefined>(one: T, other: T): T =>
  one === undefined || (other !== undefined && other > one) ? other : one

/** The ledger of images in memory. */
export function memoryImagesStore(tables: MemoryTables, run: Run, time: () => Date): ImagesStore {
  const images = tables.of<Image>('images')
  const within = (scope: Scope) => images.all().filter((image) => isWithin(tables, scope, image))
  const change = (image: Image): Image => {
    images.put(image.id, image)
    return image
  }
  return {
    register: (given: NewImage, now = time()) => run(() => register(tables, given, now)),
    reconcile: (repository: ImageRepository, present: readonly string[], now = time()) =>
      run(() => {
        const gone = images
          .all()
          .filter((image) => isIn(image, repository) && image.state === 'available')
          .filter(({ checksum }) => !present.includes(checksum))
        for (const image of gone) change({ ...image, state: 'pruned', prunedAt: now })
        return gone.length
      }),
    get: (scope, id) => run(() => within(scope).find((image) => image.id === id)),
    find: (scope, prefix, limit) =>
      run(() =>
        within(scope)
          .filter((image) => image.checksum.startsWith(prefix))
          .sort((one, other) => byBytes(one.id, other.id))
          .slice(0, limit),
      ),
    list: (scope, filter) =>
      run(() =>
        within(scope)
          .filter((image) => fits(image, filter))
          .sort((one, other) => +other.capturedAt - +one.capturedAt || byBytes(other.id, one.id))
          .slice(0, filter.limit),
      ),
    forget: (id: string, isForced: boolean) =>
      run(() => {
        const image = images.get(id)
        if (image === undefined || (image.state === 'available' && !isForced)) return undefined
        images.put(id, undefined)
        return image
      }),
    purge: (keptDays: number, now = time()) =>
      run(() => {
        const oldest = now.getTime() - keptDays * DAY_MS
        const gone = images.all().filter(({ prunedAt }) => prunedAt !== undefined && +prunedAt < oldest)
        for (const { id } of gone) images.put(id, undefined)
        return gone.length
      }),
  }
}

function fits(image: Image, { fingerprint, app, state }: ImageFilter): boolean {
  const is = (asked: string | undefined, value: string | undefined) => asked === undefined || asked === value
  return is(fingerprint, image.fingerprint) && is(app, image.app) && is(state, image.state)
}

function register(tables: MemoryTables, given: NewImage, now: Date): Registered {
  if (tables.agents.get(agentKey(given.licenseId, given.fingerprint)) === undefined)
    return { outcome: 'no-host' }
  if (!holdsJob(tables, given)) return { outcome: 'no-job' }
  const images = tables.of<Image>('images')
  const known = images.all().find((each) => isIn(each, given) && each.checksum === given.checksum)
  if (known === undefined) return { outcome: 'created', image: created(tables, given, now) }
  if (!isSameContent(known, given)) return { outcome: 'different', image: known }
  const image: Image = {
    ...known,
    label: given.label ?? known.label,
    tags: given.tags ?? known.tags,
    sizeBytes: known.sizeBytes ?? given.sizeBytes,
    verifiedAt: latest(known.verifiedAt, given.verifiedAt),
    state: 'available',
    prunedAt: undefined,
    lastSeenAt: latest(known.lastSeenAt, now),
  }
  images.put(image.id, image)
  return { outcome: 'known', image }
}

function holdsJob(tables: MemoryTables, { jobId, attempt, licenseId, fingerprint }: NewImage): boolean {
  if (jobId === undefined) return true
  const job = tables.jobs.get(jobId)?.job
  return (
    job !== undefined &&
    job.licenseId === licenseId &&
    job.claimedBy === fingerprint &&
    isHeld(job.state) &&
    (attempt === undefined || job.attempt === attempt)
  )
}

const wholeSecond = (at: Date): Date => new Date(Math.floor(at.getTime() / 1000) * 1000)

function created(tables: MemoryTables, { attempt: _, ...given }: NewImage, now: Date): Image {
  const images = tables.of<Image>('images')
  if (images.get(given.id) !== undefined) throw new Error('there is an image with this id already')
  const image: Image = {
    ...given,
    engine: given.engine ?? 'other',
    kind: given.kind ?? 'snapshot',
    capturedAt: wholeSecond(given.capturedAt ?? now),
    paths: given.paths ?? [],
    tags: given.tags ?? [],
    state: 'available',
    firstSeenAt: now,
    lastSeenAt: now,
    prunedAt: undefined,
  }
  images.put(image.id, image)
  return image
}
