import type { AuditView } from '@svc/core'
import type { Command } from 'commander'
import { given, type Handler } from '../program/command-run.ts'
import { ago, type Page, table } from '../terminal/render.ts'
import { examples, operating, type Run } from './declare.ts'
import { wholeNumber } from './number-option.ts'

/** `svc audit …` */
export function declareAudit(program: Command, run: Run): void {
  const audit = program.command('audit')
  const list = operating(audit, 'audit.list')
    .option('--limit <number>', 'how many at most, 100 when not given')
    .action(run(async () => listAudit))
  examples(list, 'svc audit list --limit 20')
}

/** Flags of `svc audit list`. */
export interface AuditOptions {
  readonly limit?: string
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

/** Lists what operators did. */
export const listAudit: Handler<AuditOptions> = async (run) => {
  const input = given({ limit: wholeNumber('--limit', run.options.limit) })
  const answer = await run.operate<{ audit: readonly AuditView[] }>('audit.list', input)
  run.print(answer, (page) => auditTable(answer.audit, page))
  if (answer.audit.length === 0)
    run.hint('Nothing yet: every command that changes something leaves a row here.')
}
