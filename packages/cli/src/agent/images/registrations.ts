import type { ImageRegistration } from '@svc/core/adapters'
import type { HandlerImages, Snapshot } from './handler-images.ts'

/** A registration without the identity of its host, which the exchange adds. */
export type Registration = Omit<ImageRegistration, 'fingerprint'>

/** Limits of the wire: entries beyond them are left out, so that the rest is registered. */
const MOST = { paths: 50, pathChars: 512, tags: 32, tagChars: 64, hostnameChars: 255, present: 5000 }
/** Most registrations of one job: a license has 120 a minute for all its hosts. */
const MOST_AT_ONCE = 1000

/** The start of the registrations of one job. */
export interface Wanted {
  readonly jobId: string
  readonly attempt: number
  /** Snapshots up to this instant are registered already, in milliseconds; `-Infinity` registers all. */
  readonly after: number
  /** The snapshot whose restore was just tried out, and worked. */
  readonly verified: { readonly checksum: string; readonly at: number } | undefined
}

/**
 * Returns the images to register, oldest first: the snapshots after the last one that is, a verified one, and
 * in any case the newest, which brings along the list of all that the repository still has. A list that is
 * longer than `mostPresent` is left out: a part of it would say of the others that they are gone.
 */
export function registrationsOf(
  images: HandlerImages,
  wanted: Wanted,
  mostPresent = MOST.present,
): readonly Registration[] {
  const { snapshots } = images
  const isWanted = ({ id, time }: Snapshot, index: number) =>
    time > wanted.after || id === wanted.verified?.checksum || index === snapshots.length - 1
  const chosen = snapshots.filter(isWanted).slice(-MOST_AT_ONCE)
  const present = snapshots.map(({ id }) => id)
  return chosen.map((snapshot, index) => ({
    ...registrationOf(snapshot, images, wanted),
    ...(index === chosen.length - 1 && present.length <= mostPresent ? { present } : {}),
  }))
}

function registrationOf(
  { id, time, parent, hostname, paths, tags }: Snapshot,
  { repo, summary }: HandlerImages,
  { jobId, attempt, verified }: Wanted,
): Registration {
  const app = tags.find((tag) => tag.startsWith('app='))?.slice('app='.length)
  const isOfJob = tags.includes(`job=${jobId}`)
  return {
    checksum: id,
    repo,
    engine: 'restic',
    kind: 'snapshot',
    captured_at: Math.floor(time / 1000),
    encrypted: true,
    paths: paths.filter(({ length }) => length <= MOST.pathChars).slice(0, MOST.paths),
    tags: tags.filter(({ length }) => length <= MOST.tagChars).slice(0, MOST.tags),
    ...(app === undefined ? {} : { app }),
    ...(hostname === undefined ? {} : { hostname: hostname.slice(0, MOST.hostnameChars) }),
    ...(parent === undefined ? {} : { parent }),
    ...(isOfJob ? { ...figuresOf(summary), job_id: jobId, attempt } : {}),
    ...(verified?.checksum === id ? { verified_at: verified.at } : {}),
  }
}

function figuresOf({
  total_bytes_processed: size,
  data_added: added,
  total_duration: took,
}: HandlerImages['summary']) {
  const amount = (name: string, value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? { [name]: value } : {}
  return { ...amount('size_bytes', size), ...amount('added_bytes', added), ...amount('duration_s', took) }
}
