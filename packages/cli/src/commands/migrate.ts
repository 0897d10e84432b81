import type { Command } from 'commander'
import { examples, type Run } from './declare.ts'

/** `svc migrate` */
export function declareMigrate(program: Command, run: Run): void {
  const migrate = program
    .command('migrate')
    .option(
      '--status',
      'say what is applied, pending and drifted; change nothing; exit code 1 unless all is applied',
    )
    .option('--plan', 'print the statements that would run; change nothing')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./migrate/migrate.ts')).migrateDatabase))
  examples(migrate, 'DATABASE_URL=postgres://… svc migrate --plan', 'DATABASE_URL=postgres://… svc migrate')
}
