import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** The report of a handler on the snapshots of its host, in the words of restic. */
export interface HandlerImages {
  /** The id of the repository. */
  readonly repo: string
  /** Figures of the snapshot that this job made. */
  readonly summary: Readonly<Record<string, unknown>>
  readonly snapshots: readonly Snapshot[]
}

/** A snapshot as `restic snapshots --json` lists it, read with tolerance. */
export interface Snapshot {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly parent: string | undefined
  readonly hostname: string | undefined
  readonly paths: readonly string[]
  readonly tags: readonly string[]
}

const MAX_BYTES = 16 * 1024 * 1024
const SNAPSHOT_ID = /^[0-9a-f]{64}$/

/**
 * Reads the file that a handler left; undefined if there is none that can be read. It is the handler's: a
 * link is not followed, since the agent may read more than the handler.
 */
export async function readHandlerImages(path: string): Promise<HandlerImages | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const facts = await file.stat()
    if (!facts.isFile() || facts.size > MAX_BYTES) return undefined
    return imagesOf(JSON.parse(await file.readFile('utf8')))
  } catch {
    return undefined
  }
}

function imagesOf(value: unknown): HandlerImages | undefined {
  const { repo, summary, snapshots } = (value ?? {}) as Record<string, unknown>
  if (typeof repo !== 'string') return undefined
  const listed = Array.isArray(snapshots) ? snapshots.map(snapshotOf) : []
  return {
    repo,
    summary: typeof summary === 'object' && summary !== null ? (summary as Record<string, unknown>) : {},
    snapshots: listed.filter((each) => each !== undefined).sort((one, other) => one.time - other.time),
  }
}

function snapshotOf(value: unknown): Snapshot | undefined {
  const { id, time, parent, hostname, paths, tags } = (value ?? {}) as Record<string, unknown>
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  if (typeof id !== 'string' || !SNAPSHOT_ID.test(id) || Number.isNaN(at)) return undefined
  return {
    id,
    time: at,
    parent: typeof parent === 'string' && SNAPSHOT_ID.test(parent) ? parent : undefined,
    hostname: typeof hostname === 'string' ? hostname : undefined,
    paths: texts(paths),
    tags: texts(tags),
  }
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
