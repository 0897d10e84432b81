import type { AuditView } from '@svc/core'
import type { Command } from 'commander'
import { given, type Handler } from '../program/command-run.ts'
import { ago, type Page, table } from '../terminal/render.ts'
import { examples, operating, type Run } from './declare.ts'
import { hintMore } from './hint-more.ts'
import { secondOf, wholeNumber } from './number-option.ts'

/** `svc audit …` */
export function declareAudit(program: Command, run: Run): void {
  const audit = program.command('audit')
  const list = operating(audit, 'audit.list')
    .option('--who <text>', 'only actions of this person or program; a part of the name suffices')
    .option('--operation <name>', 'only this operation, or all of a noun: jobs.enqueue, jobs.')
    .option('--since <iso>', 'only actions at that time or later, ISO-8601')
    .option('--limit <number>', 'how many at most, 100 when not given')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer')
    .action(run(async () => listAudit))
  const prune = audit
    .command('prune')
    .description('write old entries to an archive and remove them, as the owner of the database')
    .requiredOption('--before <iso>', 'entries before that time, which is at least 90 days ago, ISO-8601')
    .requiredOption('--archive <dir>', 'folder that they are written to first; it is made when it is new')
    .option('--dry-run', 'count them, and remove nothing')
    .option('--data-dir <dir>', 'data folder of a control plane that is stopped (else DATABASE_URL)')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./audit-prune.ts')).pruneAuditLog))
  examples(prune, 'DATABASE_URL=postgres://… svc audit prune --before 2026-01-01 --archive /srv/archive')
  examples(
    list,
    'svc audit list --limit 20',
    'svc audit list --who ada --operation users. --since 2026-11-01',
  )
}

/** Flags of `svc audit list`. */
export interface AuditOptions {
  readonly who?: string
  readonly operation?: string
  readonly since?: string
  readonly limit?: string
  readonly cursor?: string
}

const auditTable = (audit: readonly AuditView[], page: Page): string =>
  table(
    [
      { title: 'WHEN', text: ({ at }) => ago(at, page) },
      { title: 'WHO', narrow: 'shrinks', text: ({ actor }) => actor },
      { title: 'OPERATION', text: ({ operation }) => operation },
      {
        title: 'OUTCOME',
        text: ({ outcome }) => outcome,
        colour: ({ outcome }) => (outcome === 'ok' ? 'green' : 'red'),
      },
      { title: 'INPUT', narrow: 'shrinks', text: ({ input }) => JSON.stringify(input) },
    ],
    audit,
    page,
  )

/** Lists the actions of operators. */
export const listAudit: Handler<AuditOptions> = async (run) => {
  const { who, operation, since, limit, cursor } = run.options
  const input = given({
    who,
    operation,
    since: secondOf('--since', since),
    limit: wholeNumber('--limit', limit),
    cursor,
  })
  const answer = await run.operate<{ audit: readonly AuditView[]; next_cursor?: string }>('audit.list', input)
  run.print(answer, (page) => auditTable(answer.audit, page))
  hintMore(run, answer, answer.audit.length)
  if (answer.audit.length === 0 && answer.next_cursor === undefined)
    run.hint('Nothing found: every command that changes something leaves a row here.')
}
