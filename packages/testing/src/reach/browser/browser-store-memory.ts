import type {
  BrowserRun,
  BrowserRunEnd,
  BrowserStore,
  BrowserToken,
  NewBrowserRun,
  NewBrowserToken,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { MemoryTokens, maybe } from '../../people/api-tokens/memory-tokens.ts'
import { byBytes } from '../../text-order.ts'

/** A token as the fake stores it. */
type MemoryBrowserToken = BrowserToken & {
  readonly digest: string
  readonly revokedAt: Date | undefined
  /** The last day of use (UTC), and the work begun on it. */
  readonly usedOn: string | undefined
  readonly used: number
}

const DAY_MS = 86_400_000

function shown(token: MemoryBrowserToken): BrowserToken {
  const { digest: _, revokedAt: __, usedOn: ___, used: ____, ...kept } = token
  return kept
}

/** Browser tokens and their work in memory. */
export function memoryBrowserStore(tables: MemoryTables, run: Run, time: () => Date): BrowserStore {
  const tokens = tables.of<MemoryBrowserToken>('browserTokens')
  const runs = tables.of<BrowserRun>('browserRuns')
  const kept = new MemoryTokens(tokens)

  /** Returns the token with one call more; undefined if it has none left. */
  function spent(id: string, now: Date): MemoryBrowserToken | undefined {
    const token = tokens.get(id)
    if (token === undefined || token.revokedAt !== undefined) return undefined
    const today = now.toISOString().slice(0, 10)
    const used = token.usedOn === today ? token.used : 0
    return used >= token.dailyLimit ? undefined : { ...token, usedOn: today, used: used + 1 }
  }

  return {
    addToken: ({ digest, ...token }: NewBrowserToken, now = time()) =>
      run(() => {
        if (!(token.dailyLimit > 0)) throw new Error('a token has at least one call a day')
        const times = { createdAt: now, lastUsedAt: undefined, revokedAt: undefined }
        return shown(kept.add({ ...token, ...times, digest, usedOn: undefined, used: 0 }))
      }),
    useToken: (digest: string, now = time()) => run(() => maybe(shown, kept.use(digest, now))),
    hasTokens: () => run(() => kept.live().length > 0),
    listTokens: () =>
      run(() =>
        kept
          .live()
          .sort((one, other) => byBytes(one.id, other.id))
          .map(shown),
      ),
    revokeToken: (id: string, now = time()) => run(() => maybe(shown, kept.revoke(id, now))),
    begin: (begun: NewBrowserRun, isStored: boolean, now = time()) =>
      run(() => {
        const token = isStored ? spent(begun.tokenId, now) : undefined
        if (isStored && token === undefined) return false
        if (runs.get(begun.id) !== undefined) throw new Error('there is a run with this id already')
        if (token !== undefined) tokens.put(token.id, token)
        const figures = { steps: 0, ms: 0, bytes: 0, llmTokens: 0 }
        runs.put(begun.id, { ...begun, ...figures, status: 'running', createdAt: now })
        return true
      }),
    finish: (end: BrowserRunEnd) =>
      run(() => {
        const begun = runs.get(end.id)
        if (begun?.status === 'running') runs.put(end.id, { ...begun, ...end })
      }),
    listRuns: (limit: number) =>
      run(() =>
        runs
          .all()
          .sort((one, other) => byBytes(other.id, one.id))
          .slice(0, limit),
      ),
    purge: (keptDays: number, now = time()) =>
      run(() => {
        const end = now.getTime() - keptDays * DAY_MS
        const oldRuns = runs.all().filter(({ createdAt }) => createdAt.getTime() < end)
        for (const { id } of oldRuns) runs.put(id, undefined)
        return oldRuns.length + kept.purge(keptDays, now)
      }),
  }
}
