import { migrate } from '@svc/core/sql'
import type { Client } from 'pg'
import { deployAdder } from '../add-deploys.ts'
import { licenseId, withClient } from '../fleet.ts'

/** A table of jobs, with the statements for hosts to claim, begin and end them. */
export interface BareTable {
  /** `$1`: the hosts. Returns `turn`, counted from 1, `id` and `payload`. */
  readonly claim: string
  /** `$1`, `$2`: ids and their hosts. Returns `id`. */
  readonly begin: string
  readonly end: string
  create(databaseUrl: string): Promise<void>
  add(databaseUrl: string): (count: number) => Promise<void>
}

/** The names and clauses that differ between the tables. */
interface Names {
  readonly id: string
  readonly host: string
  /** Conditions on the first columns of the index of waiting jobs. */
  readonly queue: string
  readonly claimed: string
  readonly begun: string
  readonly ended: string
}

const statements = ({ id, host, queue, claimed, begun, ended }: Names) => {
  const word = (set: string) => `update jobs j set ${set} from unnest($1::${id}[], $2::text[]) as q (id, host)
    where j.id = q.id and j.${host} = q.host returning j.id`
  return {
    claim: `with due as (
        select id, row_number() over (order by available_at, id) as turn from (
          select id, available_at from jobs where ${queue} finished_at is null and available_at <= now()
          order by available_at, id limit cardinality($1::text[]) for update skip locked) head)
      update jobs j set state = 'claimed', ${host} = ($1::text[])[due.turn], ${claimed}
        available_at = now() + interval '300 seconds'
      from due where j.id = due.id and j.id = any (array(select id from due)) returning due.turn, j.id, j.payload`,
    begin: word(`state = 'running'${begun}`),
    end: word(`state = 'succeeded', finished_at = now()${ended}`),
  }
}

const CREATE = [
  `create table jobs (id bigint generated always as identity primary key, payload jsonb not null, host text,
    available_at timestamptz not null default now(), state text not null default 'pending', finished_at timestamptz)
    with (fillfactor = 50)`,
  'create index jobs_due on jobs (available_at, id) where finished_at is null',
]
const ADD = `insert into jobs (payload) select '{"app": "app", "source": {"type": "image", "image": "example:1"}}'
  from generate_series(1, $1)`

/** A table with one index, and without license, target host, app, attempt, log or deployment. */
const least: BareTable = {
  ...statements({ id: 'bigint', host: 'host', queue: '', claimed: '', begun: '', ended: '' }),
  create: (url) =>
    withClient(url, async (client) => {
      for (const text of CREATE) await client.query(text)
    }),
  add: (url) => (count) =>
    withClient(url, async (client: Client) => {
      await client.query(ADD, [count])
      await client.query('analyze jobs')
    }),
}

const LICENSE = licenseId(0)

/**
 * The product's table with all its columns and indexes, all jobs of one license, so that one search finds
 * them. Only its writes are made: nothing checks the right to make them.
 */
const product: BareTable = {
  ...statements({
    id: 'text',
    host: 'claimed_by',
    queue: `license_id = '${LICENSE}' and target = '' and`,
    claimed: 'claimed_at = now(), attempt = j.attempt + 1,',
    begun: ', started_at = now()',
    ended: ', exit_code = 0',
  }),
  create: async (url) => void (await migrate(url)),
  add: (url) => deployAdder(url, [LICENSE]),
}

/** The tables that are measured without the product around them. */
export const BARE_TABLES = { least, product }
