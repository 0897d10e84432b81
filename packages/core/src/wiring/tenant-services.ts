import {
  TenantAlertMailboxes,
  TenantAlerts,
  TenantAlertWebhooks,
} from '../operations/tenant/tenant-alerts.ts'
import { TenantLicenses } from '../operations/tenant/tenant-licenses.ts'
import type { Storage } from '../storage/storage.ts'
import type { Services } from './features.ts'

/**
 * Returns the services of operations with the scope `tenant` for the people of one tenant, and nothing of
 * others exists for them. Services without such a form are absent, so an operation that wants one fails
 * instead of showing too much.
 */
export function tenantServices(services: Services, storage: Storage, tenantId: string): Services {
  const licenses = new TenantLicenses(tenantId, { licenses: services.licenses, storage })
  const bounded = {
    access: services.access,
    agents: services.agents,
    alerts: new TenantAlerts(tenantId, services.alerts, licenses),
    alertMailboxes: new TenantAlertMailboxes(tenantId, services.alertMailboxes),
    alertWebhooks: new TenantAlertWebhooks(tenantId, services.alertWebhooks),
    billing: services.billing,
    emailDomains: services.emailDomains,
    emailKeys: services.emailKeys,
    images: services.images,
    gitHooks: services.gitHooks,
    gitTest: services.gitTest,
    jobs: services.jobs,
    licenses: services.licenses,
    monitors: services.monitors,
    surface: services.surface,
    transferKeys: services.transferKeys,
    tenants: services.tenants,
    webhooks: services.webhooks,
    webhookDeliveries: services.webhookDeliveries,
  }
  return bounded as unknown as Services
}
