import { PLATFORM } from '@svc/core'
import { buildId } from '../build-id.ts'
import { buildMonitor } from '../watch/monitors/build-monitor.ts'
import { alertReads } from './alert-reads.ts'
import { appReads } from './app-reads.ts'
import { emailReads } from './email-reads.ts'
import { gitReads } from './git-reads.ts'
import { hostReads } from './host-reads.ts'
import { idsOf, type ScopedRead } from './scoped-read.ts'
import { surfaceReads } from './surface-reads.ts'
import { webhookReads } from './webhook-reads.ts'

const monitor = (of: 'license' | 'tenant'): Required<Pick<ScopedRead, 'of' | 'add'>> => ({
  of,
  add: async ({ monitors }, { tenantId, licenseId }, now) => {
    const owner = of === 'license' ? { licenseId } : { tenantId }
    const added = await monitors.add(buildMonitor({ name: buildId('www'), ...owner }), now)
    return added?.id ?? ''
  },
})

/** Every read of a store that takes a scope, by its name and the owner of its things. */
export const SCOPED_READS: Readonly<Record<string, ScopedRead>> = {
  'licenses.list': { of: 'license', read: async ({ licenses }, scope) => idsOf(await licenses.list(scope)) },
  ...Object.fromEntries(
    (['licenseId', 'keyDigest', 'name'] as const).map((by) => [
      `licenses.named by ${by}`,
      {
        of: 'license',
        read: async ({ licenses }, scope, { owner }) => {
          const digest = by === 'keyDigest' ? owner.keyDigest : ''
          return idsOf(await licenses.named(scope, { name: owner[by], keyDigest: digest, isEnd: false }))
        },
      } satisfies ScopedRead,
    ]),
  ),
  'licenses.named by the end of an id': {
    of: 'license',
    read: async ({ licenses }, scope, { owner }) =>
      idsOf(await licenses.named(scope, { name: owner.licenseId.slice(-8), keyDigest: '', isEnd: true })),
  },
  'tenants.list': { of: 'tenant', read: async ({ tenants }, scope) => idsOf(await tenants.list(scope)) },
  'tenants.find by id': {
    of: 'tenant',
    read: async ({ tenants }, scope, { owner }) => idsOf(await tenants.find(scope, owner.tenantId)),
  },
  'tenants.find by name': {
    of: 'tenant',
    read: async ({ tenants }, scope, { owner }) => idsOf(await tenants.find(scope, owner.name)),
  },
  'monitors.list of licenses': {
    ...monitor('license'),
    read: async ({ monitors }, scope) => idsOf(await monitors.list(scope, {})),
  },
  'monitors.list of tenants': {
    ...monitor('tenant'),
    read: async ({ monitors }, scope) => idsOf(await monitors.list(scope, {})),
  },
  'monitors.find by id': {
    ...monitor('license'),
    read: async ({ monitors }, scope, { id }) => idsOf(await monitors.find(scope, id)),
  },
  'monitors.find by name': {
    ...monitor('tenant'),
    read: async ({ monitors }, scope, { id }) => {
      const [found] = await monitors.find(PLATFORM, id)
      return idsOf(await monitors.find(scope, found?.name ?? ''))
    },
  },
  ...alertReads,
  ...appReads,
  ...emailReads,
  ...gitReads,
  ...hostReads,
  ...surfaceReads,
  ...webhookReads,
}
