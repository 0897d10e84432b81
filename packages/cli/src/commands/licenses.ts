import type { Command } from 'commander'
import { examples, type Run, reaching } from './declare.ts'

/** `svc licenses …` */
export function declareLicenses(program: Command, run: Run): void {
  const licenses = program.command('licenses')
  const issue = reaching(licenses.command('issue').description('issue a license; its key is shown once'))
    .option('--tenant <tenant>', 'name or id of the tenant it belongs to')
    .option('--label <text>', 'what it is for')
    .option('--expires <iso>', 'when it ends, ISO-8601')
    .action(run(async () => (await import('./licenses/licenses-issue.ts')).issueLicense))
  examples(issue, 'svc licenses issue --tenant acme --label "web servers" --expires 2030-01-01')
  const list = reaching(licenses.command('list').description('list the issued licenses')).action(
    run(async () => (await import('./licenses/licenses-list.ts')).listLicenses),
  )
  examples(list, 'svc licenses list --json')
  const changes = [
    ['suspend', 'bar a license until it is reinstated; its hosts are refused from the next request on'],
    ['reinstate', 'lift a suspension'],
    ['revoke', 'end a license for good'],
  ] as const
  for (const [verb, summary] of changes) {
    const change = reaching(licenses.command(`${verb} <id>`).description(summary)).action(
      run(async () => (await import('./licenses/licenses-change.ts')).changeLicense(verb)),
    )
    examples(change, `svc licenses ${verb} lic_01…`)
  }
}
