import type { Command } from 'commander'
import { OPERATION_SUMMARIES } from '../../connect/operation-summaries.ts'
import { examples, keyed, operating, type Run, reaching } from '../declare.ts'

const LICENSE = ['--license <id-or-key>', 'only alerts of this license'] as const
const TENANT = ['--tenant <tenant>', 'name or id; without it, for alerts without a tenant'] as const

/** Declares a command that lists alerts. */
export function declareAlertList(command: Command, run: Run, example: string): void {
  const list = keyed(reaching(command.description(OPERATION_SUMMARIES['alerts.list'])))
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
  const show = operating(alerts, 'alerts.show', '<id>').action(
    run(async () => (await import('./alerts-show.ts')).showAlert),
  )
  examples(show, 'svc alerts show alr_01…')
  declareActions(alerts, run)
  declareWebhooks(alerts, run)
  declareMail(alerts, run)
}

function declareActions(alerts: Command, run: Run): void {
  for (const action of ['ack', 'unack', 'snooze', 'unsnooze', 'resolve'] as const) {
    const act = keyed(operating(alerts, `alerts.${action}`, '<alerts...>'))
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
  const list = operating(alerts, 'alerts.webhooks').action(run(async () => (await load()).listWebhooks))
  examples(list, 'svc alerts webhooks')
  const set = operating(alerts, 'alerts.webhook-set', '<url>')
    .option(...TENANT)
    .option('--rotate', 'make a new signing secret')
    .action(run(async () => (await load()).setWebhook))
  examples(set, 'svc alerts webhook-set https://hooks.example/svc --tenant acme')
  const remove = operating(alerts, 'alerts.webhook-remove')
    .option(...TENANT)
    .action(run(async () => (await load()).removeWebhook))
  examples(remove, 'svc alerts webhook-remove --tenant acme')
  const test = operating(alerts, 'alerts.webhook-test')
    .option(...TENANT)
    .action(run(async () => (await load()).testWebhook))
  examples(test, 'svc alerts webhook-test --tenant acme')
}

function declareMail(alerts: Command, run: Run): void {
  const load = async () => import('./alerts-mail.ts')
  const list = operating(alerts, 'alerts.mailboxes').action(run(async () => (await load()).listMailboxes))
  examples(list, 'svc alerts mailboxes')
  const set = operating(alerts, 'alerts.mail-set', '<addresses...>')
    .option(...TENANT)
    .action(run(async () => (await load()).setMailboxes))
  examples(set, 'svc alerts mail-set ops@acme.example ann@acme.example --tenant acme')
  const remove = operating(alerts, 'alerts.mail-remove')
    .option(...TENANT)
    .action(run(async () => (await load()).removeMailboxes))
  examples(remove, 'svc alerts mail-remove --tenant acme')
  const test = operating(alerts, 'alerts.mail-test')
    .option(...TENANT)
    .action(run(async () => (await load()).testMailboxes))
  examples(test, 'svc alerts mail-test --tenant acme')
}
