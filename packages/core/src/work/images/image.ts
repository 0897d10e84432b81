/** Programs that make images. */
export const IMAGE_ENGINES = ['restic', 'kopia', 'borg', 'zfs', 'oci', 'other'] as const
export type ImageEngine = (typeof IMAGE_ENGINES)[number]

/** The things that an image may be. */
export const IMAGE_KINDS = ['snapshot', 'image', 'db_dump'] as const
export type ImageKind = (typeof IMAGE_KINDS)[number]

/** Whether an image is still in its repository. Only an `available` one can be restored. */
export const IMAGE_STATES = ['available', 'pruned'] as const
export type ImageState = (typeof IMAGE_STATES)[number]

/** Most ids that a host lists at once as those that its repository still has. */
export const MAX_PRESENT = 5000
/** Fewest characters of a checksum that name an image. */
export const PREFIX_CHARS = 8

/** A captured image of a host, which the ledger knows by the id of its snapshot. */
export interface Image {
  readonly id: string
  readonly licenseId: string
  /** The host that captured it. */
  readonly fingerprint: string
  /** The repository that holds it, by an opaque name; `''` if the host gave none. */
  readonly repo: string
  /** The id of the snapshot. */
  readonly checksum: string
  readonly engine: ImageEngine
  readonly kind: ImageKind
  readonly app: string | undefined
  readonly hostname: string | undefined
  readonly label: string | undefined
  readonly sizeBytes: number | undefined
  /** Bytes that the capture added to the repository. */
  readonly addedBytes: number | undefined
  readonly capturedAt: Date
  readonly durationSeconds: number | undefined
  readonly paths: readonly string[]
  readonly tags: readonly string[]
  /** The id of the snapshot that this one was made from. */
  readonly parent: string | undefined
  readonly encrypted: boolean | undefined
  /** When a restore of this image was last tried out, and worked. */
  readonly verifiedAt: Date | undefined
  /** The job that captured it. */
  readonly jobId: string | undefined
  readonly state: ImageState
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly prunedAt: Date | undefined
}

/** The facts that identify an image: a second registration may not contradict them. */
export interface ImageContent {
  readonly kind: ImageKind | undefined
  readonly sizeBytes: number | undefined
  readonly capturedAt: Date | undefined
}

/** Returns whether `given` says nothing about an image that contradicts known facts. */
export function isSameContent(known: ImageContent, given: ImageContent): boolean {
  const agrees = (one: unknown, other: unknown) => one === undefined || other === undefined || one === other
  return (
    agrees(known.kind, given.kind) &&
    agrees(known.sizeBytes, given.sizeBytes) &&
    agrees(known.capturedAt?.getTime(), given.capturedAt?.getTime())
  )
}
