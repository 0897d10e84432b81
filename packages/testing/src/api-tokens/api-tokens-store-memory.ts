import type { Tenant } from '@svc/core/ports'
import { type ApiToken, type ApiTokensStore, type NewApiToken, TOUCH_SECONDS } from '@svc/core/ports'
import type { MemoryTables } from '../memory-tables.ts'
import type { Run } from '../memory-turns.ts'
import { byBytes } from '../text-order.ts'

/** A token as the fake stores it. */
type MemoryApiToken = ApiToken & { readonly digest: string; readonly revokedAt: Date | undefined }

const DAY_MS = 86_400_000

const shown = ({ digest: _, revokedAt: __, ...token }: MemoryApiToken) => token as ApiToken

function isOver({ revokedAt, expiresAt }: MemoryApiToken, keptDays: number, now: Date): boolean {
  const ends = [revokedAt, expiresAt].filter((end) => end !== undefined).map(Number)
  return ends.length > 0 && Math.min(...ends) < now.getTime() - keptDays * DAY_MS
}

/** API tokens in memory. */
export function memoryApiTokensStore(tables: MemoryTables, run: Run, time: () => Date): ApiTokensStore {
  const tokens = tables.of<MemoryApiToken>('apiTokens')
  const tenants = tables.of<Tenant>('tenants')
  return {
    add: ({ digest, ...token }: NewApiToken, now = time()) =>
      run(() => {
        if (tokens.all().some((each) => each.digest === digest || each.id === token.id))
          throw new Error('there is a token with this id or digest already')
        if (token.tenantId !== undefined && tenants.get(token.tenantId) === undefined)
          throw new Error('there is no such tenant')
        const row = { ...token, digest, createdAt: now, lastUsedAt: undefined, revokedAt: undefined }
        tokens.put(token.id, row as MemoryApiToken)
        return shown(row as MemoryApiToken)
      }),
    use: (digest: string, now = time()) =>
      run(() => {
        const token = tokens.all().find((each) => each.digest === digest)
        if (token === undefined || token.revokedAt !== undefined) return undefined
        if (token.expiresAt !== undefined && token.expiresAt <= now) return undefined
        const { lastUsedAt } = token
        if (lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() > TOUCH_SECONDS * 1000)
          tokens.put(token.id, { ...token, lastUsedAt: now })
        return shown(token)
      }),
    list: () =>
      run(() =>
        tokens
          .all()
          .filter(({ revokedAt }) => revokedAt === undefined)
          .sort((one, other) => byBytes(one.id, other.id))
          .map(shown),
      ),
    revoke: (id: string, now = time()) =>
      run(() => {
        const token = tokens.get(id)
        if (token === undefined || token.revokedAt !== undefined) return undefined
        tokens.put(id, { ...token, revokedAt: now })
        return shown(token)
      }),
    purge: (keptDays: number, now = time()) =>
      run(() => {
        const gone = tokens.all().filter((token) => isOver(token, keptDays, now))
        for (const { id } of gone) tokens.put(id, undefined)
        return gone.length
      }),
  }
}
