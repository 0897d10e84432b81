import { sql } from 'kysely'
import { ofLicensesOrTenants } from '../../platform/database/scoped-statement.ts'
import { atOrNow, isAbsent, present, type Timed } from '../../platform/database/typed-statement.ts'
import type { AnswerSet } from '../../platform/dns/dns-answer.ts'
import type { MonitorDefinition, MonitorError, MonitorOwner, MonitorState } from './monitor.ts'
import { scoped, statement } from './monitor-tables-sql.ts'

/** A definition with its lists as JSON. */
type Written = Omit<MonitorDefinition, 'expected' | 'resolvers'> & {
  readonly expected: string | undefined
  readonly resolvers: string
}

/** Returns the parameters of a definition. */
export const written = (given: MonitorDefinition): Written => ({
  ...given,
  expected: given.expected === undefined ? undefined : JSON.stringify(given.expected),
  resolvers: JSON.stringify(given.resolvers),
})

type Named = MonitorOwner & { readonly id: string; readonly name: string }
const definition = (given: Written) => ({
  host: given.host,
  type: given.type,
  mode: given.mode,
  match: given.match,
  expected: sql<AnswerSet>`${given.expected}::jsonb`,
  interval_seconds: given.intervalSeconds,
  confirmations: given.confirmations,
  resolvers: sql<readonly string[]>`${given.resolvers}::jsonb`,
})

const NO_LEASE = { lease_token: null, lease_until: null } as const

export const ADD = statement('monitor-add', (tables, given: Named & Written & Timed) =>
  tables
    .insertInto('monitors')
    .values({
      id: given.id,
      tenant_id: given.tenantId,
      license_id: given.licenseId,
      name: given.name,
      ...definition(given),
      created_at: atOrNow(given.now),
      next_run_at: atOrNow(given.now),
    })
    .onConflict((conflict) => conflict.expression(sql`coalesce(license_id, tenant_id, ''), name`).doNothing())
    .returningAll(),
)

export const FIND = scoped(
  'monitor-find',
  (tables, { idOrName }: { idOrName: string }, isOwned) =>
    tables
      .selectFrom('monitors')
      .selectAll()
      .where(isOwned)
      .where(({ eb, or }) => or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
      .orderBy(sql`name collate "C"`)
      .orderBy(sql`id collate "C"`),
  ofLicensesOrTenants(),
)

export const LIST = scoped(
  'monitor-list',
  (tables, { tenantId, licenseId }: MonitorOwner, isOwned) =>
    tables
      .selectFrom('monitors')
      .selectAll()
      .where(isOwned)
      .where(({ eb, or }) => or([isAbsent(tenantId), eb('tenant_id', '=', present(tenantId))]))
      .where(({ eb, or }) => or([isAbsent(licenseId), eb('license_id', '=', present(licenseId))]))
      .orderBy(sql`name collate "C"`)
      .orderBy(sql`id collate "C"`),
  ofLicensesOrTenants(),
)

type Redefined = Written & Timed & { id: string; revision: number; startsOver: boolean }

export const REDEFINE = statement('monitor-redefine', (tables, given: Redefined) => {
  const kept = <T>(column: string) =>
    sql<T>`case when ${given.startsOver}::boolean then null else ${sql.ref(column)} end`
  return tables
    .updateTable('monitors')
    .set(({ eb }) => ({
      ...definition(given),
      ...NO_LEASE,
      revision: eb('revision', '+', 1),
      next_run_at: atOrNow(given.now),
      pending: null,
      confirmed: kept<AnswerSet>('confirmed'),
      drifted_at: kept<Date>('drifted_at'),
      error: kept<MonitorError>('error'),
      unreachable_at: kept<Date>('unreachable_at'),
      last_answer_at: kept<Date>('last_answer_at'),
      error_streak: sql<number>`case when ${given.startsOver}::boolean then 0 else error_streak end`,
    }))
    .where('id', '=', given.id)
    .where('revision', '=', given.revision)
    .returningAll()
})

export const SET_PAUSED = statement(
  'monitor-pause',
  (tables, { id, paused, now }: Timed & { id: string; paused: boolean }) =>
    tables
      .updateTable('monitors')
      .set({
        ...NO_LEASE,
        paused_at: sql<Date>`case when ${paused}::boolean then coalesce(paused_at, ${atOrNow(now)}) end`,
        next_run_at: sql<Date>`case when ${paused}::boolean or paused_at is null then next_run_at
          else ${atOrNow(now)} end`,
      })
      .where('id', '=', id)
      .returningAll(),
)

export const ACCEPT = statement('monitor-accept', (tables, { id, now }: Timed & { id: string }) =>
  tables
    .updateTable('monitors')
    .set(({ ref, eb }) => ({
      ...NO_LEASE,
      expected: ref('confirmed'),
      pending: null,
      drifted_at: null,
      revision: eb('revision', '+', 1),
      next_run_at: atOrNow(now),
    }))
    .where('id', '=', id)
    .where('mode', '=', 'baseline')
    .where('confirmed', 'is not', null)
    .returningAll(),
)

export const REMOVE = statement('monitor-remove', (tables, { id }: { id: string }) =>
  tables.deleteFrom('monitors').where('id', '=', id).returning('id'),
)

export const HISTORY = statement('monitor-history', (tables, { id, limit }: { id: string; limit: number }) =>
  tables
    .selectFrom('monitor_history')
    .selectAll()
    .where('monitor_id', '=', id)
    .orderBy('seq', 'desc')
    .limit(limit),
)

export const COUNTS = statement('monitor-counts', (tables) =>
  tables
    .selectFrom('monitors')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      sql<MonitorState>`case when paused_at is not null then 'paused'
        when unreachable_at is not null then 'unreachable' when drifted_at is not null then 'drifted'
        when confirmed is null then 'pending' else 'ok' end`.as('state'),
    ])
    .groupBy('state'),
)
