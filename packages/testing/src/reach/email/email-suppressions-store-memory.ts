import type { EmailSuppression, EmailSuppressionsStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'

const DAY_MS = 86_400_000
const keyOf = (owner: string, address: string): string => `${owner}\0${address.toLowerCase()}`

/** Suppressed addresses in memory. */
export function memoryEmailSuppressionsStore(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): EmailSuppressionsStore {
  const rows = tables.of<EmailSuppression>('emailSuppressions')
  return {
    add: ({ owner, address, reason, days }, now = time()) =>
      run(() => {
        const key = keyOf(owner, address)
        const until = new Date(now.getTime() + days * DAY_MS)
        const createdAt = rows.get(key)?.createdAt ?? now
        rows.put(key, { owner, address: address.toLowerCase(), reason, until, createdAt })
      }),
    among: (owner, addresses, now = time()) =>
      run(() => {
        const found = addresses.map((address) => rows.get(keyOf(owner, address)))
        const live = found.filter((row) => row !== undefined && row.until > now)
        return [...new Set(live.map((row) => row?.address ?? ''))].sort(byBytes)
      }),
    list: ({ owner, limit }, now = time()) =>
      run(() =>
        rows
          .all()
          .filter((row) => (owner ?? row.owner) === row.owner && row.until > now)
          .sort((one, other) => byBytes(one.owner, other.owner) || byBytes(one.address, other.address))
          .slice(0, limit),
      ),
    remove: (owner, address) =>
      run(() => {
        const isThere = rows.get(keyOf(owner, address)) !== undefined
        rows.put(keyOf(owner, address), undefined)
        return isThere
      }),
    purge: (now = time()) =>
      run(() => {
        const gone = rows.all().filter(({ until }) => until <= now)
        for (const { owner, address } of gone) rows.put(keyOf(owner, address), undefined)
        return gone.length
      }),
  }
}
