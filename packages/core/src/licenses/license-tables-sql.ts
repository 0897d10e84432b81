import { defineEntity, p } from '@mikro-orm/core'
import { bigInteger, day, digest, fact, person, time, word } from '../database/table-sql.ts'

/** Table `licenses`. */
export const LicenseEntity = defineEntity({
  name: 'License',
  tableName: 'licenses',
  properties: {
    id: word(p.text().primary()),
    keyDigest: digest(p.text()),
    tenantId: word(p.text().nullable()),
    label: fact(p.text().default('')),
    status: word(p.text().default('active')),
    expiresAt: time().nullable(),
    createdAt: time(),
    tier: word(p.text().nullable()),
    statusReason: word(p.text().nullable()),
    billingState: word(p.text().nullable()),
    currentPeriodEnd: time().nullable(),
    providerCustomerId: word(p.text().nullable()),
    contactEmail: person(p.text().nullable()),
    agentOnly: p.boolean().default(false),
  },
})

/** Table `license_calls`. */
export const LicenseCallsEntity = defineEntity({
  name: 'LicenseCalls',
  tableName: 'license_calls',
  properties: {
    licenseId: word(p.text().primary()),
    deed: word(p.text().primary()),
    day: day().primary(),
    calls: bigInteger(),
    lastAt: time(),
  },
})

/** Its tables. */
export const entities = [LicenseEntity, LicenseCallsEntity]
