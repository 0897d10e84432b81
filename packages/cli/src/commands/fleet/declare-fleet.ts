import type { Command } from 'commander'
import { declareAlertList } from '../alerts/declare-alerts.ts'
import { examples, keyed, operating, type Run } from '../declare.ts'

const SCOPE = ['--license <id-or-key>', 'only hosts of this license'] as const

/** `svc fleet …` */
export function declareFleet(program: Command, run: Run): void {
  const fleet = program.command('fleet')
  const servers = keyed(operating(fleet, 'fleet.servers'))
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-servers.ts')).listServers))
  examples(
    servers,
    'svc fleet servers',
    'svc fleet servers --url https://svc.example --key-file /etc/svc/key',
  )
  const backups = keyed(operating(fleet, 'fleet.backups'))
    .option('--host <hostname>', 'only this host')
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-backups.ts')).listBackups))
  examples(backups, 'svc fleet backups --host web-1')
  declareAlertList(
    fleet.command('alerts'),
    run,
    'svc fleet alerts --url https://svc.example --key-file /etc/svc/key',
  )
  const show = operating(fleet, 'fleet.show', '<host>')
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-show.ts')).showHost))
  examples(show, 'svc fleet show web-1')
  const usage = operating(fleet, 'fleet.usage', '<host>')
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-usage.ts')).showUsage))
  examples(usage, 'svc fleet usage web-1')
  const label = operating(fleet, 'fleet.label', '<host> <text>')
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-change.ts')).changeHost('label')))
  examples(label, 'svc fleet label web-1 "Frankfurt, rack 3"')
  const forget = operating(fleet, 'fleet.forget', '<host>')
    .option(...SCOPE)
    .option('--force', 'also a host that is online: it comes back without its label and drain')
    .action(run(async () => (await import('./fleet-change.ts')).changeHost('forget')))
  examples(forget, 'svc fleet forget web-1')
  const reset = operating(fleet, 'fleet.reset-key', '<host>')
    .option(...SCOPE)
    .action(run(async () => (await import('./fleet-change.ts')).resetKey))
  examples(reset, 'svc fleet reset-key web-1')
  for (const verb of ['drain', 'undrain'] as const) {
    const change = operating(fleet, `fleet.${verb}`, '<host>')
      .option(...SCOPE)
      .action(run(async () => (await import('./fleet-change.ts')).changeHost(verb)))
    examples(change, `svc fleet ${verb} web-1`)
  }
}
