/**
 * Runs a prepared statement again where PostgreSQL refuses it, because a migration changed what it returns
 * since its connection prepared it. Nothing was done then, and that connection is closed: at most each of
 * `connections` can say so once. Without it the first request of every connection fails when a newer release
 * migrates beside this one.
 */
export async function withFreshPlan<T>(connections: number, work: () => Promise<T>): Promise<T> {
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
