import type { Command } from 'commander'
import { examples, type Run, reaching } from './declare.ts'

/** `svc audit …` */
export function declareAudit(program: Command, run: Run): void {
  const audit = program.command('audit')
  const list = reaching(audit.command('list').description('list what operators did, newest first'))
    .option('--limit <number>', 'how many at most, 100 when not given')
    .action(run(async () => (await import('./audit/audit-list.ts')).listAudit))
  examples(list, 'svc audit list --limit 20')
}
