import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

const WAIT_MS = 5000

/**
 * Waits, 5 s at most, until no transaction on the server is older than this call: versions of rows that lie
 * dead can only then be passed over and cleared. A transaction in any database keeps them.
 */
export async function othersEnded(client: pg.Client): Promise<void> {
  const own = await client.query<{ id: string }>('select pg_current_xact_id()::text as id')
  const ended = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as all'
  const end = Date.now() + WAIT_MS
  while (Date.now() < end) {
    const { rows } = await client.query<{ all: boolean }>(ended, [own.rows[0]?.id])
    if (rows[0]?.all === true) return
    await sleep(20)
  }
}
