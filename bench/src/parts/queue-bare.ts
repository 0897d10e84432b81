import pg from 'pg'
import { closedLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { BareBatch } from './bare-batch.ts'
import { BARE_TABLES } from './bare-tables.ts'
import { Ledger, type QueueOptions, queuePart } from './queue.ts'

/** The least that a queue of this kind can do. */
export interface BareQueueOptions extends QueueOptions {
  readonly databaseUrl: string
  readonly reportsRunning: boolean
  readonly table: keyof typeof BARE_TABLES
}

/** Batches of statements on one table, and nothing else. */
export const start: StartPart<BareQueueOptions> = async ({ databaseUrl, ready, reportsRunning, table }) => {
  const { create, add, claim, begin, end } = BARE_TABLES[table]
  await create(databaseUrl)
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 6,
    options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
  })
  const ledger = new Ledger()
  const claims = new BareBatch<string, string | undefined>(async (hosts) => {
    const { rows } = await pool.query({ name: 'claim', text: claim, values: [hosts] })
    const ids = new Map(rows.map(({ turn, id }) => [Number(turn), String(id)]))
    return hosts.map((_, index) => ids.get(index + 1))
  })
  const words = (name: string, text: string) =>
    new BareBatch<readonly [string, string], boolean>(async (owners) => {
      const values = [owners.map(([id]) => id), owners.map(([, host]) => host)]
      const { rows } = await pool.query({ name, text, values })
      const done = new Set(rows.map(({ id }) => String(id)))
      return owners.map(([id]) => done.has(id))
    })
  const begins = words('begin', begin)
  const ends = words('end', end)
  const once = async (host: number) => {
    const id = await claims.ask(`host-${host}`)
    if (id === undefined) return false
    if (reportsRunning && !(await begins.ask([id, `host-${host}`]))) throw new Error('lost')
    if (!(await ends.ask([id, `host-${host}`]))) throw new Error('lost')
    ledger.note(id)
    return true
  }
  return queuePart(
    { add: add(databaseUrl), run: (request) => closedLoop(request, once), stop: () => pool.end() },
    ledger,
    ready,
  )
}
