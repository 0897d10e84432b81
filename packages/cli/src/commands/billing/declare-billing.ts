import type { Command } from 'commander'
import { examples, operating, type Run } from '../declare.ts'

/** `svc billing …` */
export function declareBilling(program: Command, run: Run): void {
  const billing = program.command('billing')
  const load = async () => import('./billing-licenses.ts')
  const tiers = operating(billing, 'billing.tiers').action(run(async () => (await load()).listTiers))
  examples(tiers, 'svc billing tiers')
  const status = operating(billing, 'billing.status', '<license>').action(
    run(async () => (await load()).showStatus),
  )
  examples(status, 'svc billing status "web servers"')
  const checkout = operating(billing, 'billing.checkout', '<license>')
    .requiredOption('--tier <tier>', 'the tier to pay for: svc billing tiers lists them')
    .option('--email <email>', 'the address of the customer; default: the contact of the license')
    .option('--success-url <url>', 'where the page leads to when it was paid')
    .option('--cancel-url <url>', 'where it leads to when it was not')
    .action(run(async () => (await load()).openCheckout))
  examples(checkout, 'svc billing checkout "web servers" --tier pro')
  declareEvents(billing.command('events').description('events of the payment provider'), run)
  const sync = operating(billing, 'billing.sync', '<license-or-subscription>').action(
    run(async () => (await import('./billing-provider.ts')).syncSubscriptions),
  )
  examples(sync, 'svc billing sync "web servers"')
  const reconcile = operating(billing, 'billing.reconcile')
    .option('--dry-run', 'only list the differences')
    .action(run(async () => (await import('./billing-provider.ts')).reconcile))
  examples(reconcile, 'svc billing reconcile --dry-run')
  const signTest = operating(billing, 'billing.sign-test').action(
    run(async () => (await import('./billing-provider.ts')).signTest),
  )
  examples(signTest, 'svc billing sign-test < event.json')
}

function declareEvents(events: Command, run: Run): void {
  const load = async () => import('./billing-events.ts')
  const list = operating(events, 'billing-events.list')
    .option('--state <state>', 'only events that are received, applied, ignored, parked or failed')
    .option('--license <id-or-key>', 'only events about this license')
    .option('--limit <number>', 'how many, 100 when not given')
    .action(run(async () => (await load()).listEvents))
  examples(list, 'svc billing events list --state parked')
  const show = operating(events, 'billing-events.show', '<event>').action(
    run(async () => (await load()).showEvent),
  )
  examples(show, 'svc billing events show evt_01…')
  for (const verb of ['retry', 'resolve'] as const) {
    const settle = operating(events, `billing-events.${verb}`, '<event>').action(
      run(async () => (await load()).settleEvent(verb)),
    )
    examples(settle, `svc billing events ${verb} evt_01…`)
  }
}
