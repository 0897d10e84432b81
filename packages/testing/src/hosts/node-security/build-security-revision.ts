import { type NewSecurityRevision, readSecuritySettings, settingsDigest } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns the first revision of a host with settings of their own, changed by `fields`. */
export function buildSecurityRevision(fields: Partial<NewSecurityRevision> = {}): NewSecurityRevision {
  const revision = fields.revision ?? 1
  const settings = readSecuritySettings({ firewall: { enabled: true, ssh_rate_limit: revision } })
  return {
    licenseId: buildId('lic'),
    fingerprint: 'host-a-0123456789abcdef',
    revision,
    settings,
    sha256: settingsDigest(settings),
    updatedBy: 'cli:ann@desk',
    ...fields,
  }
}
