import { unixSeconds } from '../../../kernel/clock.ts'
import type { SurfaceFinding } from '../../surface/surface-finding.ts'
import type { AlertCondition } from './alert-condition.ts'

/** Returns the conditions about high findings of scans. They hold until a scan calls them fixed. */
export const surfaceConditions = (exposures: readonly SurfaceFinding[]): AlertCondition[] =>
  exposures.map((found) => {
    const { licenseId, domain, fingerprint, id, host, url, firstSeenAt } = found
    return {
      licenseId,
      tenantId: undefined,
      dedupKey: `surface_finding:${domain}:${fingerprint}`,
      kind: 'surface_finding',
      severity: 'critical',
      summary: `${host} shows ${id} to the outside: ${found.remediation}`,
      host: undefined,
      details: {
        domain,
        finding: id,
        ...(url === undefined ? {} : { url }),
        first_seen_at: unixSeconds(firstSeenAt),
      },
      // A person who resolves the alert has seen this finding; it alerts again when it comes back.
      event: `${fingerprint}:${unixSeconds(firstSeenAt)}`,
    }
  })
