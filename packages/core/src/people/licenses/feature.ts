import { featureOf } from '../../platform/feature.ts'
import type { Operation } from '../../platform/operations/operation.ts'
import { type LicenseDeedUses, licenseDeedOperations } from './license-deed-operations.ts'
import { LicenseDeeds } from './license-deeds.ts'
import { type LicenseUses, licenseOperations } from './license-operations.ts'
import type { Licenses } from './licenses.ts'
import * as settings from './settings.ts'

/** The services of licenses. */
export interface LicenseServices {
  readonly licenses: Licenses
  readonly licenseDeeds: LicenseDeeds
}

const operations: readonly Operation<LicenseUses & LicenseDeedUses>[] = [
  ...licenseOperations,
  ...licenseDeedOperations,
]

/**
 * Licenses, and the rights of their keys. The health of a plane uses licenses too, so they are made before.
 */
export const licenses = featureOf<{ licenses: Licenses }>()({
  settings,
  sql: () => import('./licenses-store-sql.ts'),
  services: (base, { licenses }): LicenseServices => ({ licenses, licenseDeeds: new LicenseDeeds(base) }),
  operations,
  events: ['license.issued', 'license.updated'],
  purge: ({ licenseDeeds }) => licenseDeeds.purge(),
})
