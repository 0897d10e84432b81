import { ofLicense, PLATFORM } from '@svc/core'
import { buildAccessSession, buildJob } from '@svc/testing'
import { buildTransferKey } from '../../../../../testing/src/hosts/transfer-keys/build-transfer-key.ts'
import { buildAlertWrite } from '../../../../../testing/src/watch/alerts/build-alert-write.ts'
import { buildImage } from '../../../../../testing/src/work/images/build-image.ts'
import {
  byIdDown,
  byText,
  host,
  idOf,
  type ListRow,
  license,
  newestFirst,
  since,
  special,
  tenant,
} from './list-row.ts'
import { type Adding, isSpecial, SHARED_END, type Thing } from './list-scene.ts'

const hostnameOf = ({ n, party }: Thing): string => party.hosts[n]?.hostname ?? ''
const byHostname = (one: Thing, other: Thing): number =>
  byText(hostnameOf(one), hostnameOf(other)) || one.n - other.n || byText(one.party.name, other.party.name)
/** Hosts were added with the tenants. */
const hostRow = { paging: 'whole', prefix: 'agt', isTimed: true, order: byHostname } as const
const FAR = new Date('2090-01-01')

async function addJob({ stores, id, licenseId, host: { fingerprint }, isSpecial: is, now }: Adding) {
  const kinds = { kind: is ? 'deploy' : 'prune', app: is ? 'shop' : 'blog' } as const
  await stores.jobs.enqueue(buildJob({ id, licenseId, target: fingerprint, ...kinds }), now)
  if (is)
    await stores.jobs.requestCancel(
      ofLicense(licenseId),
      { jobId: id, fingerprint: undefined, reason: 'lists' },
      now,
    )
  return id
}

const opened = { perHost: 100, total: 1000 }

/** Lists of jobs and of hosts' things. */
export const HOST_LISTS: Readonly<Record<string, ListRow>> = {
  'jobs.list': {
    list: 'jobs',
    paging: 'cursor',
    prefix: 'job',
    isTimed: true,
    order: byIdDown,
    shown: idOf,
    add: addJob,
    filters: {
      license,
      tenant,
      host,
      since,
      state: special('failed', 'nonsense', 'invalid-input'),
      kind: special('deploy', 'nonsense', 'invalid-input'),
      app: special('shop', 'nobodys', 'none'),
      id_end: {
        value: () => SHARED_END,
        means: ({ n }) => [2, 3, 6].includes(n),
        nobodys: '8888',
        answer: 'none',
      },
    },
  },
  'images.list': {
    list: 'images',
    paging: 'limit',
    prefix: 'img',
    isTimed: false,
    order: newestFirst,
    shown: idOf,
    add: async ({ stores, id, licenseId, host: { fingerprint }, isSpecial: is, now }) => {
      const repository = { licenseId, fingerprint, repo: `repo of ${id}` }
      await stores.images.register(buildImage({ id, ...repository, app: is ? 'shop' : 'blog' }), now)
      if (is) await stores.images.reconcile(repository, [], now)
      return id
    },
    filters: {
      license,
      host,
      app: special('shop', 'nobodys', 'none'),
      state: special('pruned', 'nonsense', 'invalid-input'),
    },
  },
  'transfer.list': {
    list: 'keys',
    paging: 'limit',
    prefix: 'xfr',
    isTimed: true,
    order: byIdDown,
    shown: idOf,
    add: async ({ stores, id, n, licenseId, host: { fingerprint }, party, now }) => {
      const targetFingerprint = party.hosts[n % 2 === 1 ? 3 : 2]?.fingerprint ?? ''
      const hosts = { sourceFingerprint: fingerprint, targetFingerprint, expiresAt: FAR }
      await stores.transferKeys.add(buildTransferKey({ id, licenseId, ...hosts }), now)
      return id
    },
    filters: { license },
  },
  'fleet.servers': {
    ...hostRow,
    list: 'servers',
    shown: ({ org, hostname, id }: { org: string; hostname: string; id: string }) =>
      `${org} ${hostname} ${id}`,
    add: async ({ n, party: { name, hosts } }) => `${name} ${hosts[n]?.hostname} agt_fp-${n}-0123456`,
    filters: { license },
  },
  'fleet.backups': {
    ...hostRow,
    list: 'backups',
    shown: ({ hostname, last_capture_at: at }: { hostname: string; last_capture_at: number }) =>
      `${hostname} ${at}`,
    add: async ({ n, party }) => `${party.hosts[n]?.hostname} ${1_700_000_000 + n}`,
    filters: {
      license,
      host: {
        ...host,
        value: () => 'own-same',
        means: ({ n, party }) => party.name === 'own' && [3, 5, 6].includes(n),
        others: () => 'other-same',
        answer: 'none',
      },
    },
  },
  'ssh.sessions': {
    list: 'sessions',
    paging: 'limit',
    prefix: 'acs',
    isTimed: false,
    order: newestFirst,
    shown: idOf,
    add: async ({ stores, id, licenseId, host: { fingerprint, hostname }, isSpecial: is, now }) => {
      const session = buildAccessSession({ id, licenseId, fingerprint, hostname })
      await stores.accessSessions.open(session, opened, now)
      if (!is) await stores.accessSessions.revoke(PLATFORM, id, now)
      return id
    },
    filters: { license, host, active: { ...special('', '', 'invalid-input'), value: () => true } },
  },
  'alerts.list': {
    list: 'alerts',
    paging: 'cursor',
    prefix: 'alr',
    isTimed: true,
    order: (one, other) => Number(isSpecial(one.n)) - Number(isSpecial(other.n)) || byIdDown(one, other),
    shown: idOf,
    add: async ({ stores, id, n, licenseId, party, host: { fingerprint, hostname }, isSpecial: is, now }) => {
      const kind = is ? 'disk_high' : 'mem_high'
      const key = { licenseId, tenantId: party.tenantId, dedupKey: `${kind}:${n}`, alertId: id }
      const content = { kind, host: { fingerprint, hostname } } as const
      await stores.alerts.move(buildAlertWrite({ ...key, content }), FAR, now)
      const ended = buildAlertWrite({ ...key, revision: 1, alert: 'resolve' })
      if (is) await stores.alerts.move(ended, FAR, now)
      return id
    },
    filters: {
      license,
      host: { ...host, answer: 'none' },
      since,
      status: special('resolved', 'nonsense', 'invalid-input'),
      kind: special('disk_high', 'nonsense', 'invalid-input'),
    },
  },
}
