import { createHmac } from 'node:crypto'
import type { Base } from '../../platform/base.ts'
import { SECRET_CHARS_NEEDED } from '../../platform/config/shared-secret.ts'
import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { featureOf } from '../../platform/feature.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import * as settings from './settings.ts'
import { Surface } from './surface.ts'
import { SurfaceMetrics } from './surface-metrics.ts'
import { surfaceOperations } from './surface-operations.ts'
import { type Scan, scanServers } from './surface-sight.ts'
import { SurfaceWorker } from './surface-worker.ts'

/** Proofs that are not looked up in this time wait for the next tick. */
const TASK_MS = 10_000

/** The tools that scans use. */
export interface SurfaceNeeds {
  readonly dns: DnsClient
  readonly outside: { readonly scan: Scan }
  readonly health: { readonly draining: AbortSignal }
}

/** Scans of domains from outside. */
export const surface = featureOf<SurfaceNeeds>()({
  settings,
  sql: () => import('./surface-sql.ts'),
  services: (base, needs): { surface: Surface } => ({ surface: surfaceOf(base, needs) }),
  operations: surfaceOperations,
  tasks: ({ surface }) => [
    { name: 'attack-surface', budgetMs: TASK_MS, run: silent((signal) => surface.runDue(signal)) },
  ],
  purge: ({ surface }) => surface.purge(),
})

function surfaceOf(base: Base, { dns, health, outside }: SurfaceNeeds): Surface {
  const tools = {
    ...base,
    dns,
    dnsServers: scanServers(base, dns),
    scan: outside.scan,
    secrets: secretsOf(base),
    mostRunning: base.config.surface.mostRunning,
    draining: health.draining,
  }
  const metrics = new SurfaceMetrics(base.metrics, () => worker.size)
  const worker: SurfaceWorker = new SurfaceWorker({ ...tools, metrics })
  return new Surface({ ...tools, worker })
}

/**
 * The secrets of the challenges. Without a setting there is none in production; elsewhere the key beside the
 * data stands in, so that a record stays good over a restart, else one of this process alone.
 */
function secretsOf({ config, production, storage, ids }: Base): readonly string[] {
  if (config.surface.enabled === '0' || config.faults.surface !== undefined) return []
  const given = config.surface.secrets.filter((each) => each.length >= SECRET_CHARS_NEEDED)
  if (given.length > 0 || production) return given
  const [key = ids.secret(32)] = storage.dataKeys ?? []
  return [createHmac('sha256', key).update('attack-surface').digest('base64url')]
}
