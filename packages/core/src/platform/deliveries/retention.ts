import type { Clock } from '../../kernel/clock.ts'
import type { Storage } from '../storage/storage.ts'

const BATCH = 1000

/**
 * Deletes deliveries of a kind that were over more than `keepDays` ago. It works in batches, so that no
 * statement holds many rows. Returns their number.
 */
export async function purgeDeliveries(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  kind: string,
  keepDays: number,
): Promise<number> {
  for (let gone = 0; ; ) {
    const purged = await storage.deliveries.purge(kind, { keepDays, limit: BATCH }, clock.statementTime())
    gone += purged
    if (purged < BATCH) return gone
  }
}
