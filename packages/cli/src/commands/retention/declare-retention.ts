import type { Command } from 'commander'
import { examples, operating, type Run } from '../declare.ts'

/** `svc retention …` */
export function declareRetention(program: Command, run: Run): void {
  const retention = program.command('retention')
  const show = operating(retention, 'retention.show').action(
    run(async () => (await import('./retention.ts')).showRetention),
  )
  examples(show, 'svc retention show')
  const accept = operating(retention, 'retention.accept')
    .option('--job-days <number>', 'the days that jobs are kept, as svc retention show says')
    .option('--log-days <number>', 'the days that logs are kept, as it says')
    .action(run(async () => (await import('./retention.ts')).acceptRetention))
  examples(accept, 'svc retention show', 'svc retention accept --job-days 90 --log-days 30')
  const verify = retention
    .command('verify <dir>')
    .description('read an archive back, and compare every file with its index; exit code 1 when one differs')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./retention-verify.ts')).verifyArchive))
  examples(verify, 'svc retention verify /srv/archive')
  const remove = operating(retention, 'retention.run')
    .option('--dry-run', 'say what would go, and remove nothing')
    .action(run(async () => (await import('./retention.ts')).runRetention))
  examples(remove, 'svc retention run --dry-run', 'svc retention run')
}
