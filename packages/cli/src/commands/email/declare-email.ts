import type { Command } from 'commander'
import { OPERATION_SUMMARIES } from '../../connect/operation-summaries.ts'
import { examples, keyed, operating, type Run, reaching } from '../declare.ts'

const OWNER = ['--license <id-or-key>', 'of this license; without it, of all, or for the platform'] as const

/** `svc email …` */
export function declareEmail(program: Command, run: Run): void {
  const email = program.command('email')
  declareDomains(email.command('domains').description('the domains to send from'), run)
  declareKeys(email.command('keys').description('keys that send messages, and open nothing else'), run)
  declareQueue(email.command('queue').description('waiting messages, and the outcomes of others'), run)
  const load = async () => import('./email-queue.ts')
  const suppressions = email.command('suppressions').description('addresses that get no messages')
  const list = operating(suppressions, 'email-suppressions.list')
    .option('--license <id-or-key>', 'of this license; without it, of all')
    .option('--limit <count>', 'addresses at most, 50 when not given')
    .action(run(async () => (await load()).listSuppressions))
  examples(list, 'svc email suppressions list')
  const remove = operating(suppressions, 'email-suppressions.remove', '<address>')
    .option('--license <id-or-key>', 'of this license; without it, of the platform')
    .action(run(async () => (await load()).removeSuppression))
  examples(remove, 'svc email suppressions remove bob@example.net --license lic_01…')
  const send = operating(email, 'emails.send', '<to...>')
    .requiredOption('--from <mailbox>', 'who it comes from, such as shop@mail.example.com')
    .requiredOption('--subject <text>', 'its subject')
    .option('--license <id-or-key>', 'whose domain it comes from; without it, the platform')
    .action(run(async () => (await load()).sendMessage))
  examples(send, "svc email send bob@example.net --from ops@svc.example --subject 'a test' < body.txt")
  const alerts = reaching(email.command('alerts').description(OPERATION_SUMMARIES['email-alerts.run']))
  alerts
    .option('--license <id-or-key>', 'of this license; without it, of all')
    .option('--dry-run', 'list due reminders, and send nothing')
    .action(run(async () => (await import('./email-alerts.ts')).runReminders))
  examples(alerts, 'svc email alerts --dry-run')
  const relay = email.command('relay').description('the mail relay of the settings')
  const check = operating(relay, 'email-relay.check').action(run(async () => (await load()).checkRelay))
  examples(check, 'svc email relay check')
}

function declareDomains(domains: Command, run: Run): void {
  const load = async () => import('./email-domains.ts')
  const list = keyed(operating(domains, 'email-domains.list'))
    .option(...OWNER)
    .option('--limit <count>', 'domains at most, 50 when not given')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer')
    .action(run(async () => (await load()).listDomains))
  examples(list, 'svc email domains list')
  const add = keyed(operating(domains, 'email-domains.add', '<name>'))
    .option(...OWNER)
    .option('--zone', 'print the records as lines of a zone file')
    .action(run(async () => (await load()).addDomain))
  examples(add, 'svc email domains add mail.example.com', 'svc email domains add mail.example.com --zone')
  const show = operating(domains, 'email-domains.show', '<id>')
    .option('--zone', 'print the records as lines of a zone file')
    .action(run(async () => (await load()).showDomain))
  examples(show, 'svc email domains show dom_01… --zone')
  const verify = keyed(operating(domains, 'email-domains.verify', '<id>'))
    .option(...OWNER)
    .action(run(async () => (await load()).verifyDomain))
  examples(verify, 'svc email domains verify dom_01…')
  const health = keyed(operating(domains, 'email-domains.health', '<id>'))
    .option(...OWNER)
    .action(run(async () => (await load()).domainHealth))
  examples(health, 'svc email domains health dom_01…')
  const rotate = operating(domains, 'email-domains.rotate-dkim', '<id>')
    .option('--zone', 'print the records as lines of a zone file')
    .action(run(async () => (await load()).rotateDkim))
  examples(rotate, 'svc email domains rotate-dkim dom_01…')
  const remove = operating(domains, 'email-domains.remove', '<id>').action(
    run(async () => (await load()).removeDomain),
  )
  examples(remove, 'svc email domains remove dom_01…')
}

function declareKeys(keys: Command, run: Run): void {
  const load = async () => import('./email-keys.ts')
  const create = keyed(operating(keys, 'email-keys.create', '<name>'))
    .option(...OWNER)
    .option('--domain <id>', 'the only domain that it may send from')
    .option('--expires <iso>', 'when it ends, ISO-8601, within two years')
    .action(run(async () => (await load()).createKey))
  examples(create, 'svc email keys create app --license lic_01… --domain dom_01…')
  const list = keyed(operating(keys, 'email-keys.list'))
    .option(...OWNER)
    .option('--limit <count>', 'keys at most, 50 when not given')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer')
    .action(run(async () => (await load()).listKeys))
  examples(list, 'svc email keys list')
  const show = keyed(operating(keys, 'email-keys.show', '<id>'))
    .option(...OWNER)
    .action(run(async () => (await load()).showKey))
  examples(show, 'svc email keys show ek_01…')
  const revoke = keyed(operating(keys, 'email-keys.revoke', '<id>'))
    .option(...OWNER)
    .action(run(async () => (await load()).revokeKey))
  examples(revoke, 'svc email keys revoke ek_01…')
}

function declareQueue(queue: Command, run: Run): void {
  const load = async () => import('./email-queue.ts')
  const list = operating(queue, 'email-queue.list')
    .option('--state <state>', 'queued, sending, sent, partial, failed or cancelled')
    .option('--license <id-or-key>', 'of this license; without it, of all')
    .option('--limit <count>', 'messages at most, 50 when not given')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer')
    .action(run(async () => (await load()).listMessages))
  examples(list, 'svc email queue list --state failed')
  const show = operating(queue, 'email-queue.show', '<id>').action(
    run(async () => (await load()).showMessage),
  )
  examples(show, 'svc email queue show em_01…')
  for (const verb of ['retry', 'cancel'] as const) {
    const change = operating(queue, `email-queue.${verb}`, '<id>').action(
      run(async () => (await load()).changeMessage(verb)),
    )
    examples(change, `svc email queue ${verb} em_01…`)
  }
}
