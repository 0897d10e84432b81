import type { AlertCondition } from './alert-condition.ts'
import type { AlertFacts } from './alert-facts.ts'
import { appConditions } from './alert-rules-apps.ts'
import { backupConditions } from './alert-rules-backups.ts'
import { billingConditions } from './alert-rules-billing.ts'
import { hostConditions } from './alert-rules-hosts.ts'
import { jobConditions } from './alert-rules-jobs.ts'
import { licenseConditions } from './alert-rules-licenses.ts'
import { monitorConditions } from './alert-rules-monitors.ts'
import { provisioningConditions } from './alert-rules-provisioning.ts'
import { schedulerConditions } from './alert-rules-scheduler.ts'
import { securityConditions } from './alert-rules-security.ts'
import { surfaceConditions } from './alert-rules-surface.ts'
import { webhookConditions } from './alert-rules-webhooks.ts'
import type { AlertThresholds } from './alert-thresholds.ts'

/** Returns all conditions that hold at `at`, at most one for each license and dedup key. */
export const conditionsOf = (facts: AlertFacts, bounds: AlertThresholds, at: Date): AlertCondition[] => [
  ...hostConditions(facts, bounds, at),
  ...backupConditions(facts.hosts, bounds, at),
  ...appConditions(facts, at),
  ...jobConditions(facts.failures, facts.hosts),
  ...licenseConditions(facts, bounds, at),
  ...monitorConditions(facts.troubles),
  ...billingConditions(facts.paymentEvents),
  ...provisioningConditions(facts, at),
  ...webhookConditions(facts.deadEndpoints),
  ...surfaceConditions(facts.exposures),
  ...securityConditions(facts, bounds, at),
  ...schedulerConditions(facts, bounds, at),
]
