import type { SqlEntityManager } from '@mikro-orm/sql'
import { CompiledQuery } from 'kysely'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { Batch } from '../database/batch.ts'
import type { DiskSpace } from '../database/disk-space.ts'
import { migrationStatus } from '../database/migrator.ts'
import type { Driver } from '../database/orm.ts'
import type { Rows, Session, Statement } from '../database/session.ts'
import { translateStorageErrors } from '../database/statement-retry.ts'
import type { RateCounter } from '../limits/rate-counter.ts'
import { SIGNAL_CHANNEL } from '../signals/signal.ts'
import {
  type Pooling,
  REQUIRED_TABLES,
  type Storage,
  type StorageHealth,
  type StorageKind,
  type Stores,
} from './storage.ts'

function withinTransaction(em: SqlEntityManager): Session {
  const rows = async <Row>({ text }: Statement, params: readonly unknown[]) =>
    (await em.getKysely().executeQuery(CompiledQuery.raw(text, [...params]))).rows as Row[]
  const one = <Result>([result]: readonly Result[]) => result as Result
  return {
    rows,
    batched: (parts) => async (item) => one(await parts.run([item], rows)),
    manage: (work) => work(em.fork({ keepTransactionContext: true })),
  }
}

const SIGNAL = { name: 'signal', text: 'select pg_notify($1, $2)' }

const HEALTH = `select now() as now, pg_is_in_recovery() as standby, array(select t from unnest(array['${REQUIRED_TABLES.join("','")}']) as t
  where to_regclass(t) is null) as missing`

/** Resources of a storage beside its driver, which are released after it. */
export interface Held {
  readonly disk?: DiskSpace
  readonly lock?: AsyncDisposable
  readonly lost?: AbortSignal
  readonly dataKey?: string
  readonly copy?: () => Promise<string>
  readonly pooling?: () => Promise<Pooling>
}

/** The same work however often it is asked for: a storage may be disposed by several owners. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

const DISPOSED = 'the storage was disposed of: dispose it after all that uses it, or open another'

/** All stores over one driver. `storesOver` makes every feature's stores, for a session or a transaction. */
export function sqlStorage(
  kind: StorageKind,
  driver: Driver,
  storesOver: (session: Session) => Stores & { readonly rates: RateCounter },
  held: Held = {},
): Storage {
  let isDisposed = false
  /** @throws Problem `unavailable` once the storage was disposed of */
  const used = <T>(work: () => Promise<T>): Promise<T> =>
    isDisposed
      ? Promise.reject(new Problem('unavailable', { detail: DISPOSED }))
      : translateStorageErrors(work)
  const withRoom = <T>(work: () => Promise<T>): Promise<T> =>
    used(async () => {
      await held.disk?.require()
      return work()
    })
  const hot: Rows = (statement, params) => withRoom(() => driver.hotRows(statement, params))
  const session: Session = {
    rows: (statement, params) => withRoom(() => driver.rows(statement, params)),
    batched: ({ run, ...parts }) => {
      const batch = new Batch({ ...parts, lanes: driver.lanes, run: (items) => run(items, hot) })
      return (item) => batch.add(item)
    },
    manage: (work) => withRoom(() => work(driver.em())),
  }
  return {
    ...storesOver(session),
    kind,
    transaction: (work) =>
      session.manage((em) => em.transactional((inner) => work(storesOver(withinTransaction(inner))))),
    hearSignals: (heard, lost) => used(() => driver.hearSignals(heard, lost)),
    signal: async (text) => void (await session.rows(SIGNAL, [SIGNAL_CHANNEL, text])),
    health: () => used(() => health(driver)),
    ...(kind === 'postgresql' && {
      oldestTransactionSeconds: () => oldestTransactionSeconds(session),
      mayChangeAudit: () => mayChangeAudit(session),
      ...present('pooling', held.pooling),
    }),
    disk: async () => held.disk?.room(),
    ...present('lost', held.lost),
    ...(held.dataKey === undefined ? {} : { dataKeys: [held.dataKey] }),
    ...present('copy', held.copy),
    connections: () => driver.connections(),
    [Symbol.asyncDispose]: once(async () => {
      isDisposed = true
      await driver.close()
      await held.lock?.[Symbol.asyncDispose]()
    }),
  }
}

const OLDEST_TRANSACTION = {
  name: 'oldest-transaction',
  text: `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as seconds
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
}

async function oldestTransactionSeconds(session: Session): Promise<number> {
  const [row] = await session.rows<{ seconds: number }>(OLDEST_TRANSACTION, [])
  return row?.seconds ?? 0
}

// The owner of a table may do everything with it, so its rights say nothing.
const MAY_CHANGE_AUDIT = {
  name: 'may-change-audit',
  text: `select coalesce(bool_or(not pg_has_role(c.relowner, 'usage')
      and (has_table_privilege(c.oid, 'update') or has_table_privilege(c.oid, 'delete'))), false) as may
    from pg_class c where c.oid = to_regclass('audit_log')`,
}

async function mayChangeAudit(session: Session): Promise<boolean> {
  const [row] = await session.rows<{ may: boolean }>(MAY_CHANGE_AUDIT, [])
  return row?.may ?? false
}

const STANDBY = 'the database is a standby, which takes no changes: DATABASE_URL has to lead to the primary'

async function health(driver: Driver): Promise<StorageHealth> {
  const start = performance.now()
  const [row] = await driver.probe<{ now: string | Date; standby: boolean; missing: string[] }>(HEALTH)
  const latencyMs = Math.round((performance.now() - start) * 10) / 10
  if (row?.standby) throw new Problem('unavailable', { detail: STANDBY, retryAfterSeconds: 2 })
  const migrations = await migrationStatus(driver)
  return { latencyMs, now: new Date(row?.now ?? Number.NaN), missingTables: row?.missing ?? [], migrations }
}
