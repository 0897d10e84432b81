import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { featureOf } from '../../platform/feature.ts'
import { monitorOperations } from './monitor-operations.ts'
import { Monitors } from './monitors.ts'
import * as settings from './settings.ts'

const TASK_MS = 15_000

/** Monitors of DNS records. */
export const monitors = featureOf<{ dns: DnsClient }>()({
  settings,
  sql: () => import('./monitors-store-sql.ts'),
  services: (base, { dns }): { monitors: Monitors } => ({
    monitors: new Monitors({ ...base, dns, dnsServers: base.config.monitors.dnsServers }),
  }),
  operations: monitorOperations,
  events: ['monitor.drift', 'monitor.recovered'],
  tasks: ({ monitors }) => [
    {
      name: 'monitors',
      essential: true,
      budgetMs: TASK_MS,
      run: async (signal) => {
        const { ran, changed } = await monitors.runDue(signal)
        return { ran, changed }
      },
    },
  ],
})
