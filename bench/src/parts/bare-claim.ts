import pg from 'pg'
import type { StartPart } from '../part.ts'
import { answerJson, answerNothing, bareHttp } from './bare-http.ts'

/** How claims are answered. */
export interface BareClaimOptions {
  /** Absent: nothing is looked up. */
  readonly databaseUrl?: string
}

const CREATE = [
  `create table jobs (id text primary key, target text not null, state text not null, payload jsonb not null,
    available_at timestamptz not null default now(), claimed_at timestamptz)`,
  `create index jobs_due on jobs (target, available_at, id) where state = 'pending'`,
]
const CLAIM = {
  name: 'claim',
  text: `update jobs set state = 'claimed', claimed_at = now() where id = (
      select id from jobs where target = $1 and state = 'pending' and available_at <= now()
      order by available_at, id limit 1 for update skip locked) returning *`,
}

/** One prepared claim a request, or an answer without a look at anything. */
export const start: StartPart<BareClaimOptions> = async ({ databaseUrl }) => {
  const pool = databaseUrl === undefined ? undefined : new pg.Pool({ connectionString: databaseUrl, max: 10 })
  for (const text of CREATE) await pool?.query(text)
  return bareHttp(
    async (body, response) => {
      const { fingerprint } = body
      const found = await pool?.query({ ...CLAIM, values: [fingerprint] })
      const [job] = found?.rows ?? []
      if (job === undefined) answerNothing(response)
      else answerJson(response, 200, { job })
    },
    async () => pool?.end(),
  )
}
