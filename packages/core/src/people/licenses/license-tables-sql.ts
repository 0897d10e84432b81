import { defineEntity, p } from '@mikro-orm/core'
import {
  bigInteger,
  day,
  digest,
  fact,
  person,
  type TablesOf,
  time,
  valuesOf,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { BillingState, License, LicenseStatus, StatusReason } from './license.ts'
import type { LicenseDeed } from './license-deed.ts'

/** Table `licenses`. */
export const LicenseEntity = defineEntity({
  name: 'License',
  tableName: 'licenses',
  properties: {
    id: word(p.text().primary()),
    keyDigest: digest(p.text()),
    tenantId: word(p.text().nullable()),
    label: fact(p.text().default('')),
    status: word(p.text().$type<LicenseStatus>().default('active')),
    expiresAt: time().nullable(),
    createdAt: time(),
    tier: word(p.text().nullable()),
    statusReason: word(p.text().$type<StatusReason>().nullable()),
    billingState: word(p.text().$type<BillingState>().nullable()),
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
    deed: word(p.text().$type<LicenseDeed>().primary()),
    day: day().primary(),
    calls: bigInteger(),
    lastAt: time(),
  },
})

/** Its tables. */
export const entities = [LicenseEntity, LicenseCallsEntity]

const withoutKey = valuesOf(LicenseEntity, 'keyDigest')
/** Reads a row of `licenses`. */
export function toLicense(row: object): License {
  const { providerCustomerId: customerId, ...license } = withoutKey(row)
  return { ...license, customerId }
}
/** Reads the sum of rows of `license_calls`. */
export const toCalls = valuesOf(LicenseCallsEntity, 'day')

interface Tables extends TablesOf<typeof LicenseEntity | typeof LicenseCallsEntity> {}

/** Statements over both tables. */
export const { statement, scoped } = statementsOver<Tables>()
