import type { ApiToken, ApiTokensStore, NewApiToken, Tenant } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import { MemoryTokens, maybe } from './memory-tokens.ts'

/** A token as the fake stores it. */
type MemoryApiToken = ApiToken & { readonly digest: string; readonly revokedAt: Date | undefined }

const shown = ({ digest: _, revokedAt: __, ...token }: MemoryApiToken) => token as ApiToken

/** API tokens in memory. */
export function memoryApiTokensStore(tables: MemoryTables, run: Run, time: () => Date): ApiTokensStore {
  const tokens = new MemoryTokens(tables.of<MemoryApiToken>('apiTokens'))
  const tenants = tables.of<Tenant>('tenants')
  return {
    add: ({ digest, ...token }: NewApiToken, now = time()) =>
      run(() => {
        if (token.tenantId !== undefined && tenants.get(token.tenantId) === undefined)
          throw new Error('there is no such tenant')
        const times = { createdAt: now, lastUsedAt: undefined, revokedAt: undefined }
        return shown(tokens.add({ ...token, digest, ...times } as MemoryApiToken))
      }),
    use: (digest: string, now = time()) => run(() => maybe(shown, tokens.use(digest, now))),
    list: () =>
      run(() =>
        tokens
          .live()
          .sort((one, other) => byBytes(one.id, other.id))
          .map(shown),
      ),
    revoke: (id: string, now = time()) => run(() => maybe(shown, tokens.revoke(id, now))),
    purge: (keptDays: number, now = time()) => run(() => tokens.purge(keptDays, now)),
  }
}
