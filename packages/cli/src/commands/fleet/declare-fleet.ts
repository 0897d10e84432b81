import type { Command } from 'commander'
import { declareAlertList } from '../alerts/declare-alerts.ts'
import { examples, keyed, type Run, reaching } from '../declare.ts'

const SCOPE = ['--license <id-or-key>', 'only hosts of this license'] as const

/** `svc fleet …` */
export function declareFleet(program: Command, run: Run): void {
  const fleet = program.command('fleet')
  const servers = keyed(reaching(fleet.command('servers').description('list the hosts')))
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-servers.ts')).listServers))
  examples(
    servers,
    'svc fleet servers',
    'svc fleet servers --url https://svc.example --key-file /etc/svc/key',
  )
  const backups = keyed(reaching(fleet.command('backups').description('list the backups of the hosts')))
    .option('--host <hostname>', 'only this host')
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-backups.ts')).listBackups))
  examples(backups, 'svc fleet backups --host web-1')
  declareAlertList(
    fleet.command('alerts'),
    run,
    'svc fleet alerts --url https://svc.example --key-file /etc/svc/key',
  )
  const label = reaching(
    fleet.command('label <host> <text>').description("set the operator's name of a host; '' removes it"),
  )
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-change.ts')).changeHost('label')))
  examples(label, 'svc fleet label web-1 "Frankfurt, rack 3"')
  const changes = [
    ['drain', 'give a host no new jobs; it finishes what it runs'],
    ['undrain', 'let a drained host take jobs again'],
    ['forget', 'take a host off the list; it comes back with its next heartbeat'],
  ] as const
  for (const [verb, summary] of changes) {
    const change = reaching(fleet.command(`${verb} <host>`).description(summary))
      .option(...SCOPE)
      .action(run(async () => (await import('./fleet-change.ts')).changeHost(verb)))
    examples(change, `svc fleet ${verb} web-1`)
  }
}
