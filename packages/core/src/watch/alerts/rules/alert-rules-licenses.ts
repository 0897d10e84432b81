import { unixSeconds } from '../../../kernel/clock.ts'
import { duration } from '../../../kernel/duration.ts'
import type { License } from '../../../people/licenses/license.ts'
import type { AlertCondition } from './alert-condition.ts'
import type { RateLimitHits } from './alert-facts.ts'
import { REFUSAL_SECONDS } from './alert-facts.ts'
import { type AlertThresholds, CRITICAL_LICENSE_DAYS } from './alert-thresholds.ts'

const DAY_SECONDS = 86_400

function expiry(license: License, bounds: AlertThresholds, at: Date): AlertCondition[] {
  const { id, label, expiresAt, status, tenantId, billingState } = license
  // A subscription that renews moves the end by itself.
  if (status !== 'active' || expiresAt === undefined || billingState === 'active') return []
  const left = (expiresAt.getTime() - at.getTime()) / 1000
  if (left > bounds.licenseDays * DAY_SECONDS) return []
  const name = label === '' ? `the license ${id}` : `the license ${label}`
  const summary = left > 0 ? `${name} expires in ${duration(left)}` : `${name} expired ${duration(-left)} ago`
  return [
    {
      licenseId: id,
      tenantId,
      dedupKey: 'license_expiring',
      kind: 'license_expiring',
      severity: left > CRITICAL_LICENSE_DAYS * DAY_SECONDS ? 'warning' : 'critical',
      summary,
      host: undefined,
      details: { expires_at: unixSeconds(expiresAt) },
    },
  ]
}

function limited({ licenseId, count }: RateLimitHits, bounds: AlertThresholds): AlertCondition[] {
  if (count < bounds.refusals) return []
  return [
    {
      licenseId,
      tenantId: undefined,
      dedupKey: 'rate_limited_fleet',
      kind: 'rate_limited_fleet',
      severity: 'warning',
      summary: `${count} requests of the license were refused by its rate limits in ${duration(REFUSAL_SECONDS)}: its hosts need a second license`,
      host: undefined,
      details: { refused: count, seconds: REFUSAL_SECONDS, threshold: bounds.refusals },
    },
  ]
}

/** Returns the conditions about licenses that expire or that too many hosts share. */
export const licenseConditions = (
  facts: { readonly licenses: readonly License[]; readonly refusals: readonly RateLimitHits[] },
  bounds: AlertThresholds,
  at: Date,
): AlertCondition[] => [
  ...facts.licenses.flatMap((license) => expiry(license, bounds, at)),
  ...facts.refusals.flatMap((refusals) => limited(refusals, bounds)),
]
