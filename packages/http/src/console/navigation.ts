/** An entry of the navigation. `needs`: the operation that the person has to be allowed to run. */
export interface Entry {
  readonly page: string
  readonly title: string
  readonly needs?: string
}

/** The navigation, in groups. */
export const NAVIGATION: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  {
    title: '',
    entries: [
      { page: '', title: 'Overview' },
      { page: 'hosts', title: 'Hosts', needs: 'fleet.servers' },
      { page: 'apps', title: 'Apps', needs: 'apps.list' },
      { page: 'jobs', title: 'Jobs', needs: 'jobs.list' },
      { page: 'images', title: 'Backups', needs: 'images.list' },
      { page: 'alerts', title: 'Alerts', needs: 'alerts.list' },
    ],
  },
  {
    title: 'Watch',
    entries: [
      { page: 'monitors', title: 'Monitors', needs: 'monitors.list' },
      { page: 'surface', title: 'Attack surface', needs: 'surface.list' },
      { page: 'findings', title: 'Findings', needs: 'surface.findings' },
    ],
  },
  {
    title: 'Deliveries',
    entries: [
      { page: 'git-hooks', title: 'Git hooks', needs: 'git-hooks.list' },
      { page: 'webhooks', title: 'Webhooks', needs: 'webhooks.list' },
      { page: 'email-domains', title: 'Email domains', needs: 'email-domains.list' },
      { page: 'email-keys', title: 'Email keys', needs: 'email-keys.list' },
      { page: 'email-queue', title: 'Email queue', needs: 'email-queue.list' },
      { page: 'email-suppressions', title: 'Suppressed', needs: 'email-suppressions.list' },
    ],
  },
  {
    title: 'Customers',
    entries: [
      { page: 'licenses', title: 'Licenses', needs: 'licenses.list' },
      { page: 'tenants', title: 'Tenants', needs: 'tenants.list' },
      { page: 'billing', title: 'Billing', needs: 'billing-events.list' },
      { page: 'provisioning', title: 'Provisioning', needs: 'provision-orders.list' },
      { page: 'chat', title: 'Chat', needs: 'chat.list' },
    ],
  },
  {
    title: 'Plane',
    entries: [
      { page: 'users', title: 'Users', needs: 'users.list' },
      { page: 'tokens', title: 'API tokens', needs: 'tokens.list' },
      { page: 'transfer-keys', title: 'Transfer keys', needs: 'transfer.list' },
      { page: 'browser', title: 'Browser', needs: 'browser.runs' },
      { page: 'audit', title: 'Audit', needs: 'audit.list' },
      { page: 'system', title: 'System', needs: 'health.check' },
      { page: 'api', title: 'API' },
    ],
  },
]
