import type { Command } from 'commander'
import { examples, keyed, type Run, reaching } from '../declare.ts'

const LICENSE = ['--license <id-or-key>', 'only alerts of this license'] as const
const TENANT = ['--tenant <tenant>', 'name or id; without it, for what belongs to no tenant'] as const

/** Declares a command that lists alerts. */
export function declareAlertList(command: Command, run: Run, example: string): void {
  const list = keyed(reaching(command.description('list the alerts, unresolved and newest first')))
    .option('--status <status>', 'firing, acknowledged, snoozed or resolved')
    .option('--host <host>', 'hostname, id or fingerprint')
    .option('--kind <kind>', 'one kind, such as host_offline')
    .option('--since <iso>', 'only alerts that opened then or later, ISO-8601')
    .option('--limit <count>', 'alerts at most, 100 when not given')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer')
    .option(...LICENSE)
    .action(run(async () => (await import('./alerts-list.ts')).listAlerts))
  examples(list, example)
}

/** `svc alerts …` */
export function declareAlerts(program: Command, run: Run): void {
  const alerts = program.command('alerts')
  declareAlertList(alerts.command('list'), run, 'svc alerts list --status firing --json')
  const show = reaching(
    alerts.command('show <id>').description('show an alert, how it was announced and what was done about it'),
  ).action(run(async () => (await import('./alerts-show.ts')).showAlert))
  examples(show, 'svc alerts show alr_01…')
  declareActions(alerts, run)
  declareWebhooks(alerts, run)
}

function declareActions(alerts: Command, run: Run): void {
  const actions = [
    ['ack', 'say that somebody has taken alerts on; good for 24 hours'],
    ['unack', 'take an acknowledgement back'],
    ['snooze', 'keep alerts silent for a time, also when they come back'],
    ['unsnooze', 'end a snooze'],
    ['resolve', 'end alerts; what is still wrong opens them again'],
  ] as const
  for (const [action, summary] of actions) {
    const act = keyed(reaching(alerts.command(`${action} <alerts...>`).description(summary)))
      .option('--note <text>', 'why, for those who look later')
      .option(...LICENSE)
      .action(run(async () => (await import('./alerts-act.ts')).actOnAlerts(action)))
    if (action === 'snooze') {
      act.option('--for <duration>', 'how long: 900, 30m, 2h or 7d; an hour when not given')
      act.option('--until <iso>', 'until when, ISO-8601')
    }
    const flags = action === 'snooze' ? ' --for 2h' : ''
    examples(
      act,
      `svc alerts ${action} alr_01…${flags}`,
      `svc alerts ${action} host_offline:4c4c4544${flags}`,
    )
  }
}

function declareWebhooks(alerts: Command, run: Run): void {
  const load = async () => import('./alerts-webhooks.ts')
  const list = reaching(
    alerts.command('webhooks').description('list where alerts are sent, and how the latest delivery went'),
  ).action(run(async () => (await load()).listWebhooks))
  examples(list, 'svc alerts webhooks')
  const set = reaching(
    alerts.command('webhook-set <url>').description("send a tenant's alerts to an address; signed"),
  )
    .option(...TENANT)
    .option('--rotate', 'make a new signing secret')
    .action(run(async () => (await load()).setWebhook))
  examples(set, 'svc alerts webhook-set https://hooks.example/svc --tenant acme')
  const remove = reaching(alerts.command('webhook-remove').description("send a tenant's alerts nowhere"))
    .option(...TENANT)
    .action(run(async () => (await load()).removeWebhook))
  examples(remove, 'svc alerts webhook-remove --tenant acme')
  const test = reaching(alerts.command('webhook-test').description('send a test message now'))
    .option(...TENANT)
    .action(run(async () => (await load()).testWebhook))
  examples(test, 'svc alerts webhook-test --tenant acme')
}
