import { type License, type LicenseClaim, Problem } from '@svc/core'
import {
  isUsable,
  type LicenseChange,
  type LicenseStatus,
  type LicensesStore,
  type NewLicense,
  type Tenant,
} from '@svc/core/ports'
import type { MemoryLicense, MemoryTables } from '../memory-tables.ts'
import type { Run } from '../memory-turns.ts'
import { byBytes } from '../text-order.ts'

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
  const withDigest = (keyDigest: string) => licenses.all().find((row) => row.keyDigest === keyDigest)
  return {
    add: (license: NewLicense, now = time()) => run(() => add(tables, license, now)),
    usableId: (keyDigest: string, now = time()) =>
      run(() => {
        const row = withDigest(keyDigest)
        return row !== undefined && isUsable(row, now) ? row.id : undefined
      }),
    byKeyDigest: (keyDigest: string) => run(() => toLicense(withDigest(keyDigest))),
    get: (id: string) => run(() => toLicense(licenses.get(id))),
    list: () =>
      run(() =>
        licenses
          .all()
          .sort((one, other) => byBytes(one.id, other.id))
          .flatMap((row) => toLicense(row) ?? []),
      ),
    hasAny: () => run(() => licenses.all().length > 0),
    setStatus: (id: string, status: LicenseStatus) =>
      run(() => {
        const row = licenses.get(id)
        if (row === undefined || row.status === 'revoked') return toLicense(row)
        licenses.put(id, { ...row, status })
        return toLicense({ ...row, status })
      }),
    change: (id: string, { label, expiresAt }: LicenseChange) =>
      run(() => {
        const row = licenses.get(id)
        if (row === undefined || (row.status === 'revoked' && expiresAt !== undefined)) return undefined
        const end = expiresAt === undefined ? row.expiresAt : (expiresAt ?? undefined)
        const next = { ...row, label: label ?? row.label, expiresAt: end }
        licenses.put(id, next)
        return toLicense(next)
      }),
  }
}

function toLicense(row: MemoryLicense | undefined): License | undefined {
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
  const row: License = { ...fields, status: 'active', createdAt: now }
  licenses.put(license.id, { ...row, keyDigest })
  return row
}
