import { type MigrationStatus, Problem, readConfig } from '@svc/core'
import type { Command } from 'commander'
import type { CommandRun, Handler } from '../program/command-run.ts'
import { EXIT, type ExitCode } from '../terminal/failure.ts'
import { table } from '../terminal/render.ts'
import { examples, type Run } from './declare.ts'

/** `svc migrate` */
export function declareMigrate(program: Command, run: Run): void {
  const migrate = program
    .command('migrate')
    .option(
      '--status',
      'list the applied, pending and drifted migrations; change nothing; exit code 1 unless all is applied',
    )
    .option('--plan', 'print the statements that would run; change nothing')
    .option('--json', 'print one JSON document')
    .action(run(async () => migrateDatabase))
  examples(migrate, 'DATABASE_URL=postgres://… svc migrate --plan', 'DATABASE_URL=postgres://… svc migrate')
}

/** Flags of `svc migrate`. */
export interface MigrateOptions {
  readonly status?: boolean
  readonly plan?: boolean
}

/** Migrates the database of `DATABASE_URL`, or says which steps would run. */
export const migrateDatabase: Handler<MigrateOptions> = async (run): Promise<ExitCode | undefined> => {
  run.io.keepPrivate()
  const config = readConfig(run.io.env)
  if (config.database.url === undefined) {
    throw new Problem('invalid-input', {
      detail: 'DATABASE_URL is not set; an embedded database migrates itself when it is opened',
    })
  }
  const { databaseServer, migrate, migrationPlan, migrationStatusOf } = await import('@svc/core/sql')
  const server = databaseServer(config) ?? config.database.url
  if (run.options.plan) return printPlan(run, await migrationPlan(server), await migrationStatusOf(server))
  if (run.options.status) return printStatus(run, await migrationStatusOf(server))
  const before = await migrationStatusOf(server)
  const after = await migrate(server)
  const fresh = after.applied.filter((name) => !before.applied.includes(name))
  const code = printStatus(run, after)
  run.hint(fresh.length === 0 ? 'Nothing to do.' : `Applied now: ${fresh.join(', ')}.`)
  return code
}

function printStatus(run: CommandRun, status: MigrationStatus): ExitCode {
  const { pending, drifted, ahead = [] } = status
  const rows = (['applied', 'pending', 'drifted', 'ahead'] as const).flatMap((state) =>
    (status[state] ?? []).map((name) => ({ name, state })),
  )
  const colours = { applied: 'green', pending: 'yellow', drifted: 'red', ahead: 'yellow' } as const
  const columns = [
    { title: 'MIGRATION', text: (row: (typeof rows)[number]) => row.name },
    {
      title: 'STATE',
      text: (row: (typeof rows)[number]) => row.state,
      colour: (row: (typeof rows)[number]) => colours[row.state],
    },
  ]
  run.print({ ...status }, (page) => table(columns, rows, page))
  if (pending.length > 0) run.hint('Run svc migrate to apply pending migrations.')
  if (drifted.length > 0)
    run.hint('The database is not as this release knows it: run the release that migrated it.')
  if (ahead.length > 0) run.hint('A newer release has migrated the database: run that one here too.')
  return pending.length + drifted.length + ahead.length === 0 ? EXIT.done : EXIT.failed
}

type Plan = readonly { readonly name: string; readonly sql: readonly string[] }[]

function printPlan(run: CommandRun, plan: Plan, status: MigrationStatus): undefined {
  run.print({ ...status, plan }, () =>
    plan
      .map(({ name, sql }) => `-- ${name}\n${sql.map((statement) => `${statement};\n`).join('')}`)
      .join('\n'),
  )
  if (plan.length === 0) run.hint('Nothing is pending.')
}
