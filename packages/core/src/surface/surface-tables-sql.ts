import { defineEntity, p } from '@mikro-orm/core'
import { fact, time, word } from '../database/table-sql.ts'

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
    state: word(p.text()),
    checks: word(p.array()),
    params: fact(p.json()),
    progress: p.double().default(0),
    result: fact(p.json().nullable()),
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
    check: word(p.text()),
    severity: word(p.text()),
    host: fact(p.text()),
    place: fact(p.text()),
    url: fact(p.text().nullable()),
    evidence: fact(p.text()),
    remediation: word(p.text()),
    status: word(p.text()),
    firstSeenAt: time(),
    lastSeenAt: time(),
  },
})

/** Its tables. */
export const entities = [SurfaceTargetEntity, SurfaceAddressEntity, SurfaceScanEntity, SurfaceFindingEntity]
