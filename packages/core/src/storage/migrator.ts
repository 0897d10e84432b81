import { hash } from 'node:crypto'
import { Problem } from '../problem.ts'
import { MIGRATIONS, type MigrationStep } from './migrations/index.ts'
import type { Driver } from './orm.ts'
import type { MigrationStatus } from './storage.ts'

/** The advisory lock under which one process at a time migrates: 70 of 80 concurrent starts failed without, none with. */
export const MIGRATION_LOCK = 7_305_111_883

const CREATE_CHECKSUMS = `create table if not exists migration_checksums
  (name text primary key, checksum text not null, applied_at timestamptz not null default now())`

/** SHA-256 of a step's statements: what tells an edited migration from the applied one. */
export const checksum = (step: MigrationStep): string => hash('sha256', step.sql.join(';\n'))

/** Compares what the database remembers with `steps`. */
export function compareMigrations(
  recorded: ReadonlyMap<string, string>,
  steps: readonly MigrationStep[],
): MigrationStatus {
  const known = new Map(steps.map((step) => [step.name, checksum(step)]))
  const newest = steps.at(-1)?.name ?? ''
  const ahead = [...recorded.keys()].filter((name) => name > newest)
  const others = [...recorded].filter(([name]) => name <= newest)
  return {
    applied: steps.filter((step) => recorded.has(step.name)).map((step) => step.name),
    pending: steps.filter((step) => !recorded.has(step.name)).map((step) => step.name),
    drifted: others.filter(([name, sum]) => known.get(name) !== sum).map(([name]) => name),
    ...(ahead.length === 0 ? {} : { ahead }),
  }
}

/**
 * Whether code of this release may begin to work on the database.
 * @throws Problem `conflict` when it is ahead of this release, or has drifted
 */
export function refuseForeign({ drifted, ahead }: MigrationStatus): void {
  if (ahead !== undefined) {
    const detail = `the database is ahead of this release (${ahead.join(', ')}); run a newer one`
    throw new Problem('conflict', { detail })
  }
  if (drifted.length > 0) {
    const detail = `the database has drifted: ${drifted.join(', ')} was applied with another text than this release has`
    throw new Problem('conflict', { detail })
  }
}

/** Reads the schema's state without changing it. */
export async function migrationStatus(driver: Driver, steps = MIGRATIONS): Promise<MigrationStatus> {
  const [table] = await driver.probe<{ exists: boolean }>(
    `select to_regclass('migration_checksums') is not null as exists`,
  )
  const rows = table?.exists
    ? await driver.probe<{ name: string; checksum: string }>(
        'select name, checksum from migration_checksums order by name',
      )
    : []
  return compareMigrations(new Map(rows.map((row) => [row.name, row.checksum])), steps)
}

/**
 * Brings the schema to this code's. The caller holds the lock.
 * @throws Problem `conflict` when the database has drifted, or is ahead of this code: nothing is changed then
 */
export async function migrateDriver(driver: Driver, steps = MIGRATIONS): Promise<MigrationStatus> {
  const before = await migrationStatus(driver, steps)
  refuseForeign(before)
  if (before.pending.length === 0) return before
  await driver.probe(CREATE_CHECKSUMS)
  await driver.migrate(steps)
  return migrationStatus(driver, steps)
}
