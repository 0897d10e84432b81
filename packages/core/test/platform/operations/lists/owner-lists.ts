import {
  buildAnswer,
  buildApp,
  buildAuditEntry,
  buildBrowserRun,
  buildConversation,
  buildEmailDomain,
  buildEmailKey,
  buildEmailMessage,
  buildEndpoint,
  buildGitHook,
  buildMonitor,
  buildOrder,
  buildPaymentEvent,
} from '@svc/testing'
import {
  buildFinding,
  buildScan,
  buildSettlement,
} from '../../../../../testing/src/watch/surface/build-surface.ts'
import {
  byId,
  byIdDown,
  byKey,
  byText,
  idOf,
  type ListRow,
  license,
  newestFirst,
  ofTenant,
  since,
  special,
} from './list-row.ts'
import type { Adding, Party, Thing } from './list-scene.ts'

const common = { prefix: 'thg', isTimed: true, shown: idOf } as const
const MANY = 1000
/** Names that sort otherwise than they were added. */
const nameOf = (n: number): string => `${(n * 3) % 7}-name`
const ofName = ({ n }: Thing): string => nameOf(n)
type Owned = { readonly license_id: string }

const findingOf = (n: number) =>
  buildFinding({ severity: n === 3 || n === 6 ? 'low' : 'high', host: nameOf(n), place: nameOf(n) })
const domainOf = ({ name }: Party, n: number): string =>
  `${[0, 2, 4].includes(n) ? 'some' : n === 6 ? 'one' : 'odd'}.${name}.example`

async function addFinding({ stores, party, n, id, licenseId, isSpecial: is, now }: Adding): Promise<string> {
  const domain = domainOf(party, n)
  await stores.surfaceTargets.add({ licenseId, domain, most: MANY }, now)
  await stores.surfaceTargets.note({ licenseId, domain, isProven: true, reason: undefined }, now)
  const found = findingOf(n)
  const scan = async (scanId: string, seen: { seen?: [typeof found]; fixed?: [string] }) => {
    const params = { id: scanId, licenseId, domain, perHour: MANY, perDay: MANY }
    await stores.surfaceScans.start(buildScan(params), now)
    await stores.surfaceScans.take({ token: scanId, leaseSeconds: 60, mostRunning: MANY, attempts: 2 }, now)
    await stores.surfaceScans.finish({ ...buildSettlement(scanId, scanId), ...seen }, now)
  }
  await scan(id, { seen: [found] })
  if (is) await scan(`${id.slice(0, -1)}z`, { fixed: [found.fingerprint] })
  return `${licenseId} ${domain} ${found.host}`
}

const RANKS = (thing: Thing): string => {
  const { fingerprint, severity } = findingOf(thing.n)
  const { party, n } = thing
  const of = [party.licenses[n % 2], domainOf(party, n), fingerprint].join(' ')
  return `${severity === 'high' ? 0 : 1} ${Number(thing.isLate)} ${of}`
}

async function addPaymentEvent({ stores, id, licenseId, isSpecial: is, now }: Adding): Promise<string> {
  const event = buildPaymentEvent({ id })
  await stores.paymentEvents.add(event, { state: 'received', error: undefined, delaySeconds: 60 }, now)
  await stores.paymentEvents.claim(id, ['received'], { token: id, seconds: 60 }, now)
  const state = is ? 'parked' : 'applied'
  await stores.paymentEvents.settle({ id, token: id, state, licenseId }, now)
  return id
}

async function addConversation({ stores, id, isSpecial: is, now }: Adding): Promise<string> {
  await stores.conversations.begin(buildConversation({ id }), now)
  if (!is) await stores.conversations.answer(buildAnswer(id), now)
  return id
}

/** The owner of a monitor: the tenant for three, a license for the others. */
const ownerOf = (party: Party, n: number) =>
  [0, 2, 4].includes(n) ? { tenantId: party.tenantId } : { licenseId: party.licenses[n % 2] }

/** Lists of licenses' and tenants' things. */
export const OWNER_LISTS: Readonly<Record<string, ListRow>> = {
  'surface.list': {
    ...common,
    list: 'targets',
    paging: 'limit',
    order: (one, other) => byText(ofName(one), ofName(other)) || byKey(one, other),
    shown: ({ license_id: of, domain }: Owned & { domain: string }) => `${of} ${domain}`,
    add: async ({ stores, n, licenseId, now }) => {
      await stores.surfaceTargets.add({ licenseId, domain: `${nameOf(n)}.example`, most: MANY }, now)
      return `${licenseId} ${nameOf(n)}.example`
    },
    filters: { license },
  },
  'surface.findings': {
    ...common,
    prefix: 'scn',
    list: 'findings',
    paging: 'limit',
    order: (one, other) => byText(RANKS(one), RANKS(other)),
    shown: ({ license_id: of, domain, host }: Owned & { domain: string; host: string }) =>
      `${of} ${domain} ${host}`,
    add: addFinding,
    filters: {
      license,
      status: special('fixed', 'nonsense', 'invalid-input'),
      domain: {
        value: ({ own }) => domainOf(own, 0),
        means: ({ n, party }) => party.name === 'own' && [0, 2, 4].includes(n),
        nobodys: 'nobodys.example',
        answer: 'not-found',
        others: ({ other }) => domainOf(other, 0),
      },
    },
  },
  'monitors.list': {
    ...common,
    prefix: 'mon',
    list: 'monitors',
    paging: 'whole',
    order: (one, other) => byText(ofName(one), ofName(other)) || byId(one, other),
    add: async ({ stores, id, n, party, now }) => {
      await stores.monitors.add(buildMonitor({ id, name: nameOf(n), ...ownerOf(party, n) }), now)
      return id
    },
    filters: {
      license,
      tenant: {
        ...ofTenant,
        yieldsTo: 'license',
      },
    },
  },
  'webhooks.list': {
    ...common,
    prefix: 'whe',
    isTimed: false,
    list: 'endpoints',
    paging: 'cursor',
    order: byId,
    add: async ({ stores, id, licenseId, party: { tenantId }, now }) => {
      const endpoint = buildEndpoint({ licenseId, tenantId, events: ['license.revoked'] })
      await stores.webhooks.add({ ...endpoint, id }, MANY, now)
      return id
    },
    filters: { license },
  },
  'email-domains.list': {
    ...common,
    prefix: 'dom',
    isTimed: false,
    list: 'domains',
    paging: 'cursor',
    order: byId,
    add: async ({ stores, id, n, licenseId, now }) => {
      const domain = buildEmailDomain({ id, owner: licenseId, name: `${nameOf(n)}.example` })
      await stores.emailDomains.add(domain, MANY, now)
      return id
    },
    filters: { license },
  },
  'email-keys.list': {
    ...common,
    prefix: 'ek',
    isTimed: false,
    list: 'keys',
    paging: 'cursor',
    order: byId,
    add: async ({ stores, id, licenseId, now }) => {
      await stores.emailKeys.add(buildEmailKey({ id, owner: licenseId }), MANY, now)
      return id
    },
    filters: { license },
  },
  'email-queue.list': {
    ...common,
    prefix: 'em',
    list: 'messages',
    paging: 'cursor',
    order: byIdDown,
    add: async ({ stores, id, licenseId, isSpecial: is, now }) => {
      await stores.emailMessages.add(buildEmailMessage({ id, owner: licenseId }), now)
      if (is) await stores.emailMessages.cancel(id, now)
      return id
    },
    filters: { license, state: special('cancelled', 'nonsense', 'invalid-input') },
  },
  'email-suppressions.list': {
    ...common,
    list: 'suppressions',
    paging: 'limit',
    order: byKey,
    shown: ({ license_id: of, address }: Owned & { address: string }) => `${of} ${address}`,
    add: async ({ stores, n, licenseId: owner, now }) => {
      const address = `${nameOf(n)}@mail.example`
      await stores.emailSuppressions.add({ owner, address, reason: 'bounced', days: 30 }, now)
      return `${owner} ${address}`
    },
    filters: { license },
  },
  'billing-events.list': {
    ...common,
    prefix: 'evt',
    isTimed: false,
    list: 'events',
    paging: 'limit',
    order: (one, other) => Number(other.isLate) - Number(one.isLate) || byId(one, other),
    add: addPaymentEvent,
    filters: { license, state: special('parked', 'nonsense', 'invalid-input') },
  },
  'apps.list': {
    ...common,
    prefix: 'app',
    list: 'apps',
    paging: 'whole',
    order: (one, other) => byText(ofName(one), ofName(other)) || byKey(one, other),
    add: async ({ stores, n, licenseId, now }) => {
      const app = await stores.apps.add(buildApp({ licenseId, name: nameOf(n) }), MANY, now)
      return app?.id ?? ''
    },
    filters: { license },
  },
  'git-hooks.list': {
    ...common,
    prefix: 'ghk',
    list: 'hooks',
    paging: 'whole',
    order: (one, other) => byText(ofName(one), ofName(other)) || byId(one, other),
    add: async ({ stores, id, n, licenseId, now }) => {
      await stores.gitHooks.add(buildGitHook({ id, licenseId, app: nameOf(n) }), MANY, now)
      return id
    },
    filters: { license },
  },
  'provision-orders.list': {
    ...common,
    prefix: 'pord',
    list: 'orders',
    paging: 'limit',
    order: byIdDown,
    add: async ({ stores, id, licenseId, now }) => {
      await stores.provisioning.add(buildOrder({ id, licenseId }), now)
      return id
    },
    filters: { license },
  },
  'chat.list': {
    ...common,
    prefix: 'chat',
    isTimed: false,
    list: 'conversations',
    paging: 'limit',
    order: newestFirst,
    add: addConversation,
    filters: {
      waiting: {
        ...special('', '', 'invalid-input'),
        value: () => true,
        order: (one, other) => Number(one.isLate) - Number(other.isLate) || byId(one, other),
      },
    },
  },
  'browser.runs': {
    ...common,
    prefix: 'brs',
    list: 'runs',
    paging: 'limit',
    order: byIdDown,
    add: async ({ stores, id, now }) => {
      await stores.browser.begin(buildBrowserRun({ id }), false, now)
      return id
    },
    filters: {},
  },
  'audit.list': {
    ...common,
    prefix: 'aud',
    list: 'audit',
    paging: 'cursor',
    order: byIdDown,
    add: async ({ stores, id, n, isSpecial: is, now }) => {
      const [actor, operation] = [is ? 'cli:Ann@desk' : 'cli:bob@desk', n >= 4 ? 'jobs.retry' : 'users.add']
      await stores.audit.add(buildAuditEntry({ id, actor, operation }), now)
      return id
    },
    filters: {
      since,
      who: special('ann', 'nobody', 'none'),
      operation: { ...since, value: () => 'jobs.', nobodys: 'nothing.' },
    },
  },
}
