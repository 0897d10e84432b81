import type { Scope } from '@svc/core'
import type { Stores } from '@svc/core/ports'

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
  /** Adds a thing; returns the id that answers show it by. Absent: the owner is the thing. */
  readonly add?: (stores: Stores, owner: Owner, now: Date) => Promise<string>
  /** Returns the ids that a scope shows when this thing is asked for. */
  readonly read: (
    stores: Stores,
    scope: Scope,
    thing: { readonly id: string; readonly owner: Owner },
  ) => Promise<readonly string[]>
}

/** Returns the ids that a read found. */
export const idsOf = (
  found: readonly { readonly id: string }[] | { readonly id: string } | undefined,
): readonly string[] => (found === undefined ? [] : [found].flat().map(({ id }) => id))
