import { type EmailKey, type EmailKeysStore, type NewEmailKey, TOUCH_SECONDS } from '@svc/core/ports'
import type { MemoryTables } from '../memory-tables.ts'
import type { Run } from '../memory-turns.ts'
import { isWithin } from '../scoped-rows.ts'
import { byBytes } from '../text-order.ts'
import type { MemoryEmailDomain } from './email-domains-store-memory.ts'

/** A key as the fake stores it. */
export type MemoryEmailKey = EmailKey & { readonly digest: string; readonly revokedAt: Date | undefined }

const DAY_MS = 86_400_000

const shown = ({ digest: _, revokedAt: __, ...key }: MemoryEmailKey): EmailKey => key

function isOver({ revokedAt, expiresAt }: MemoryEmailKey, keptDays: number, now: Date): boolean {
  const ends = [revokedAt, expiresAt].filter((end) => end !== undefined).map(Number)
  return ends.length > 0 && Math.min(...ends) < now.getTime() - keptDays * DAY_MS
}

/** Sending keys in memory. */
export function memoryEmailKeysStore(tables: MemoryTables, run: Run, time: () => Date): EmailKeysStore {
  const keys = tables.of<MemoryEmailKey>('emailKeys')
  const domains = tables.of<MemoryEmailDomain>('emailDomains')
  const live = () => keys.all().filter(({ revokedAt }) => revokedAt === undefined)
  return {
    add: ({ digest, ...key }: NewEmailKey, limit, now = time()) =>
      run(() => {
        if (live().filter(({ owner }) => owner === key.owner).length >= limit) return undefined
        if (keys.all().some((each) => each.digest === digest || each.id === key.id))
          throw new Error('there is a key with this id or digest already')
        if (key.domainId !== undefined && domains.get(key.domainId) === undefined)
          throw new Error('there is no such domain')
        const row = { ...key, digest, createdAt: now, lastUsedAt: undefined, revokedAt: undefined }
        keys.put(key.id, row)
        return shown(row)
      }),
    use: (digest, now = time()) =>
      run(() => {
        const key = live().find((each) => each.digest === digest)
        if (key === undefined || (key.expiresAt !== undefined && key.expiresAt <= now)) return undefined
        const { lastUsedAt } = key
        if (lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() > TOUCH_SECONDS * 1000)
          keys.put(key.id, { ...key, lastUsedAt: now })
        return shown(key)
      }),
    find: (scope, id) =>
      run(() => {
        const key = live().find((each) => each.id === id)
        return key && isWithin(tables, scope, { licenseId: key.owner }) ? shown(key) : undefined
      }),
    list: (scope, { after, limit }) =>
      run(() =>
        live()
          .filter(
            (key) =>
              isWithin(tables, scope, { licenseId: key.owner }) &&
              (after === undefined || byBytes(key.id, after) > 0),
          )
          .sort((one, other) => byBytes(one.id, other.id))
          .slice(0, limit)
          .map(shown),
      ),
    revoke: (id, now = time()) =>
      run(() => {
        const key = live().find((each) => each.id === id)
        if (key !== undefined) keys.put(id, { ...key, revokedAt: now })
        return key !== undefined
      }),
    purge: (keptDays, now = time()) =>
      run(() => {
        const gone = keys.all().filter((key) => isOver(key, keptDays, now))
        for (const { id } of gone) keys.put(id, undefined)
        return gone.length
      }),
  }
}
