import { type License, type LicenseClaim, Problem, type Scope } from '@svc/core'
import {
  isUsable,
  type LicenseCalls,
  type LicenseChange,
  type LicenseDeed,
  type LicenseName,
  type LicenseStatus,
  type LicensesStore,
  type NewLicense,
  type Tenant,
} from '@svc/core/ports'
import type { MemoryLicense, MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'

/**
 * Checks the license of a statement, if the statement carries the digest of its key. @throws Problem
 * `unauthorized` when the license is not usable
 */
export function requireLicensed(
  { licenses }: MemoryTables,
  { licenseId, keyDigest }: LicenseClaim,
  now: Date,
): void {
  if (keyDigest === undefined) return
  const row = licenses.get(licenseId)
  if (row?.keyDigest !== keyDigest || !isUsable(row, now)) throw new Problem('unauthorized')
}

/** Licenses in memory. */
export function memoryLicensesStore(tables: MemoryTables, run: Run, time: () => Date): LicensesStore {
  const { licenses } = tables
  const within = (scope: Scope) =>
    licenses
      .all()
      .filter(({ id, tenantId }) => isWithin(tables, scope, { licenseId: id, tenantId }))
      .sort((one, other) => byBytes(one.id, other.id))
  const withDigest = (keyDigest: string) => licenses.all().find((row) => row.keyDigest === keyDigest)
  return {
    add: (license: NewLicense, now = time()) => run(() => add(tables, license, now)),
    usableId: (keyDigest: string, now = time()) =>
      run(() => {
        const row = withDigest(keyDigest)
        return row !== undefined && isUsable(row, now) ? row.id : undefined
      }),
    byKeyDigest: (keyDigest: string) => run(() => licenseOf(withDigest(keyDigest))),
    get: (id: string) => run(() => licenseOf(licenses.get(id))),
    list: (scope: Scope) => run(() => within(scope).flatMap((row) => licenseOf(row) ?? [])),
    named: (scope: Scope, { name, keyDigest, isEnd }: LicenseName) =>
      run(() => {
        const rows = within(scope)
        const exact = rows.filter((row) => row.id === name || row.keyDigest === keyDigest)
        const called = rows.filter(
          ({ id, label }) => (label !== '' && label === name) || (isEnd && id.endsWith(name)),
        )
        return (exact.length > 0 ? exact : called).flatMap((row) => licenseOf(row) ?? [])
      }),
    hasAny: () => run(() => licenses.all().length > 0),
    setStatus: (id: string, status: LicenseStatus) =>
      run(() => {
        const row = licenses.get(id)
        if (row === undefined || row.status === 'revoked') return licenseOf(row)
        const isSame = row.status === 'active' && status === 'active'
        const next: MemoryLicense = { ...row, status, statusReason: isSame ? row.statusReason : 'operator' }
        licenses.put(id, next)
        return licenseOf(next)
      }),
    ...callsOf(tables, run, time),
    change: (id: string, { label, expiresAt, tier, contactEmail, agentOnly }: LicenseChange) =>
      run(() => {
        const row = licenses.get(id)
        if (row === undefined || (row.status === 'revoked' && expiresAt !== undefined)) return undefined
        const end = expiresAt === undefined ? row.expiresAt : (expiresAt ?? undefined)
        const next = {
          ...row,
          label: label ?? row.label,
          expiresAt: end,
          tier: tier ?? row.tier,
          contactEmail: contactEmail ?? row.contactEmail,
          agentOnly: agentOnly ?? row.agentOnly,
        }
        licenses.put(id, next)
        return licenseOf(next)
      }),
  }
}

const DAY_MS = 86_400_000

/** The part of the store that counts calls. */
function callsOf(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): Pick<LicensesStore, 'noteCall' | 'calls' | 'purgeCalls'> {
  const rows = tables.of<LicenseCalls>('licenseCalls')
  const isOld = ({ lastAt }: LicenseCalls, days: number, now: Date) => +lastAt <= +now - days * DAY_MS
  const keyOf = ({ licenseId, deed, lastAt }: Omit<LicenseCalls, 'calls'>) =>
    [licenseId, deed, lastAt.toISOString().slice(0, 10)].join(' ')
  return {
    noteCall: (licenseId: string, deed: LicenseDeed, now = time()) =>
      run(() => {
        if (tables.licenses.get(licenseId) === undefined) return
        const key = keyOf({ licenseId, deed, lastAt: now })
        const { calls = 0, lastAt = now } = rows.get(key) ?? {}
        rows.put(key, { licenseId, deed, calls: calls + 1, lastAt: lastAt > now ? lastAt : now })
      }),
    calls: (days: number, now = time()) =>
      run(() => {
        const sums = new Map<string, LicenseCalls>()
        for (const row of rows.all().filter((each) => !isOld(each, days, now))) {
          const key = `${row.licenseId} ${row.deed}`
          const { calls = 0, lastAt = row.lastAt } = sums.get(key) ?? {}
          sums.set(key, {
            ...row,
            calls: calls + row.calls,
            lastAt: lastAt > row.lastAt ? lastAt : row.lastAt,
          })
        }
        return [...sums].sort(([one], [other]) => byBytes(one, other)).map(([, row]) => row)
      }),
    purgeCalls: (days: number, now = time()) =>
      run(() => {
        const old = rows.all().filter((row) => isOld(row, days, now))
        for (const row of old) rows.put(keyOf(row), undefined)
        return old.length
      }),
  }
}

/** The license of a row, without the digest of its key. */
export function licenseOf(row: MemoryLicense | undefined): License | undefined {
  if (row === undefined) return undefined
  const { keyDigest: _, ...license } = row
  return license
}

function add(tables: MemoryTables, license: NewLicense, now: Date): License {
  const { licenses } = tables
  const { keyDigest, tenantId } = license
  const isTaken = licenses.all().some((row) => row.keyDigest === keyDigest || row.id === license.id)
  if (isTaken) throw new Error('there is a license with this id or this key already')
  if (tenantId !== undefined && tables.of<Tenant>('tenants').get(tenantId) === undefined)
    throw new Error(`there is no tenant ${tenantId}`)
  const { keyDigest: _, ...fields } = license
  const row: License = {
    ...fields,
    status: 'active',
    statusReason: undefined,
    createdAt: now,
    tier: license.tier,
    contactEmail: license.contactEmail,
    billingState: undefined,
    currentPeriodEnd: undefined,
    customerId: undefined,
    agentOnly: license.agentOnly ?? false,
  }
  licenses.put(license.id, { ...row, keyDigest })
  return row
}
