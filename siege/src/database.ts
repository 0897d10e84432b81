import { migratedDatabase } from '@svc/testing'
import { migrateDriver } from '../../packages/core/src/platform/database/migrator.ts'
import { type Driver, pgliteDriver, postgresDriver } from '../../packages/core/src/platform/database/orm.ts'
import { sqlStorage } from '../../packages/core/src/platform/storage/sql-storage.ts'
import type { Storage } from '../../packages/core/src/platform/storage/storage.ts'
import { FEATURES } from '../../packages/core/src/wiring/features.ts'
import { BYSTANDER } from './marker.ts'

/** A database whose rows can be compared and deleted. */
export interface WatchedDatabase {
  readonly storage: Storage
  /**
   * Returns the number of rows of each table with a digest of them. If two results are equal, nothing changed
   * in between.
   */
  rows(): Promise<Record<string, string>>
  /** Deletes every row. */
  empty(): Promise<void>
}

const POOL_SIZE = 10
/** Tables that record refusals on purpose, and the calls of a license key. */
const UNWATCHED = ['audit_log', 'license_calls']
/**
 * Exclusions from the comparison, which change without an accepted attack: the time of a session's last use,
 * and the good client's own row.
 */
const ROWS: Readonly<Record<string, { readonly row?: string; readonly where?: string }>> = {
  sessions: { row: "(to_jsonb(t) - 'last_used_at')::text" },
  agents: { where: `where fingerprint <> '${BYSTANDER}'` },
}
const TABLES = `select table_name as name from information_schema.tables
  where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like '%migration%' order by 1`

/** Opens a database on the server of the run (`SVC_TEST_POSTGRES`), or PostgreSQL inside this process. */
export async function openDatabase(kind: string | undefined): Promise<WatchedDatabase> {
  if (kind === 'pglite') {
    const driver = await pgliteDriver({})
    await migrateDriver(driver)
    return watched(sqlStorage('pglite-memory', driver, (await FEATURES.sql()).stores), driver)
  }
  const { url } = await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  const driver = await postgresDriver(url, POOL_SIZE)
  return watched(sqlStorage('postgresql', driver, (await FEATURES.sql()).stores), driver)
}

async function watched(storage: Storage, driver: Driver): Promise<WatchedDatabase> {
  const query = <Row>(text: string) => driver.rows<Row>({ name: '', text }, [])
  const names = (await query<{ name: string }>(TABLES)).map(({ name }) => name)
  // A sum, so that the order of rows does not matter.
  const digests = names
    .filter((name) => !UNWATCHED.includes(name))
    .map((name) => {
      const { row = 't::text', where = '' } = ROWS[name] ?? {}
      return `select '${name}' as name, count(*) || ' rows, ' || coalesce(sum(hashtextextended(${row}, 0)), 0) as rows
        from ${name} t ${where}`
    })
    .join(' union all ')
  return {
    storage,
    rows: async () => {
      const found = await query<{ name: string; rows: string }>(digests)
      return Object.fromEntries(found.map(({ name, rows }) => [name, rows]))
    },
    empty: async () => {
      await query(`truncate ${names.join(', ')}`)
    },
  }
}
