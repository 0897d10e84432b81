import type { EmailKey, EmailKeysStore, NewEmailKey } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { MemoryTokens, maybe } from '../../people/api-tokens/memory-tokens.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import type { MemoryEmailDomain } from './email-domains-store-memory.ts'

/** A key as the fake stores it. */
export type MemoryEmailKey = EmailKey & { readonly digest: string; readonly revokedAt: Date | undefined }

const shown = ({ digest: _, revokedAt: __, ...key }: MemoryEmailKey): EmailKey => key

/** Sending keys in memory. */
export function memoryEmailKeysStore(tables: MemoryTables, run: Run, time: () => Date): EmailKeysStore {
  const keys = new MemoryTokens(tables.of<MemoryEmailKey>('emailKeys'))
  const domains = tables.of<MemoryEmailDomain>('emailDomains')
  return {
    add: ({ digest, ...key }: NewEmailKey, limit, now = time()) =>
      run(() => {
        if (keys.live().filter(({ owner }) => owner === key.owner).length >= limit) return undefined
        if (key.domainId !== undefined && domains.get(key.domainId) === undefined)
          throw new Error('there is no such domain')
        const times = { createdAt: now, lastUsedAt: undefined, revokedAt: undefined }
        return shown(keys.add({ ...key, digest, ...times }))
      }),
    use: (digest, now = time()) => run(() => maybe(shown, keys.use(digest, now))),
    find: (scope, id) =>
      run(() => {
        const key = keys.live().find((each) => each.id === id)
        return key && isWithin(tables, scope, { licenseId: key.owner }) ? shown(key) : undefined
      }),
    list: (scope, { after, limit }) =>
      run(() =>
        keys
          .live()
          .filter(
            (key) =>
              isWithin(tables, scope, { licenseId: key.owner }) &&
              (after === undefined || byBytes(key.id, after) > 0),
          )
          .sort((one, other) => byBytes(one.id, other.id))
          .slice(0, limit)
          .map(shown),
      ),
    revoke: (id, now = time()) => run(() => keys.revoke(id, now) !== undefined),
    purge: (keptDays, now = time()) => run(() => keys.purge(keptDays, now)),
  }
}
