import type { Command } from 'commander'
import { examples, operating, type Run, reaching } from '../declare.ts'

const PROVIDER = ['--provider <name>', 'hetzner (default) or digitalocean'] as const
const each = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

/** `svc provision …` */
export function declareProvision(program: Command, run: Run): void {
  const provision = program.command('provision')
  const load = async () => import('./provision-desk.ts')
  const check = operating(provision, 'provision.check').action(run(async () => (await load()).checkGates))
  examples(check, 'svc provision check')
  declareOrders(provision.command('order').description('orders for servers'), run)
  declareCatalog(
    provision.command('catalog').description("the catalogue: the providers' offers for each plan"),
    run,
  )
  declareCredentials(provision.command('credential').description('the tokens of providers'), run)
  declareTemplate(provision.command('template').description('the user data of new servers'), run)
  const step = operating(provision, 'provision.step')
    .option('--order <id>', 'only this order')
    .option('--limit <number>', 'steps at most, 1 when not given')
    .action(run(async () => (await load()).takeSteps))
  examples(step, 'svc provision step --order pord_01…')
  const budget = operating(provision, 'provision.budget').action(run(async () => (await load()).showBudget))
  examples(budget, 'svc provision budget')
  const reconcile = operating(provision, 'provision.reconcile')
    .option(...PROVIDER)
    .option('--destroy <id>', 'delete this server, which no order knows')
    .option('--yes', 'needed for it')
    .action(run(async () => (await load()).reconcile))
  examples(reconcile, 'svc provision reconcile', 'svc provision reconcile --destroy 4711 --yes')
}

function declareOrders(orders: Command, run: Run): void {
  const load = async () => import('./provision-orders.ts')
  const create = operating(orders, 'provision-orders.create')
    .requiredOption('--plan <plan>', 'a plan of the catalogue')
    .option('--provider <name>', 'hetzner or digitalocean, if the plan is mapped at both')
    .option('--hostname <name>', "name of the host; the server's own when not given")
    .option('--key-stdin', 'read the license key for its agent: asked for at a terminal; this is the default')
    .option('--dry-run', 'only show the price, and the amount left below the ceiling')
    .action(run(async () => (await load()).createOrder))
  examples(create, 'svc provision order create --plan small --key-stdin < key-file')
  const list = operating(orders, 'provision-orders.list')
    .option('--license <id-or-key>', 'of this license')
    .option('--limit <number>', 'orders at most, 50 when not given')
    .action(run(async () => (await load()).listOrders))
  examples(list, 'svc provision order list')
  const show = operating(orders, 'provision-orders.show', '<order>').action(
    run(async () => (await load()).showOrder),
  )
  examples(show, 'svc provision order show pord_01…')
  for (const verb of ['cancel', 'retry'] as const) {
    const change = operating(orders, `provision-orders.${verb}`, '<order>').action(
      run(async () => (await load()).changeOrder(verb)),
    )
    examples(change, `svc provision order ${verb} pord_01…`)
  }
  const destroy = operating(orders, 'provision-orders.destroy', '<order>')
    .option('--yes', 'needed: all data on the server is lost')
    .action(run(async () => (await load()).destroyOrder))
  examples(destroy, 'svc provision order destroy pord_01… --yes')
}

function declareCatalog(catalog: Command, run: Run): void {
  const load = async () => import('./provision-catalog.ts')
  const list = operating(catalog, 'provision-catalog.list').action(
    run(async () => (await load()).listCatalog),
  )
  examples(list, 'svc provision catalog list')
  const set = operating(catalog, 'provision-catalog.set', '<plan>')
    .option(...PROVIDER)
    .requiredOption('--server-type <name>', "the provider's name of the server type")
    .requiredOption('--location <name>', 'where it may stand, the first choice first; may be repeated', each)
    .requiredOption('--image <name>', "the provider's name of the image")
    .requiredOption('--ssh-key <id-or-name>', 'a key of the project that may sign in; may be repeated', each)
    .requiredOption('--max-monthly <amount>', 'the most that it may cost a month, such as "6.00 EUR"')
    .option('--disabled', 'no orders for it')
    .action(run(async () => (await load()).setCatalog))
  const names = '--server-type cx22 --location fsn1 --image debian-12 --ssh-key ops'
  examples(set, `svc provision catalog set small ${names} --max-monthly "6.00 EUR"`)
  const remove = operating(catalog, 'provision-catalog.remove', '<plan>')
    .option(...PROVIDER)
    .action(run(async () => (await load()).removeCatalog))
  examples(remove, 'svc provision catalog remove small')
}

function declareCredentials(credentials: Command, run: Run): void {
  const load = async () => import('./provision-credentials.ts')
  const show = operating(credentials, 'provision-credentials.show').action(
    run(async () => (await load()).showCredentials),
  )
  examples(show, 'svc provision credential show')
  const set = operating(credentials, 'provision-credentials.set')
    .option(...PROVIDER)
    .option('--stdin', 'read the token: asked for at a terminal; this is the default')
    .action(run(async () => (await load()).setCredential))
  examples(set, 'svc provision credential set --stdin < token-file')
  for (const verb of ['verify', 'clear'] as const) {
    const change = operating(credentials, `provision-credentials.${verb}`)
      .option(...PROVIDER)
      .action(run(async () => (await load()).changeCredential(verb)))
    examples(change, `svc provision credential ${verb}`)
  }
}

function declareTemplate(template: Command, run: Run): void {
  const load = async () => import('./provision-desk.ts')
  const check = reaching(
    template.command('check').description('list the faults of the template; exit code 1 if there are any'),
  ).action(run(async () => (await load()).checkTemplate))
  examples(check, 'svc provision template check')
  const render = operating(template, 'provision-template.render')
    .option('--redact', 'leave the license key out, as is always done')
    .action(run(async () => (await load()).renderTemplate))
  examples(render, 'svc provision template render --redact')
}
