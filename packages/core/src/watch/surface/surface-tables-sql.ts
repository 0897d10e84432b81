import { defineEntity, p } from '@mikro-orm/core'
import { present } from '../../kernel/present.ts'
import { fact, type TablesOf, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { FindingSeverity, FindingStatus, SurfaceFinding } from './surface-finding.ts'
import type { ScanParams, ScanResult, ScanState, SurfaceCheck } from './surface-scan.ts'
import type { SurfaceTarget } from './surface-target.ts'

/** Table `as_targets`. */
export const SurfaceTargetEntity = defineEntity({
  name: 'SurfaceTarget',
  tableName: 'as_targets',
  properties: {
    licenseId: word(p.text().primary()),
    domain: fact(p.text().primary()),
    verifiedAt: time().nullable(),
    lastCheckAt: time().nullable(),
    reason: word(p.text().nullable()),
    createdAt: time(),
  },
})

/** Table `as_addresses`. */
export const SurfaceAddressEntity = defineEntity({
  name: 'SurfaceAddress',
  tableName: 'as_addresses',
  properties: {
    licenseId: word(p.text().primary()),
    address: fact(p.text().primary()),
    seenAt: time(),
  },
})

/** Table `as_scans`. */
export const SurfaceScanEntity = defineEntity({
  name: 'SurfaceScan',
  tableName: 'as_scans',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    domain: fact(p.text()),
    state: word(p.text().$type<ScanState>()),
    checks: word(p.array().$type<readonly SurfaceCheck[]>()),
    params: fact(p.json().$type<ScanParams>()),
    progress: p.double().$type<number>().default(0),
    result: fact(p.json().$type<ScanResult>().nullable()),
    error: word(p.text().nullable()),
    attempts: p.integer().default(0),
    createdAt: time(),
    startedAt: time().nullable(),
    finishedAt: time().nullable(),
    leaseToken: word(p.text().nullable()),
    leaseUntil: time().nullable(),
  },
})

/** Table `as_findings`. */
export const SurfaceFindingEntity = defineEntity({
  name: 'SurfaceFinding',
  tableName: 'as_findings',
  properties: {
    licenseId: word(p.text().primary()),
    domain: fact(p.text().primary()),
    fingerprint: word(p.text().primary()),
    id: word(p.text()),
    check: word(p.text().$type<SurfaceCheck>()),
    severity: word(p.text().$type<FindingSeverity>()),
    host: fact(p.text()),
    place: fact(p.text()),
    url: fact(p.text().nullable()),
    evidence: fact(p.text()),
    remediation: word(p.text()),
    status: word(p.text().$type<FindingStatus>()),
    firstSeenAt: time(),
    lastSeenAt: time(),
  },
})

/** Its tables. */
export const entities = [SurfaceTargetEntity, SurfaceAddressEntity, SurfaceScanEntity, SurfaceFindingEntity]

const ofTarget = valuesOf(SurfaceTargetEntity)
const ofFinding = valuesOf(SurfaceFindingEntity)

/** Reads a row of `as_targets`. */
export function toTarget(row: object): SurfaceTarget {
  const { lastCheckAt, ...target } = ofTarget(row)
  return { ...target, checkedAt: lastCheckAt }
}
/** Reads a row of `as_scans`. */
export const toScan = valuesOf(SurfaceScanEntity, 'leaseToken', 'leaseUntil')
/** Reads a row of `as_findings`. */
export function toFinding(row: object): SurfaceFinding {
  const { url, ...finding } = ofFinding(row)
  return { ...finding, ...present('url', url) }
}

interface Tables
  extends TablesOf<
    | typeof SurfaceTargetEntity
    | typeof SurfaceAddressEntity
    | typeof SurfaceScanEntity
    | typeof SurfaceFindingEntity
  > {}

/** Statements over its tables. */
export const { statement, scoped } = statementsOver<Tables>()
