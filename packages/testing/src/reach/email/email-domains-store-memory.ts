import type { EmailDomain, EmailDomainsStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'

/** A domain with the lease of its check. */
export type MemoryEmailDomain = EmailDomain & {
  readonly lease: { readonly token: string; readonly until: Date } | undefined
}

const shown = ({ lease: _, ...domain }: MemoryEmailDomain): EmailDomain => domain
const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)
const byId = (one: { readonly id: string }, other: { readonly id: string }) => byBytes(one.id, other.id)
const byDue = (one: EmailDomain, other: EmailDomain): number =>
  Number(one.nextCheckAt) - Number(other.nextCheckAt) || byId(one, other)

/** Sending domains in memory. */
export function memoryEmailDomainsStore(tables: MemoryTables, run: Run, time: () => Date): EmailDomainsStore {
  const rows = tables.of<MemoryEmailDomain>('emailDomains')
  const named = (owner: string, name: string) =>
    rows.all().find((each) => each.owner === owner && each.name === name)
  const put = (row: MemoryEmailDomain): EmailDomain => {
    rows.put(row.id, row)
    return shown(row)
  }
  const isSelector = (selector: string) => rows.all().some(({ key }) => key.selector === selector)
  return {
    add: (domain, limit, now = time()) =>
      run(() => {
        const count = rows.all().filter(({ owner }) => owner === domain.owner).length
        const present = named(domain.owner, domain.name)
        if (present !== undefined) return { domain: shown(present), isNew: false }
        if (count >= limit) return undefined
        if (rows.get(domain.id) !== undefined || isSelector(domain.key.selector))
          throw new Error('there is a domain with this id or selector already')
        const never = {
          next: undefined,
          failingSince: undefined,
          verifiedAt: undefined,
          checkedAt: undefined,
        }
        const { id, owner, name, key } = domain
        const times = { createdAt: now, nextCheckAt: now }
        const row = { id, owner, name, key, ...never, ...times, status: 'pending', findings: {} } as const
        return { domain: put({ ...row, lease: undefined }), isNew: true }
      }),
    find: (scope, id) =>
      run(() => {
        const row = rows.get(id)
        return row && isWithin(tables, scope, { licenseId: row.owner }) ? shown(row) : undefined
      }),
    named: (owner, name) =>
      run(() => {
        const row = named(owner, name)
        return row && shown(row)
      }),
    list: (scope, { after, limit }) =>
      run(() =>
        rows
          .all()
          .filter(
            (row) =>
              isWithin(tables, scope, { licenseId: row.owner }) &&
              (after === undefined || byBytes(row.id, after) > 0),
          )
          .sort(byId)
          .slice(0, limit)
          .map(shown),
      ),
    setNext: (id, next, now = time()) =>
      run(() => {
        const row = rows.get(id)
        if (row === undefined) return undefined
        const { next: _, ...findings } = row.findings
        return put({ ...row, next, findings, nextCheckAt: now, lease: undefined })
      }),
    remove: (id) =>
      run(() => {
        const isThere = rows.get(id) !== undefined
        rows.put(id, undefined)
        const keys = tables.of<{ readonly id: string; readonly domainId: string | undefined }>('emailKeys')
        for (const key of keys.all()) if (key.domainId === id) keys.put(key.id, undefined)
        return isThere
      }),
    takeDue: ({ token, leaseSeconds, limit, id }, now = time()) =>
      run(() => {
        const isFree = ({ lease }: MemoryEmailDomain) => lease === undefined || lease.until <= now
        const isDue = ({ nextCheckAt }: MemoryEmailDomain) => nextCheckAt !== undefined && nextCheckAt <= now
        const due = rows
          .all()
          .filter((row) => isFree(row) && (id === undefined ? isDue(row) : row.id === id))
          .sort(byDue)
          .slice(0, limit)
        return due.map((row) => put({ ...row, lease: { token, until: later(now, leaseSeconds) } }))
      }),
    settle: ({ id, token, promoted, delaySeconds, isVerified, ...result }, now = time()) =>
      run(() => {
        const row = rows.get(id)
        if (row === undefined || row.lease?.token !== token) return undefined
        const { status, findings, failingSince } = result
        const isPromoted = promoted !== undefined && row.next?.selector === promoted.selector
        const isTaken = rows.all().some((each) => each.id !== id && each.key.selector === promoted?.selector)
        if (isPromoted && isTaken) throw new Error('there is a key with this selector already')
        return put({
          ...row,
          status,
          findings,
          failingSince,
          ...(isPromoted && row.next
            ? { key: { ...row.next, privateKey: promoted.privateKey }, next: undefined }
            : {}),
          verifiedAt: row.verifiedAt ?? (isVerified ? now : undefined),
          checkedAt: now,
          nextCheckAt: delaySeconds === undefined ? undefined : later(now, delaySeconds),
          lease: undefined,
        })
      }),
  }
}
