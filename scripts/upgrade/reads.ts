import type { Customer } from './customer.ts'
import type { Document, Plane } from './plane.ts'
import type { Jobs } from './work.ts'

/** A question that changes nothing, and its answer. */
export interface Read {
  readonly operation: string
  readonly input: Document
  readonly answer: Document
}

/** Fields that time alone changes: a host falls silent, a key expires, a token is used. */
const FLEETING: Readonly<Record<string, readonly string[]>> = {
  'fleet.servers': ['state', 'last_heartbeat'],
  'fleet.show': ['state', 'last_heartbeat'],
  'transfer.list': ['state'],
  'tokens.list': ['last_used_at'],
  'browser-tokens.list': ['last_used_at'],
}

const ALL = [
  'tenants.list', 'licenses.list', 'users.list', 'tokens.list', 'browser-tokens.list', 'browser.runs',
  'jobs.list', 'images.list', 'transfer.list', 'fleet.servers', 'fleet.backups', 'ssh.sessions',
  'alerts.list', 'alerts.webhooks', 'alerts.mailboxes', 'webhooks.list', 'monitors.list', 'email-domains.list',
  'email-keys.list', 'email-queue.list', 'email-suppressions.list', 'billing.tiers', 'billing-events.list',
  'git-hooks.list', 'provision-catalog.list', 'provision-credentials.show', 'provision-orders.list', 'chat.list',
  'surface.list', 'secrets.status',
] // biome-ignore format: one list

/** Every question that an operator of the old release can ask about the customer's things. */
function questions(
  customer: Customer,
  jobs: Jobs,
): readonly (readonly [operation: string, input: Document])[] {
  const { license, hooks, endpoint, domain, order, conversation } = customer
  const each = Object.values(jobs)
  return [
    ...ALL.map((operation) => [operation, {}] as const),
    ['audit.list', { limit: 1000 }],
    ...each.map((job) => ['jobs.show', { job }] as const),
    ...each.map((job) => ['jobs.logs', { job, limit: 10_000 }] as const),
    ...[hooks.shop, hooks.blog].flatMap(({ id }) => [
      ['git-hooks.show', { id }] as const,
      ['git.deliveries', { id }] as const,
    ]),
    ['licenses.show', { license: license.id }],
    ['billing.status', { license: license.id }],
    ['billing-events.show', { event: 'evt_1' }],
    ['fleet.show', { host: 'web-1' }],
    ['fleet.show', { host: 'web-2' }],
    ['security.show', { host: 'web-2' }],
    ['security.history', { host: 'web-2' }],
    ['webhooks.show', { endpoint: endpoint.id }],
    ['monitors.show', { monitor: 'www' }],
    ['monitors.history', { monitor: 'www' }],
    ['email-domains.show', { id: domain.id }],
    ['surface.show', { license: license.id, domain: 'acme.example' }],
    ['images.show', { image: 'a1b2c3d4e5f60718' }],
    ['chat.show', { conversation }],
    ['provision-orders.show', { order }],
  ]
}

/** Asks all of it. */
export async function readAll(plane: Plane, customer: Customer, jobs: Jobs): Promise<readonly Read[]> {
  const reads: Read[] = []
  for (const [operation, input] of questions(customer, jobs))
    reads.push({ operation, input, answer: await plane.operation(customer.token, operation, input) })
  return reads
}

/**
 * An answer without the fields that time alone changes. The job that ran when its agent was killed has its
 * order left alone: its lease ends, and it is handed out again.
 */
export function lasting({ operation, answer }: Read, { running }: Jobs): Document {
  const fleeting = new Set(FLEETING[operation])
  const keep = (key: string, value: unknown) => {
    if (fleeting.has(key)) return undefined
    const { id, kind, app } = (value ?? {}) as Document
    return id === running ? { id, kind, app } : value
  }
  return JSON.parse(JSON.stringify(answer, keep))
}
