import { ofLicense } from '@svc/core'
import {
  buildApp,
  buildConversation,
  buildEndpoint,
  buildGitDelivery,
  buildGitHook,
  buildJob,
  buildMessage,
  buildMonitor,
} from '@svc/testing'
import { buildSecurityRevision } from '../../../../../testing/src/hosts/node-security/build-security-revision.ts'
import { fine } from '../../../../../testing/src/watch/monitors/monitors-scene.ts'
import { byIdDown, byKey, idOf, type ListRow, licenseOfParent, newestFirst, special } from './list-row.ts'
import type { Adding, ListScene, Party } from './list-scene.ts'

const common = { prefix: 'thg', isTimed: true, shown: idOf } as const
const MANY = 1000

/** An endpoint that gets no event by itself. */
async function endpointOf({ test }: ListScene, { licenses, tenantId, name }: Party) {
  const endpoint = buildEndpoint({ licenseId: licenses[0], tenantId, url: `https://${name}.example/parent` })
  await test.storage.webhooks.add({ ...endpoint, events: ['license.revoked'] }, MANY)
  return { endpoint: endpoint.id }
}

async function addDelivery({ stores, id, licenseId: _, party, of, isSpecial: is, now }: Adding) {
  const payload = id.replace('dlv', 'msg')
  const message = { id: payload, licenseId: party.licenses[0], type: 'webhook.ping', body: '{}' }
  await stores.webhooks.say(message, now)
  const target = { kind: 'endpoint', recipient: of.endpoint ?? '', payload }
  await stores.deliveries.add({ id, ...target, delaySeconds: is ? 0 : 86_400 * 365 }, now)
  const lease = {
    kind: 'endpoint',
    token: id,
    leaseSeconds: 86_400,
    limit: 9,
    perRecipient: 9,
    maxAttempts: 9,
  }
  if (is) await stores.deliveries.takeDue({ ...lease, only: [of.endpoint ?? ''] }, now)
  return id
}

/** A conversation, whose first message is the thing 0. */
async function conversationOf({ test }: ListScene) {
  const first = buildMessage()
  const { id } = await test.storage.conversations.begin(buildConversation({ message: first }))
  return { conversation: id, first: first.id }
}

async function hookOf({ test }: ListScene, { licenses }: Party) {
  const hook = buildGitHook({ licenseId: licenses[0], app: 'parent' })
  await test.storage.gitHooks.add(hook, MANY)
  return { id: hook.id }
}

const appCalled =
  (name: string) =>
  async ({ test }: ListScene, { licenses: [licenseId] }: Party) => {
    const app = await test.storage.apps.add(buildApp({ licenseId, name }), MANY)
    return { app: app?.id ?? '' }
  }

async function monitorOf({ test }: ListScene, { licenses, name }: Party) {
  const monitor = buildMonitor({ licenseId: licenses[0], name: `parent of ${name}` })
  await test.storage.monitors.add(monitor)
  return { monitor: monitor.id }
}

async function addRun({ stores, n, id, of, now }: Adding): Promise<string> {
  const request = { token: id, leaseSeconds: 60, limit: 1, id: of.monitor ?? '' }
  const [taken] = await stores.monitors.takeDue(request, now)
  if (taken === undefined) throw new Error('the monitor was not to be had')
  const answer = [`192.0.2.${n}`]
  const judgement = { ...fine(taken), observation: { answer } }
  await stores.monitors.settle({ id: taken.id, token: id, judgement, delaySeconds: 0 }, now)
  return String(answer)
}

/** A running job; lines are added to it. */
async function runningJob({ test }: ListScene, { licenses, hosts, name }: Party) {
  const [licenseId] = licenses
  const id = test.ids.next('job')
  await test.storage.jobs.enqueue(buildJob({ id, licenseId, kind: 'stop' }))
  const fingerprint = hosts[0]?.fingerprint ?? ''
  const leased = { licenseId, fingerprint, leaseSeconds: 86_400, claimKey: name, kinds: ['stop'] as const }
  const { job } = await test.storage.jobs.lease(leased)
  return { job: job?.id ?? '' }
}

/** Lists of the parts of one thing, which is named. */
export const PARENT_LISTS: Readonly<Record<string, ListRow>> = {
  'webhooks.show': {
    ...common,
    prefix: 'dlv',
    isTimed: false,
    list: 'deliveries',
    paging: 'cursor',
    order: newestFirst,
    of: endpointOf,
    add: addDelivery,
    filters: { license: licenseOfParent, state: special('sending', 'nonsense', 'invalid-input') },
    others: { delivery: 'it shows one delivery in place of the list' },
  },
  'monitors.history': {
    ...common,
    prefix: 'mrn',
    list: 'history',
    paging: 'limit',
    order: (one, other) => other.n - one.n,
    shown: ({ answer }: { answer: readonly string[] }) => String(answer),
    of: monitorOf,
    add: addRun,
    filters: {},
  },
  'apps.releases': {
    ...common,
    prefix: 'dep',
    list: 'releases',
    paging: 'limit',
    order: byIdDown,
    of: appCalled('parent'),
    add: async ({ stores, id, party, now }) => {
      const [licenseId] = party.licenses
      const jobId = id.replace('dep', 'jbd')
      await stores.jobs.enqueue(buildJob({ id: jobId, licenseId, deploymentId: id }), now)
      const made = { id, licenseId, jobId, app: 'parent', source: {}, madeBy: undefined }
      await stores.deployments.add(made, now)
      return id
    },
    filters: { license: licenseOfParent },
  },
  'apps.env-list': {
    ...common,
    prefix: 'thg',
    list: 'variables',
    paging: 'whole',
    order: byKey,
    shown: ({ name }: { name: string }) => name,
    of: appCalled('with-variables'),
    add: async ({ stores, n, of, now }) => {
      const name = `V${(n * 5) % 7}`
      await stores.apps.setVariables(of.app ?? '', [{ name, value: '', secret: undefined }], now)
      return name
    },
    filters: { license: licenseOfParent },
  },
  'apps.registry-list': {
    ...common,
    prefix: 'thg',
    list: 'registries',
    paging: 'whole',
    order: byKey,
    shown: ({ registry }: { registry: string }) => registry,
    of: appCalled('with-logins'),
    add: async ({ stores, n, of, now }) => {
      const letter = String.fromCharCode(97 + ((n * 5) % 7))
      const login = { name: `SVC_REGISTRY_${letter}`, value: undefined, secret: 'sealed' }
      await stores.apps.setVariables(of.app ?? '', [login], now)
      return letter
    },
    filters: { license: licenseOfParent },
  },
  'apps.cron-list': {
    ...common,
    prefix: 'thg',
    list: 'crons',
    paging: 'whole',
    order: byKey,
    shown: ({ name }: { name: string }) => name,
    of: appCalled('with-crons'),
    add: async ({ stores, n, party, now }) => {
      const [licenseId] = party.licenses
      const [host] = await stores.agents.list(ofLicense(licenseId))
      const name = `c${n}`
      const cron = { name, schedule: '@daily', timezone: 'UTC', running: false, skipped: 0 }
      const before = await stores.observedApps.list(ofLicense(licenseId), ['with-crons'])
      const crons = [...(before[0]?.detail.crons ?? []), cron]
      const entry = { app: 'with-crons', state: 'up', release: 1, up: 1, of: 1, restarts: 0, crons } as const
      await stores.observedApps.note({ licenseId, fingerprint: host?.fingerprint ?? '' }, [entry], 100, now)
      return name
    },
    filters: { license: licenseOfParent },
  },
  'apps.databases-list': {
    ...common,
    prefix: 'thg',
    list: 'databases',
    paging: 'whole',
    order: byKey,
    shown: ({ name }: { name: string }) => name,
    of: appCalled('with-databases'),
    add: async ({ stores, n, id, party, now }) => {
      const [licenseId] = party.licenses
      const jobId = id.replace('thg', 'jbx')
      await stores.jobs.enqueue(buildJob({ id: jobId, licenseId, kind: 'db' }), now)
      const name = `d${(n * 5) % 7}`
      const row = { licenseId: licenseId ?? '', name, engine: 'postgres', jobId, madeBy: 'cli:ann' } as const
      await stores.appDatabases.put({ ...row, links: [], op: 'create' }, now)
      return name
    },
    filters: { license: licenseOfParent },
  },
  'apps.domains-list': {
    ...common,
    prefix: 'thg',
    list: 'domains',
    paging: 'whole',
    order: byKey,
    shown: ({ domain }: { domain: string }) => domain,
    of: appCalled('with-domains'),
    add: async ({ stores, n, id, party, of, now }) => {
      const [licenseId] = party.licenses
      const jobId = id.replace('thg', 'jbe')
      await stores.jobs.enqueue(buildJob({ id: jobId, licenseId, kind: 'expose' }), now)
      const domain = `d${(n * 5) % 7}.example.com`
      const row = { licenseId, appId: of.app ?? '', domain, jobId, isLeaving: false, madeBy: 'cli:ann' }
      await stores.appDomains.put({ ...row, options: { tls: 'auto' } }, now)
      return domain
    },
    filters: { license: licenseOfParent },
  },
  'git.deliveries': {
    ...common,
    prefix: 'gdl',
    isTimed: false,
    list: 'deliveries',
    paging: 'cursor',
    order: newestFirst,
    shown: ({ delivery_id: name }: { delivery_id: string }) => name,
    of: hookOf,
    add: async ({ stores, id, of, now }) => {
      const delivery = buildGitDelivery({ id, hookId: of.id ?? '' })
      await stores.gitHooks.record(delivery, now)
      return delivery.deliveryId
    },
    filters: { license: licenseOfParent },
  },
  'chat.show': {
    ...common,
    prefix: 'msg',
    list: 'messages',
    paging: 'back',
    order: (one, other) => one.n - other.n,
    of: conversationOf,
    add: async ({ stores, n, id, of: { conversation = '', first = '' }, now }) => {
      if (n === 0) return first
      await stores.conversations.reply(conversation, { id, text: 'a word' }, now)
      return id
    },
    filters: {},
  },
  'security.history': {
    list: 'revisions',
    paging: 'limit',
    prefix: 'rev',
    isTimed: true,
    order: (one, other) => other.n - one.n,
    shown: ({ revision }: { revision: number }) => String(revision),
    of: async (_scene, { hosts }) => ({ host: hosts[0]?.hostname ?? '' }),
    add: async ({ stores, n, party: { hosts }, now }) => {
      const { licenseId = '', fingerprint = '' } = hosts[0] ?? {}
      const revision = n + 1
      await stores.nodeSecurity.add(buildSecurityRevision({ licenseId, fingerprint, revision }), now)
      return String(revision)
    },
    filters: { license: licenseOfParent },
  },
  'jobs.logs': {
    list: 'logs',
    paging: 'after',
    prefix: 'line',
    isTimed: true,
    order: (one, other) => one.n - other.n,
    shown: ({ line }: { line: string }) => line,
    of: runningJob,
    add: async ({ stores, n, licenseId: _, host: __, party, of: { job = '' }, now }) => {
      const line = `${party.name} ${n}`
      const owner = { jobId: job, licenseId: party.licenses[0], fingerprint: party.hosts[0]?.fingerprint }
      const how = { attempt: undefined, offset: undefined, idempotencyKey: undefined, leaseSeconds: 86_400 }
      await stores.jobs.appendLogs({ ...owner, ...how, lines: [{ ts: n, line }] }, now)
      return line
    },
    filters: {},
  },
}
