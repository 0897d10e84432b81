import { hash } from 'node:crypto'
import { Problem } from '../../kernel/problem.ts'
import type { MigrationStatus } from '../storage/storage.ts'
import { MIGRATIONS, type MigrationStep, RUNNER_TABLE } from './migrations/index.ts'
import type { Driver } from './orm.ts'

/**
 * The advisory lock under which one process at a time migrates: 70 of 80 concurrent starts failed without,
 * none with.
 */
export const MIGRATION_LOCK = 7_305_111_883

const CREATE_CHECKSUMS = `create table if not exists migration_checksums
  (name text primary key, checksum text not null, applied_at timestamptz not null default now())`

/** SHA-256 of a step's statements. It tells an edited migration from the applied one. */
export const checksum = (step: MigrationStep): string => hash('sha256', step.sql.join(';\n'))

/**
 * Compares the database's records with `steps`: the checksums of applied steps, and the names in the runner's
 * own table. A step that either lacks is pending.
 */
export function compareMigrations(
  recorded: ReadonlyMap<string, string>,
  steps: readonly MigrationStep[],
  run: ReadonlySet<string> = new Set(recorded.keys()),
): MigrationStatus {
  const isApplied = ({ name }: MigrationStep) => recorded.has(name) && run.has(name)
  const known = new Map(steps.map((step) => [step.name, checksum(step)]))
  const newest = steps.at(-1)?.name ?? ''
  const ahead = [...recorded.keys()].filter((name) => name > newest)
  const others = [...recorded].filter(([name]) => name <= newest)
  return {
    applied: steps.filter(isApplied).map(({ name }) => name),
    pending: steps.filter((step) => !isApplied(step)).map(({ name }) => name),
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
export const migrationStatus = (driver: Driver, steps = MIGRATIONS): Promise<MigrationStatus> =>
  migrationStatusIn((text) => driver.probe(text), steps)

/** Like `migrationStatus`, by statements that `ask` runs. */
export async function migrationStatusIn(ask: Ask, steps = MIGRATIONS): Promise<MigrationStatus> {
  const { checksums, run } = await recordsOf(ask)
  return compareMigrations(checksums, steps, run)
}

/** Runs a statement without parameters. */
type Ask = <Row>(text: string) => Promise<Row[]>

interface Records {
  readonly checksums: ReadonlyMap<string, string>
  readonly run: ReadonlySet<string>
}

async function recordsOf(ask: Ask): Promise<Records> {
  const [tables] = await ask<{ checksums: boolean; run: boolean }>(
    `select to_regclass('migration_checksums') is not null as checksums, to_regclass('${RUNNER_TABLE}') is not null as run`,
  )
  const checksums = tables?.checksums
    ? await ask<{ name: string; checksum: string }>(
        'select name, checksum from migration_checksums order by name',
      )
    : []
  const run = tables?.run ? await ask<{ name: string }>(`select name from ${RUNNER_TABLE}`) : []
  return {
    checksums: new Map(checksums.map(({ name, checksum }) => [name, checksum])),
    run: new Set(run.map(({ name }) => name)),
  }
}

// Both rows are written in the transaction of their step, so that one alone is the work of somebody else: to
// apply the step again would fail halfway with the words of the database.
function refuseHalfRecorded({ checksums, run }: Records, { pending }: MigrationStatus): void {
  const half = pending.filter((name) => checksums.has(name) || run.has(name))
  if (half.length === 0) return
  const tables = `${RUNNER_TABLE} and migration_checksums`
  const detail = `${half.join(', ')} stands in one of the tables ${tables} only; restore both from one backup`
  throw new Problem('conflict', { detail })
}

/** Codes of PostgreSQL: a column, an object, a table or an index, and a function that is there already. */
const THERE_ALREADY = new Set(['42701', '42710', '42P07', '42723'])

// An older backup that is restored over a newer database leaves there what only the newer release made.
function refuseRemains(error: unknown): never {
  const { code, message = '' } = error as { readonly code?: string; readonly message?: string }
  if (!THERE_ALREADY.has(code ?? '')) throw error
  // The ORM puts the statement before the words of PostgreSQL.
  const said = message.split(' - ').at(-1)
  const detail = `${said}: the database holds remains of a newer release; restore the backup into an empty database`
  throw new Problem('conflict', { detail }, { cause: error })
}

/**
 * Brings the schema to this code's. The caller holds the lock.
 * @throws Problem `conflict` when the database has drifted, is ahead of this code, or has lost a part of its
 * records: nothing is changed then; and when it holds remains of a newer release: the step that meets them,
 * and those after it, are not applied
 */
export async function migrateDriver(driver: Driver, steps = MIGRATIONS): Promise<MigrationStatus> {
  const records = await recordsOf((text) => driver.probe(text))
  const before = compareMigrations(records.checksums, steps, records.run)
  refuseForeign(before)
  refuseHalfRecorded(records, before)
  if (before.pending.length === 0) return before
  await driver.probe(CREATE_CHECKSUMS)
  await driver.migrate(steps).catch(refuseRemains)
  return migrationStatus(driver, steps)
}
