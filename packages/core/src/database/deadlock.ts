import { systemTimers, type Timers } from '../timers.ts'

const DEADLOCK = '40P01'
const TRIES = 3
/**
 * PostgreSQL looks for a deadlock after a second: a tenth of that more is little, and mostly enough to be
 * second.
 */
const PAUSE_MS = 100

/**
 * Runs a statement again that PostgreSQL has ended to free others from a deadlock: it has undone all of it.
 * Those others go first, if it waits a little: they have to wake up, and on a busy machine one that comes
 * back at once has the same rows again before they do. For single statements; of a transaction only its
 * caller knows the whole.
 */
export async function pastDeadlock<T>(
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
