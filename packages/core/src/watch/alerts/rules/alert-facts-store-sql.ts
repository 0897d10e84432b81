import { sql } from 'kysely'
import type { Session } from '../../../platform/database/session.ts'
import { at } from '../../../platform/database/statement-time.ts'
import { atOrNow } from '../../../platform/database/typed-statement.ts'
import { instant, maybeInstant } from '../../../platform/database/values.ts'
import { LISTED, type ListedRow, toListedJob } from '../../../work/jobs/job-row-sql.ts'
import { statement } from '../alert-tables-sql.ts'
import {
  type AlertFactsStore,
  CLONE_SECONDS,
  type Clone,
  type FailedJob,
  GAP_NEWS_SECONDS,
  type RateLimitHits,
  REFUSAL_SECONDS,
  type TickGap,
} from './alert-facts.ts'

const CLONES = {
  name: 'alert-clones',
  text: `select i.license_id, i.fingerprint, max(i.returned_at) as returned_at,
      array_agg(distinct i.hostname collate "C") as hostnames, array_agg(distinct i.boot_id collate "C") as boot_ids
    from host_identities i where (i.license_id, i.fingerprint) in (select license_id, fingerprint
      from host_identities where returned_at > ${at('$1')} - make_interval(secs => ${CLONE_SECONDS}))
    group by 1, 2 order by 1, 2`,
}
// The lane of a job: its application, else its kind and host. An index has it in these words.
const laneOf = (job: string): string => `coalesce('app ' || ${job}.app, ${job}.kind || ' ' || ${job}.target)`
// A failure counts that is the newest end of its lane; of ends at one instant a success is the newest. The
// newest is looked up for each failure, which a join that reads whole tables cannot do (`limit`).
const FAILURES = {
  name: 'alert-failures',
  text: `select ${LISTED.map((column) => `f.${column}`).join(', ')} from jobs f cross join lateral (
      select s.id from jobs s where s.license_id = f.license_id and ${laneOf('s')} = ${laneOf('f')}
        and s.finished_at is not null and s.finished_at >= f.finished_at
      order by s.finished_at desc, s.has_failed, s.id desc limit 1) newest
    where f.has_failed and f.finished_at > ${at('$2')} - make_interval(secs => $1) and newest.id = f.id
    order by f.id`,
}
const ADD_REFUSALS = statement(
  'alert-add-refusals',
  (tables, given: { licenseId: string; count: number; now: Date | undefined }) =>
    tables
      .insertInto('rate_refusals')
      .values({
        license_id: given.licenseId,
        minute: sql<Date>`date_trunc('minute', ${atOrNow(given.now)})`,
        count: given.count,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['license_id', 'minute'])
          .doUpdateSet(({ eb, ref }) => ({ count: eb('rate_refusals.count', '+', ref('excluded.count')) })),
      ),
)
const RATE_LIMIT_HITS = statement('alert-refusals', (tables, { now }: { now: Date | undefined }) =>
  tables
    .selectFrom('rate_refusals')
    .select(['license_id', sql<number>`sum(count)::int`.as('count')])
    .where('minute', '>', sql<string>`${atOrNow(now)} - make_interval(secs => ${sql.lit(REFUSAL_SECONDS)})`)
    .groupBy('license_id')
    .orderBy('license_id'),
)
const EVALUATED = {
  name: 'alert-evaluated',
  text: `insert into alert_evaluations as e (at) values (${at('$2')}) on conflict (singleton) do update set
      gap_from = case when excluded.at - e.at > make_interval(secs => $1) then e.at else e.gap_from end,
      gap_until = case when excluded.at - e.at > make_interval(secs => $1) then excluded.at else e.gap_until end,
      at = greatest(e.at, excluded.at)
    returning gap_from, case when gap_until > ${at('$2')} - make_interval(secs => ${GAP_NEWS_SECONDS})
      then gap_until end as gap_until`,
}

interface CloneRow {
  readonly license_id: string
  readonly fingerprint: string
  readonly returned_at: string
  readonly hostnames: readonly string[]
  readonly boot_ids: readonly string[]
}

const said = (words: readonly string[]): readonly string[] => words.filter((word) => word !== '')

/** Facts for the alert rules, in SQL. */
export class SqlAlertFactsStore implements AlertFactsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async clones(now?: Date): Promise<readonly Clone[]> {
    return (await this.#session.rows<CloneRow>(CLONES, [now])).map((row) => ({
      licenseId: row.license_id,
      fingerprint: row.fingerprint,
      hostnames: said(row.hostnames),
      bootIds: said(row.boot_ids),
      returnedAt: instant(row.returned_at),
    }))
  }

  async failures(withinSeconds: number, now?: Date): Promise<readonly FailedJob[]> {
    return (await this.#session.rows<ListedRow>(FAILURES, [withinSeconds, now])).map(toListedJob)
  }

  async addRefusals(licenseId: string, count: number, now?: Date): Promise<void> {
    await ADD_REFUSALS.run(this.#session, { licenseId, count, now })
  }

  async refusals(now?: Date): Promise<readonly RateLimitHits[]> {
    const rows = await RATE_LIMIT_HITS.run(this.#session, { now })
    return rows.map((row) => ({ licenseId: row.license_id, count: row.count }))
  }

  async evaluated(gapSeconds: number, now?: Date): Promise<TickGap | undefined> {
    type Row = { gap_from: string | null; gap_until: string | null }
    const [row] = await this.#session.rows<Row>(EVALUATED, [gapSeconds, now])
    const from = maybeInstant(row?.gap_from ?? null)
    const until = maybeInstant(row?.gap_until ?? null)
    return from === undefined || until === undefined ? undefined : { from, until }
  }
}

/** The store of the feature. */
export const stores = (session: Session): { alertFacts: AlertFactsStore } => ({
  alertFacts: new SqlAlertFactsStore(session),
})
