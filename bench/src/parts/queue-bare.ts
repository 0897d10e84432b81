import pg from 'pg'
import { closedLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { BareBatch } from './bare-batch.ts'
import { Ledger, type QueueOptions, queuePart } from './queue.ts'

/** The least that a queue of this kind can do. */
export interface BareQueueOptions extends QueueOptions {
  readonly databaseUrl: string
  readonly reportsRunning: boolean
}

const CREATE = [
  `create table jobs (id bigint generated always as identity primary key, payload jsonb not null, host text,
    available_at timestamptz not null default now(), state text not null default 'pending', finished_at timestamptz)
    with (fillfactor = 50)`,
  'create index jobs_due on jobs (available_at, id) where finished_at is null',
]
const ADD = `insert into jobs (payload) select '{"app": "app", "source": {"type": "image", "image": "example:1"}}'
  from generate_series(1, $1)`
const CLAIM = {
  name: 'claim',
  text: `with due as (
      select id, row_number() over (order by available_at, id) as turn from (
        select id, available_at from jobs where finished_at is null and available_at <= now()
        order by available_at, id limit cardinality($1::text[]) for update skip locked) head)
    update jobs j set state = 'claimed', host = ($1::text[])[due.turn], available_at = now() + interval '300 seconds'
    from due where j.id = due.id and j.id = any (array(select id from due)) returning due.turn, j.id, j.payload`,
}
const BEGIN = {
  name: 'begin',
  text: `update jobs j set state = 'running' from unnest($1::bigint[], $2::text[]) as q (id, host)
    where j.id = q.id and j.host = q.host returning j.id`,
}
const END = {
  name: 'end',
  text: `update jobs j set state = 'succeeded', finished_at = now() from unnest($1::bigint[], $2::text[]) as q (id, host)
    where j.id = q.id and j.host = q.host returning j.id`,
}
/** Batches of statements on one table with one index: no license, host, app, attempt, log or deployment. */
export const start: StartPart<BareQueueOptions> = async ({ databaseUrl, ready, reportsRunning }) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 6,
    options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
  })
  for (const text of CREATE) await pool.query(text)
  const ledger = new Ledger()
  const claims = new BareBatch<string, string | undefined>(async (hosts) => {
    const { rows } = await pool.query({ ...CLAIM, values: [hosts] })
    const ids = new Map(rows.map(({ turn, id }) => [Number(turn), String(id)]))
    return hosts.map((_, index) => ids.get(index + 1))
  })
  const words = (statement: typeof BEGIN) =>
    new BareBatch<readonly [string, string], boolean>(async (owners) => {
      const { rows } = await pool.query({
        ...statement,
        values: [owners.map(([id]) => id), owners.map(([, host]) => host)],
      })
      const done = new Set(rows.map(({ id }) => String(id)))
      return owners.map(([id]) => done.has(id))
    })
  const begins = words(BEGIN)
  const ends = words(END)
  const once = async (host: number) => {
    const id = await claims.ask(`host-${host}`)
    if (id === undefined) return false
    if (reportsRunning && !(await begins.ask([id, `host-${host}`]))) throw new Error('lost')
    if (!(await ends.ask([id, `host-${host}`]))) throw new Error('lost')
    ledger.note(id)
    return true
  }
  const add = async (count: number) => {
    await pool.query(ADD, [count])
    await pool.query('analyze jobs')
  }
  return queuePart(
    { add, run: (request) => closedLoop(request, once), stop: () => pool.end() },
    ledger,
    ready,
  )
}
