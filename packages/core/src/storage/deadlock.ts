const DEADLOCK = '40P01'

/**
 * Runs a statement once more that PostgreSQL has ended to free others from a deadlock: it has undone all of it, and those
 * others go first now. For single statements; of a transaction only its caller knows the whole.
 */
export async function pastDeadlock<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement()
  } catch (error) {
    if ((error as { code?: unknown } | undefined)?.code !== DEADLOCK) throw error
    return statement()
  }
}
