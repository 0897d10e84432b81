import type { Scope } from '../../kernel/scope.ts'
import type { Image, ImageEngine, ImageKind, ImageState } from './image.ts'

/** The repository of a host: images of another one are other images, even with the same id. */
export interface ImageRepository {
  readonly licenseId: string
  readonly fingerprint: string
  readonly repo: string
}

/** An image that a host registers; fields that it does not send are undefined. */
export interface NewImage
  extends ImageRepository,
    Pick<
      Image,
      | 'id'
      | 'checksum'
      | 'app'
      | 'hostname'
      | 'label'
      | 'sizeBytes'
      | 'addedBytes'
      | 'durationSeconds'
      | 'parent'
      | 'encrypted'
      | 'verifiedAt'
      | 'jobId'
    > {
  readonly engine: ImageEngine | undefined
  readonly kind: ImageKind | undefined
  readonly capturedAt: Date | undefined
  readonly paths: readonly string[] | undefined
  readonly tags: readonly string[] | undefined
  /** With `jobId`: the attempt that has to be the job's present one. */
  readonly attempt: number | undefined
}

/**
 * The result of a registration. `different`: the image is known with another kind, size or time of capture;
 * `no-host` and `no-job`: the host, or the job that it names, is not the license's or not held by the host.
 * Only `created` and `known` change anything.
 */
export type Registered =
  | { readonly outcome: 'created' | 'known' | 'different'; readonly image: Image }
  | { readonly outcome: 'no-host' | 'no-job' }

/** A filter of images to list. */
export interface ImageFilter {
  readonly fingerprint?: string | undefined
  readonly app?: string | undefined
  readonly state?: ImageState | undefined
  readonly limit: number
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly images: ImagesStore
  }
}

/** The ledger of captured images. */
export interface ImagesStore {
  /**
   * Registers an image of a host of the license, once for each id of a repository. A repeat makes it
   * available again, keeps the newest verification, and takes a label, tags and a size that was not known. If
   * the image names a job, the host has to hold it.
   */
  register(image: NewImage, now?: Date): Promise<Registered>
  /** Marks the available images of a repository that are not `present` as pruned. Returns their number. */
  reconcile(repository: ImageRepository, present: readonly string[], now?: Date): Promise<number>
  get(scope: Scope, id: string): Promise<Image | undefined>
  /** At most `limit` images of the scope whose checksum begins with `prefix`, in the order of their ids. */
  find(scope: Scope, prefix: string, limit: number): Promise<readonly Image[]>
  /** The images of the scope by filter, the latest capture first; of one instant, the greatest id first. */
  list(scope: Scope, filter: ImageFilter): Promise<readonly Image[]>
  /** Deletes an image from the ledger, if `isForced` or it is pruned. Returns it, or undefined. */
  forget(id: string, isForced: boolean): Promise<Image | undefined>
  /** Deletes images that were pruned more than `keptDays` days ago. Returns their number. */
  purge(keptDays: number, now?: Date): Promise<number>
}
