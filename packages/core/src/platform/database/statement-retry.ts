import { systemTimers, type Timers } from '../../kernel/timers.ts'
import { translated } from './unavailable.ts'

const DEADLOCK = '40P01'
const TRIES = 3
/**
 * Pause after a deadlock, in milliseconds. PostgreSQL looks for a deadlock after a second: a tenth of that
 * more is little, and mostly enough for the other statements to go first.
 */
const PAUSE_MS = 100

/**
 * Runs a statement again that PostgreSQL ended to free others from a deadlock: all of its work is undone. The
 * pause lets the others go first: on a busy machine a statement that comes back at once locks the same rows
 * again before they wake up. For single statements: only the caller of a transaction knows all of it.
 */
export async function retryDeadlock<T>(
  statement: () => Promise<T>,
  pause: Timers['pause'] = systemTimers.pause,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await statement()
    } catch (error) {
      const isDeadlock = (error as { code?: unknown } | undefined)?.code === DEADLOCK
      if (!isDeadlock || tries === TRIES) throw error
      await pause(PAUSE_MS * tries)
    }
  }
}

/**
 * Runs a prepared statement again that PostgreSQL refuses because a migration changed its columns since its
 * connection prepared it. A refused statement has done nothing, and its connection is closed, so that each of
 * `connections` can refuse once at most. Otherwise the first request of every connection would fail when a
 * newer release migrates beside this one.
 */
export async function retryStalePlan<T>(connections: number, work: () => Promise<T>): Promise<T> {
  for (let left = connections; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !isStale(error)) throw error
    }
  }
}

function isStale(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/** Runs `work`; an error that says that the database cannot be used becomes a `Problem` `unavailable`. */
export async function translateStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translated(error)
  }
}
