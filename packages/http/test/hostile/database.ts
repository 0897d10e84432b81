import { migrate } from '@svc/core/sql'
import { testDatabase } from '@svc/testing'
import { migrateDriver } from '../../../core/src/storage/migrator.ts'
import { type Driver, pgliteDriver, postgresDriver } from '../../../core/src/storage/orm.ts'
import { ENTITIES, sqlStorage } from '../../../core/src/storage/sql-storage.ts'
import type { Storage } from '../../../core/src/storage/storage.ts'

/** A database that can be counted and emptied. */
export interface CountedDatabase {
  readonly storage: Storage
  /** Rows by table; `audit_log` records refusals on purpose. */
  rows(): Promise<Record<string, number>>
  /** Takes every row away. */
  empty(): Promise<void>
}

const POOL_SIZE = 10
const TABLES = `select table_name as name from information_schema.tables
  where table_schema = 'public' and table_name not like '%migration%' order by 1`

/** A database on the server of the run (`SVC_TEST_POSTGRES`), or PostgreSQL inside this process. */
export async function openDatabase(kind: string | undefined): Promise<CountedDatabase> {
  if (kind === 'pglite') {
    const driver = await pgliteDriver({}, ENTITIES)
    await migrateDriver(driver)
    return counted(sqlStorage('pglite-memory', driver), driver)
  }
  const { url } = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  await migrate(url)
  const driver = await postgresDriver(url, POOL_SIZE, ENTITIES)
  return counted(sqlStorage('postgresql', driver), driver)
}

async function counted(storage: Storage, driver: Driver): Promise<CountedDatabase> {
  const query = <Row>(text: string) => driver.rows<Row>({ name: '', text }, [])
  const names = (await query<{ name: string }>(TABLES)).map(({ name }) => name)
  const counts = names
    .filter((name) => name !== 'audit_log')
    .map((name) => `select '${name}' as name, count(*)::int as count from ${name}`)
    .join(' union all ')
  return {
    storage,
    rows: async () => {
      const found = await query<{ name: string; count: number }>(counts)
      return Object.fromEntries(found.map(({ name, count }) => [name, count]))
    },
    empty: async () => {
      await query(`truncate ${names.join(', ')}`)
    },
  }
}
