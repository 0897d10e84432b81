import { Problem } from '../problem.ts'
import type { License, LicenseStatus } from './license.ts'
import { unknownLicense } from './license-name.ts'
import type { LicenseChange, LicensesStore } from './licenses-store.ts'

const revoked = (id: string): Problem =>
  new Problem('conflict', { detail: `${id} is revoked, which is final; issue a new license` })

/** Changes the label or the end of a license. @throws Problem `not-found`, `conflict` when it is revoked */
export async function changeLicense(
  licenses: LicensesStore,
  id: string,
  change: LicenseChange,
): Promise<License> {
  const license = await licenses.change(id, change)
  if (license !== undefined) return license
  throw (await licenses.get(id)) === undefined ? unknownLicense() : revoked(id)
}

/** Sets the status of a license. @throws Problem `not-found`, `conflict` when it is revoked */
export async function setLicenseStatus(
  licenses: LicensesStore,
  id: string,
  status: LicenseStatus,
): Promise<License> {
  const license = await licenses.setStatus(id, status)
  if (license === undefined) throw new Problem('not-found', { detail: `there is no issued license ${id}` })
  if (license.status !== status) throw revoked(id)
  return license
}
