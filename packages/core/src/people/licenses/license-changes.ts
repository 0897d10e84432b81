import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import { secretDigest } from '../../platform/signing/same-secret.ts'
import { type License, type LicenseStatus, newLicenseKey } from './license.ts'
import { unknownLicense } from './license-name.ts'
import type { LicenseChange, LicensesStore } from './licenses-store.ts'

/** Inputs of a new license. */
export interface IssueInput {
  readonly tenantId?: string | undefined
  readonly label?: string | undefined
  readonly expiresAt?: Date | undefined
  readonly tier?: string | undefined
  readonly contactEmail?: string | undefined
  /** Whether the key acts for hosts alone; undefined: as the settings say. */
  readonly agentOnly?: boolean | undefined
}

/** Inputs of an activation. */
export interface ActivateInput {
  readonly key: string | undefined
  readonly fingerprint: string | undefined
}

/** Issues a license. The key is returned only here and is not stored. */
export async function issueLicense(
  licenses: LicensesStore,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  { label = '', tenantId, expiresAt, tier, contactEmail, agentOnly }: IssueInput,
): Promise<{ license: License; key: string }> {
  const key = newLicenseKey((bytes) => ids.secret(bytes))
  const id = ids.next('lic')
  const made = { id, keyDigest: secretDigest(key), tenantId, label, expiresAt, tier, contactEmail, agentOnly }
  return { license: await licenses.add(made, clock.statementTime()), key }
}

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

/** @throws Problem `invalid-input` for a tier that is not one of `tiers` */
export function requireKnownTier(tier: string | undefined, tiers: readonly string[]): void {
  if (tier === undefined || tiers.includes(tier)) return
  const known = tiers.length === 0 ? 'no tier, since the settings name none' : `one of ${tiers.join(', ')}`
  throw new Problem('invalid-input', { details: [`tier: expected ${known}`] })
}
