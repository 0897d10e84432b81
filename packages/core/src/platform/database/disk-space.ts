import { statfs } from 'node:fs/promises'
import { Problem } from '../../kernel/problem.ts'
import type { DiskRoom } from '../storage/storage.ts'

const MIB = 1024 * 1024
const LEAST_FREE = 64 * MIB
const MOST_RESERVED = 256 * MIB
const LOOK_EVERY_MS = 1000

/** Reads the state of a disk: blocks free to this process, their size in bytes, and all blocks. */
type ReadFolder = (folder: string) => Promise<{ bavail: number; bsize: number; blocks: number }>

/** Bytes that must stay free on a disk of `size` bytes: 5 %, at least 64 MiB, at most 256 MiB. */
export const reservedBytes = (size: number): number =>
  Math.max(LEAST_FREE, Math.min(size * 0.05, MOST_RESERVED))

/** The room that the disk under `folder` has for this process. */
export async function diskRoom(folder: string, look: ReadFolder = statfs): Promise<DiskRoom> {
  const { bavail, bsize, blocks } = await look(folder)
  return { freeBytes: bavail * bsize, reservedBytes: reservedBytes(blocks * bsize) }
}

/**
 * Refuses work while the disk under `folder` is nearly full: the embedded database spins for ever on a write
 * that finds no room, so it must never come to one. Looks at most once a second.
 */
export class DiskSpace {
  readonly #folder: string
  readonly #look: ReadFolder
  readonly #elapsedMs: () => number
  #lookedAt = Number.NEGATIVE_INFINITY
  #shortBytes = 0

  constructor(folder: string, look: ReadFolder = statfs, elapsedMs: () => number = () => performance.now()) {
    this.#folder = folder
    this.#look = look
    this.#elapsedMs = elapsedMs
  }

  /** The room that the disk has now. */
  room(): Promise<DiskRoom> {
    return diskRoom(this.#folder, this.#look)
  }

  /** @throws Problem `unavailable` naming the folder and the missing space */
  async require(): Promise<void> {
    const at = this.#elapsedMs()
    if (at - this.#lookedAt > LOOK_EVERY_MS) {
      const { freeBytes, reservedBytes: kept } = await this.room()
      this.#shortBytes = kept - freeBytes
      this.#lookedAt = at
    }
    if (this.#shortBytes <= 0) return
    const missing = Math.ceil(this.#shortBytes / MIB)
    throw new Problem('unavailable', {
      detail: `the disk under ${this.#folder} is nearly full: free ${missing} MiB there, then try again`,
      retryAfterSeconds: 30,
    })
  }
}
