import type { Scope } from '../../kernel/scope.ts'
import { idOf, isOwnedBy, ofLicenses } from '../../platform/database/scoped-statement.ts'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { JOINED, OWNERSHIP, status } from '../alerts/alerts-store-sql.ts'
import { FAILED_DAYS, type LateAfter, type Overview, type OverviewStore } from './overview-store.ts'

const NOW = at('$3')
/** A time that a host gave in unix seconds, 0 for never, is older than so many seconds. */
const isOlder = (column: string, seconds: string): string =>
  `(${column} > 0 and ${column} < extract(epoch from ${NOW}) - ${seconds})`

const textOf = (of: Scope['of']): string => {
  const isOwned = isOwnedBy(of, ofLicenses())
  return `select
    (select jsonb_build_object(
        'up', count(*) filter (where last_heartbeat >= ${NOW} - make_interval(secs => $2)),
        'silent', count(*) filter (where last_heartbeat < ${NOW} - make_interval(secs => $2)),
        'draining', count(*) filter (where drained_at is not null),
        'late', count(*) filter (where capture_success is false or ${isOlder('last_capture_at', '3600 * $4')}),
        'drills', count(*) filter (where drill_pass is false or ${isOlder('last_drill_at', '86400 * $5')}))
      from agents where ${isOwned}) as hosts,
    (select jsonb_build_object(
        'running', count(*) filter (where state in ('claimed', 'running')),
        'waiting', count(*) filter (where state = 'pending' and available_at <= ${NOW}),
        'oldest', coalesce(greatest(0, floor(extract(epoch from ${NOW} - min(greatest(due_at, created_at))
          filter (where state = 'pending' and available_at <= ${NOW})))), 0))
      from jobs where finished_at is null and ${isOwned}) as jobs,
    (select count(*)::float8 from jobs where has_failed
      and finished_at >= ${NOW} - interval '${FAILED_DAYS} days' and ${isOwned}) as failed,
    (select jsonb_build_object('critical', count(*) filter (where a.severity = 'critical'),
        'warning', count(*) filter (where a.severity <> 'critical'))
      ${JOINED} where a.resolved_at is null and ${status(NOW)} = 'firing' and ${isOwnedBy(of, OWNERSHIP)}) as alerts,
    (select count(distinct (license_id, app))::float8 from observed_apps
      where state in ('down', 'degraded') and ${isOwned}) as troubled`
}
const statementOf = (of: Scope['of']) => ({ name: `overview-${of}`, text: textOf(of) })
const READ = {
  platform: statementOf('platform'),
  tenant: statementOf('tenant'),
  license: statementOf('license'),
}

interface Row {
  readonly hosts: Readonly<Record<'up' | 'silent' | 'draining' | 'late' | 'drills', number>>
  readonly jobs: Readonly<Record<'running' | 'waiting' | 'oldest', number>>
  readonly failed: number
  readonly alerts: Overview['alerts']
  readonly troubled: number
}

/** The figures of the overview in SQL. */
export class SqlOverviewStore implements OverviewStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async read(
    scope: Scope,
    { silentSeconds, backupHours, drillDays }: LateAfter,
    now?: Date,
  ): Promise<Overview> {
    const given = [idOf(scope), silentSeconds, now, backupHours, drillDays]
    const [row] = await this.#session.rows<Row>(READ[scope.of], given)
    if (row === undefined) throw new Error('the figures have one row')
    const { up, silent, draining, late, drills } = row.hosts
    const { running, waiting, oldest } = row.jobs
    return {
      hosts: { up, silent, draining },
      jobs: { running, waiting, oldestSeconds: oldest, failed: row.failed },
      alerts: row.alerts,
      apps: { troubled: row.troubled },
      backups: { late, drills },
    }
  }
}

/** It has no tables of its own. */
export const entities: readonly never[] = []

/** The store of the feature. */
export const stores = (session: Session): { overview: OverviewStore } => ({
  overview: new SqlOverviewStore(session),
})
