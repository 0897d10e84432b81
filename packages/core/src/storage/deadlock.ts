const DEADLOCK = '40P01'
const TRIES = 3

/**
 * Runs a statement again that PostgreSQL has ended to free others from a deadlock: it has undone all of it, and those
 * others mostly go first now; where one is slow to wake, the same may happen once more. For single statements; of a
 * transaction only its caller knows the whole.
 */
export async function pastDeadlock<T>(statement: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await statement()
    } catch (error) {
      const isDeadlock = (error as { code?: unknown } | undefined)?.code === DEADLOCK
      if (!isDeadlock || tries === TRIES) throw error
    }
  }
}
