import type { Payload } from '../jobs/job-payload.ts'
import type { Image } from './image.ts'

/** How an image is restored. */
export interface RestoreWish {
  readonly target?: string | undefined
  readonly isDrill?: boolean | undefined
  readonly isVerified?: boolean | undefined
  readonly data?: 'restore' | 'undo' | undefined
  /** Whether the host of the image restores it. */
  readonly isOwn?: boolean | undefined
}

/** The payload of a job that restores an image. */
export const restorePayload = (
  image: Image,
  { target, isDrill = false, isVerified = false, data, isOwn = false }: RestoreWish,
): Payload => ({
  image_id: image.id,
  checksum: image.checksum,
  engine: image.engine,
  ...(image.repo === '' ? {} : { repo: image.repo }),
  target: target ?? image.id,
  ...(isVerified ? { verify: true } : {}),
  ...(isDrill ? { drill: true } : {}),
  ...(data === undefined ? {} : { data: true, ...(data === 'undo' ? { undo: true } : {}) }),
  ...(data === undefined || image.app === undefined ? {} : { app: image.app }),
  // A drill compares the restored data with it.
  ...(isDrill && image.sizeBytes !== undefined ? { size_bytes: image.sizeBytes } : {}),
  // The host of the image registers that a drill of it passed; another host knows another image.
  ...(isOwn ? { own_image: true } : {}),
})
