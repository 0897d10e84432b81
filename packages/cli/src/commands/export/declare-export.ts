import type { Command } from 'commander'
import { examples, type Run } from '../declare.ts'

const DATA_DIR = '--data-dir <dir>'
const FORCE = ['--force', 'replace the file if there is one'] as const
const JSON_FLAG = ['--json', 'print one JSON document'] as const

/** `svc export` */
export function declareExport(program: Command, run: Run): void {
  const command = program
    .command('export <file>')
    .option(
      DATA_DIR,
      'data folder to read, also while it is served (SERVICE_DATA_DIR; ./.svc when it exists)',
    )
    .option(...FORCE)
    .option(...JSON_FLAG)
    .action(run(async () => (await import('./write-file.ts')).exportToFile))
  examples(
    command,
    'svc export svc.jsonl.gz --data-dir .svc         compressed, by the name',
    'DATABASE_URL=postgres://… svc export - | ssh …  to standard output',
  )
}

/** `svc backup` */
export function declareBackup(program: Command, run: Run): void {
  const command = program
    .command('backup <file>')
    .option(
      DATA_DIR,
      'data folder to read, also while it is served (SERVICE_DATA_DIR; ./.svc when it exists)',
    )
    .option(...FORCE)
    .option(...JSON_FLAG)
    .action(run(async () => (await import('./write-file.ts')).backUpToFile))
  examples(command, 'svc backup /var/backups/svc.jsonl.gz --data-dir /var/lib/svc --force')
}

/** `svc import` */
export function declareImport(program: Command, run: Run): void {
  const command = program
    .command('import <file>')
    .option(DATA_DIR, 'data folder to fill; made if there is none')
    .option(...JSON_FLAG)
    .action(run(async () => (await import('./read-file.ts')).importFromFile))
  examples(
    command,
    'DATABASE_URL=postgres://… svc import svc.jsonl.gz',
    'svc import svc.jsonl.gz --data-dir /var/lib/svc',
  )
}
