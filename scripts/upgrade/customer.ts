import { createHmac, randomUUID } from 'node:crypto'
import { oneTimeCode } from '@svc/testing'
import type { Document, Plane } from './plane.ts'
import { publish, type World } from './world.ts'

/** The customer of the fixtures. Every name, address and secret is made up. */
export interface Customer {
  /** API token of the platform's administrator, and the one of the tenant's pipeline. */
  readonly token: string
  readonly tenantToken: string
  readonly tenant: string
  readonly license: { readonly id: string; readonly key: string }
  /** A person with a second factor, whose secret the database has sealed. */
  readonly owner: { readonly email: string; readonly password: string; readonly otp: string }
  readonly hooks: { readonly shop: SecretOf; readonly blog: SecretOf }
  readonly endpoint: SecretOf
  readonly alertSecret: string
  readonly sendingKey: string
  readonly browserToken: string
  readonly domain: { readonly id: string; readonly name: string }
  readonly records: readonly DnsRecord[]
  readonly order: string
  readonly conversation: string
  /** The event of the payment provider that the license has its tier from, with the time of its signature. */
  readonly payment: string
}

export interface SecretOf {
  readonly id: string
  readonly secret: string
}

export interface DnsRecord {
  readonly name: string
  readonly value: string
}

/** Signs the events of the payment provider. */
export const PAYMENT_SECRET = ['whsec', 'b'.repeat(32)].join('_')
const PASSWORDS = { ada: 'seven green lanterns over a quay', eve: 'nine blue kettles under a roof' }
const PROVIDER_TOKEN = 'made-up-token-of-a-provider-that-is-long'
/** Beyond this no fixture is of use. */
const FAR = '2090-01-01T00:00:00Z'
/** The host without an agent of ours. */
const SECOND = 'second-host-0123456789'

/** Fills a fresh plane as a small hosting company would, but for its jobs: those come from `work.ts`. */
export async function moveIn(plane: Plane, world: World): Promise<Customer> {
  const { secret: token } = await plane.json<{ secret: string }>([
    'tokens',
    'issue',
    '--role',
    'super_admin',
    '--label',
    'the administrator',
  ])
  const run = <D = Document>(name: string, input: Document = {}) => plane.operation<D>(token, name, input)
  const tenant = (await run<{ tenant: { id: string } }>('tenants.add', { name: 'acme' })).tenant.id
  await run('tenants.add', { name: 'a neighbour' })
  const license = await licenses(run)
  const beat = { fingerprint: SECOND, hostname: 'web-2', cpu_pct: 3, mem_pct: 20, disk_pct: 97, jobs: [] }
  const report = { ...beat, backup_health: { last_capture_at: 1_790_000_000, success: true } }
  await accepted(plane, '/v1/telemetry/heartbeat', report, license.key)
  const people = await peopleOf(plane)
  const parts = { token, tenant, license, ...people, ...(await reach(plane, run, world, license)) }
  return { ...parts, ...(await rest(plane, run, world, license)) }
}

type Run = <D = Document>(name: string, input?: Document) => Promise<D>

async function accepted(plane: Plane, path: string, body: unknown, bearer: string): Promise<Response> {
  const answer = await plane.ask(path, { body, headers: { authorization: `Bearer ${bearer}` } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

async function licenses(run: Run): Promise<Customer['license']> {
  const issue = (label: string, more: Document = {}) =>
    run<{ license: { id: string }; key: string }>('licenses.issue', { label, ...more })
  const contact = 'ops@acme.example'
  const own = await issue('web servers', { tenant: 'acme', expires: FAR, contact })
  const lost = await issue('lost', { tenant: 'acme' })
  await run('licenses.revoke', { license: lost.license.id })
  const late = await issue('late payer', { tenant: 'a neighbour' })
  await run('licenses.suspend', { license: late.license.id })
  return { id: own.license.id, key: own.key }
}

async function peopleOf(plane: Plane): Promise<Pick<Customer, 'owner' | 'tenantToken' | 'browserToken'>> {
  const add = (email: string, password: string, ...flags: readonly string[]) =>
    plane.json(['users', 'add', email, ...flags, '--password-stdin'], `${password}\n`)
  await add('ada@svc.example', PASSWORDS.ada, '--role', 'super_admin')
  const email = 'eve@acme.example'
  await add(email, PASSWORDS.eve, '--role', 'owner', '--tenant', 'acme')
  await add('gone@svc.example', PASSWORDS.ada, '--role', 'support')
  await plane.json(['users', 'disable', 'gone@svc.example'])
  const tokens = ['tokens', 'issue', '--role', 'developer', '--tenant', 'acme', '--label', 'pipeline']
  const { secret: tenantToken } = await plane.json<{ secret: string }>(tokens)
  const pages = ['browser', 'tokens', 'issue', '--label', 'crawler']
  const { secret: browserToken } = await plane.json<{ secret: string }>(pages)
  const setting = ['provision', 'credential', 'set', '--provider', 'hetzner']
  await plane.json(setting, `${PROVIDER_TOKEN}\n`)
  const owner = { email, password: PASSWORDS.eve, otp: await secondFactor(plane, email, PASSWORDS.eve) }
  return { owner, tenantToken, browserToken }
}

/** Signs a person in. Returns the cookie of the session. */
export async function signIn(plane: Plane, email: string, password: string, code?: string): Promise<string> {
  const answer = await plane.ask('/login', {
    body: { email, password, ...(code === undefined ? {} : { code }) },
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0]
  if (!answer.ok || cookie === undefined) throw new Error(`sign-in of ${email}: ${answer.status}`)
  return cookie
}

async function secondFactor(plane: Plane, email: string, password: string): Promise<string> {
  const headers = { cookie: await signIn(plane, email, password) }
  const begun = await plane.ask('/account/second-factor', { body: { current: password }, headers })
  const { secret } = (await begun.json()) as { readonly secret: string }
  const code = oneTimeCode(secret, new Date())
  const confirmed = await plane.ask('/account/second-factor/confirm', { body: { code }, headers })
  if (!confirmed.ok) throw new Error(`the second factor was not taken: ${confirmed.status}`)
  return secret
}

type Reach = Pick<Customer, 'hooks' | 'endpoint' | 'alertSecret' | 'sendingKey' | 'domain' | 'records'>

async function reach(plane: Plane, run: Run, world: World, license: Customer['license']): Promise<Reach> {
  const own = { license: license.id }
  const to = `http://127.0.0.1:${world.receiver.port}`
  const added = await run<{ endpoint: { id: string }; secret: string }>('webhooks.add', {
    ...own,
    url: `${to}/events`,
    events: ['*'],
    description: 'our pipeline',
  })
  const alerts = await run<{ secret: string }>('alerts.webhook-set', { tenant: 'acme', url: `${to}/alerts` })
  const hook = async (app: string, repo_url: string, clone: Document): Promise<SecretOf> => {
    const input = { ...own, app, repo_url, host: 'web-2', clone, provider: 'github' }
    const made = await run<{ hook: { id: string }; secret: string }>('git-hooks.add', input)
    return { id: made.hook.id, secret: made.secret }
  }
  const hooks = {
    shop: await hook('shop', 'ssh://git@git.example/acme/shop.git', { kind: 'deploy_key' }),
    blog: await hook('blog', 'https://git.example/acme/blog.git', {
      kind: 'token',
      token: 'made-up-forge-token',
    }),
  }
  await push(plane, hooks.shop)
  const name = 'mail.acme.example'
  const { domain } = await run<{ domain: { id: string; records: DnsRecord[] } }>('email-domains.add', {
    ...own,
    name,
  })
  const { id, records: wanted } = domain
  const records = wanted.map((each) => ({ name: each.name, value: each.value }))
  publish(world.dns, records)
  await run('email-domains.verify', { id })
  const key = await run<{ token: string }>('email-keys.create', { ...own, name: 'shop' })
  await run('alerts.mail-set', { tenant: 'acme', to: ['ops@acme.example'] })
  const secrets = { alertSecret: alerts.secret, sendingKey: key.token }
  return {
    hooks,
    endpoint: { id: added.endpoint.id, secret: added.secret },
    domain: { id, name },
    records,
    ...secrets,
  }
}

/** Sends the message of GitHub after a push, signed with the secret of a hook. */
export async function push(
  plane: Plane,
  { id, secret }: SecretOf,
  { app = 'shop', sha = '4f2c8a0d9b7e6f5a4c3b2a1908f7e6d5c4b3a291' } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const repository = { full_name: `acme/${app}`, clone_url: `https://git.example/acme/${app}.git` }
  const commits = [{ id: sha, message: 'A change', added: [], modified: ['index.html'], removed: [] }]
  const pushed = { ref: 'refs/heads/main', before: '0'.repeat(40), after: sha, repository, commits }
  const body = JSON.stringify({ ...pushed, head_commit: commits[0], pusher: { name: 'eve' }, deleted: false })
  const answer = await fetch(`${plane.url}/api/v1/git/webhook?hook=${id}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  })
  return { status: answer.status, text: await answer.text() }
}

type Rest = Pick<Customer, 'order' | 'conversation' | 'payment'>

async function rest(plane: Plane, run: Run, world: World, license: Customer['license']): Promise<Rest> {
  const own = { license: license.id }
  await watch(run, world)
  await run('surface.add', { ...own, domain: 'acme.example' })
  await run('security.set', { host: 'web-2', settings: { firewall: { enabled: true, allow: [ALLOWED] } } })
  const plan = { plan: 'small', provider: 'hetzner', server_type: 'cx22', image: 'debian-12' }
  await run('provision-catalog.set', {
    ...plan,
    locations: ['fsn1'],
    ssh_keys: ['ops'],
    max_monthly: '6.00 EUR',
  })
  const wanted = { plan: 'small', license_key: license.key }
  const { order } = await run<{ order: { id: string } }>('provision-orders.create', wanted)
  const image = { fingerprint: SECOND, checksum: IMAGE, app: 'shop', size_bytes: 4096, repo: 'repo-1' }
  await accepted(plane, '/api/v1/images/register', image, license.key)
  const question = { message: 'Do you host in Norway?', contact: 'eve@acme.example' }
  const chat = await (await plane.ask('/api/chat', { body: question })).text()
  const [, conversation = ''] = /"conversationId":"([^"]+)"/.exec(chat) ?? []
  await run('chat.reply', { conversation, text: 'Not yet.' })
  const payment = subscriptionEvent(license.id)
  const paid = await pay(plane, PAYMENT_SECRET, payment)
  if (!paid.ok) throw new Error(`the event of the payment provider: ${paid.status} ${await paid.text()}`)
  return { order: order.id, conversation, payment }
}

const ALLOWED = { ports: ['22'], proto: 'tcp', comment: 'desk' }
const IMAGE = 'a1b2c3d4e5f60718'

/** A monitor whose record has drifted, and one that is paused. */
async function watch(run: Run, { dns }: World): Promise<void> {
  const www = { name: 'www', host: 'www.acme.example', type: 'A', tenant: 'acme' }
  await run('monitors.add', www)
  await run('monitors.run', { monitor: 'www' })
  dns.zone.set(www.host, { A: [{ address: '192.0.2.66' }] })
  await run('monitors.run', { monitor: 'www' })
  await run('monitors.add', { ...www, name: 'spare' })
  await run('monitors.pause', { monitor: 'spare' })
}

/** The news of the provider that a license is paid for. */
function subscriptionEvent(license_id: string): string {
  const at = Math.floor(Date.now() / 1000)
  const period = { current_period_start: at, current_period_end: Date.parse(FAR) / 1000 }
  const item = { id: 'si_1', object: 'subscription_item', price: { id: 'price_pro' }, ...period }
  const items = { object: 'list', data: [item], has_more: false }
  const subscription = { id: 'sub_1', object: 'subscription', customer: 'cus_1', status: 'active', items }
  const object = {
    ...subscription,
    ...period,
    cancel_at_period_end: false,
    metadata: { license_id },
    created: at,
  }
  const type = 'customer.subscription.created'
  return JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type,
    created: at,
    livemode: false,
    data: { object },
  })
}

/** Sends an event as the payment provider does. */
export async function pay(plane: Plane, secret: string, body: string): Promise<Response> {
  const at = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
  const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${signature}` }
  return fetch(`${plane.url}/api/webhooks/payment`, { method: 'POST', body, headers })
}
