import type { Query } from '../cast/database.ts'
import type { Breach } from '../journal.ts'
import type { Host } from '../names.ts'
import { MESSAGE_RULES } from './message-rules.ts'
import { RULES } from './rules.ts'
import { readStoredLines } from './stored-lines.ts'
import { introduce, type Testimony, testify } from './testimony.ts'

/** The broken promises of a run, and its counts from the database. */
export interface Findings {
  readonly breaches: readonly Breach[]
  readonly jobs: number
  readonly reclaims: number
  readonly storedLines: number
  readonly acknowledgedLines: number
  readonly acknowledgements: number
  /** Messages that an endpoint accepted, and the ones that came more than once. */
  readonly messages: number
  readonly repeatedMessages: number
  /**
   * From the end of the last fault until every job that was held then had moved on and every probe had ended.
   */
  readonly recoverySeconds: number
}

/**
 * The end of the last fault, in unix milliseconds, and the ids of the jobs that were enqueued right after it.
 */
export interface LastFault {
  readonly at: number
  readonly probes: readonly string[]
}

type Counts = Readonly<
  Record<'jobs' | 'reclaims' | 'acknowledgements' | 'messages' | 'repeated' | 'lines', number>
>

const SHOWN = 5
const COUNTS = `select (select count(*) from jobs)::int as jobs,
  (select count(*) from chaos_moves where new_attempt > old_attempt and old_state in ('claimed', 'running'))::int
    as reclaims,
  (select count(*) from chaos_acks where kind <> 'message')::int as acknowledgements,
  (select count(distinct job) from chaos_acks where kind = 'message' and state = 'accepted')::int as messages,
  (select count(*) from (select from chaos_acks where kind = 'message' group by job having count(*) > 1) m)::int
    as repeated,
  (select coalesce(sum(lines), 0) from (select distinct job, attempt, host, first, lines from chaos_acks
    where kind = 'lines') l)::int as lines`
// The time when every job held at $1 had moved on, and every job of $2 had finished.
const RECOVERED = `select greatest(
    (select max(until) from chaos_owned where since <= $1 and until > $1 and state in ('claimed', 'running')),
    (select max(extract(epoch from finished_at)::float8 * 1000) from jobs where id = any($2)))::float8 as at`

/** Compares the testimony of clients with the witness tables. The database must have come to rest. */
export async function examine(
  query: Query,
  hosts: readonly Host[],
  testimony: Testimony,
  last: LastFault,
): Promise<Findings> {
  await introduce(query, hosts)
  const seen = await testify(query, testimony)
  const stored = await readStoredLines(query)
  const breaches = [...seen, ...stored.breaches]
  for (const { rule, promise, sql } of [...RULES, ...MESSAGE_RULES]) {
    const cases = await query<{ evidence: string }>(`select * from (${sql}) r limit ${SHOWN}`)
    for (const { evidence } of cases) breaches.push({ rule, evidence: `${promise}: ${evidence}` })
  }
  const [counts] = await query<Counts>(COUNTS)
  const [recovered] = await query<{ at: number | null }>(RECOVERED, [last.at, last.probes])
  return {
    breaches,
    jobs: counts?.jobs ?? 0,
    reclaims: counts?.reclaims ?? 0,
    acknowledgements: counts?.acknowledgements ?? 0,
    messages: counts?.messages ?? 0,
    repeatedMessages: counts?.repeated ?? 0,
    acknowledgedLines: counts?.lines ?? 0,
    storedLines: stored.lines,
    recoverySeconds: Math.max(0, ((recovered?.at ?? last.at) - last.at) / 1000),
  }
}
