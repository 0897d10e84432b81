import pg from 'pg'
import { Agent, request } from 'undici'
import { closedLoop, type LoopRequest } from '../loop.ts'
import type { StartPart } from '../part.ts'

/** A loop that writes a row, posts, and writes the row again. */
export interface BareDeliveriesOptions {
  readonly databaseUrl: string
  readonly receiver: string
  readonly connections: number
}

const TABLE = `create table bare_deliveries (id bigserial primary key, body text not null, state text not null,
  created_at timestamptz not null default now(), settled_at timestamptz)`
const BODY = JSON.stringify({
  type: 'job.succeeded',
  timestamp: '2026-01-05T09:00:00.000Z',
  data: { job_id: 'job_1' },
})

/** The least that a delivery costs: it is written before it is sent, and its success after. */
export const start: StartPart<BareDeliveriesOptions> = async ({ databaseUrl, receiver, connections }) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections })
  await pool.query(TABLE)
  const dispatcher = new Agent({ connections })
  const headers = { 'content-type': 'application/json' }
  const once = async () => {
    const { rows } = await pool.query<{ id: string }>({
      name: 'add',
      text: `insert into bare_deliveries (body, state) values ($1, 'due') returning id`,
      values: [BODY],
    })
    const { body } = await request(receiver, { method: 'POST', headers, body: BODY, dispatcher })
    await body.dump()
    await pool.query({
      name: 'settle',
      text: `update bare_deliveries set state = 'sent', settled_at = now() where id = $1`,
      values: [rows[0]?.id],
    })
    return true
  }
  return {
    commands: { run: (asked: LoopRequest) => closedLoop(asked, once) },
    stop: async () => {
      await dispatcher.close()
      await pool.end()
    },
  }
}
