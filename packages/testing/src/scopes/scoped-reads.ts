import { PLATFORM, type Scope } from '@svc/core'
import type { Stores } from '@svc/core/ports'
import { buildId } from '../build-id.ts'
import { buildMonitor } from '../monitors/build-monitor.ts'

/** A tenant with a license. */
export interface Owner {
  readonly tenantId: string
  readonly licenseId: string
  /** The digest of the license's key. */
  readonly keyDigest: string
  /** The label of the license, and the name of the tenant. */
  readonly name: string
}

/** A read that takes a scope. */
export interface ScopedRead {
  /** Owner of the thing. A tenant's own things do not exist for its licenses. */
  readonly of: 'license' | 'tenant'
  /** Adds a thing; returns the id by which answers tell it. Absent: the owner is the thing. */
  readonly add?: (stores: Stores, owner: Owner, now: Date) => Promise<string>
  /** Returns the ids of what a scope shows when this thing is asked for. */
  readonly read: (
    stores: Stores,
    scope: Scope,
    thing: { readonly id: string; readonly owner: Owner },
  ) => Promise<readonly string[]>
}

const idsOf = (
  found: readonly { readonly id: string }[] | { readonly id: string } | undefined,
): readonly string[] => (found === undefined ? [] : [found].flat().map(({ id }) => id))

const monitor = (of: 'license' | 'tenant'): Required<Pick<ScopedRead, 'of' | 'add'>> => ({
  of,
  add: async ({ monitors }, { tenantId, licenseId }, now) => {
    const owner = of === 'license' ? { licenseId } : { tenantId }
    const added = await monitors.add(buildMonitor({ name: buildId('www'), ...owner }), now)
    return added?.id ?? ''
  },
})

/** Every read of a store that takes a scope, by its name and the owner of what it reads. */
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
}
