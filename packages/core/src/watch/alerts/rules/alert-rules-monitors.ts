import { unixSeconds } from '../../../kernel/clock.ts'
import type { MonitorTrouble } from '../../monitors/monitor.ts'
import type { AlertCondition } from './alert-condition.ts'

/**
 * Returns the conditions about monitors. Monitors confirm a fault themselves, so these alerts open at once.
 */
export const monitorConditions = (troubles: readonly MonitorTrouble[]): AlertCondition[] =>
  troubles.map(({ kind, monitor, since }) => {
    const { id, name, host, type, error, confirmed, expected } = monitor
    const isDrift = kind === 'monitor_drift'
    return {
      licenseId: monitor.licenseId ?? '',
      tenantId: monitor.tenantId,
      dedupKey: `${kind}:${id}`,
      kind,
      severity: isDrift ? 'critical' : 'warning',
      summary: isDrift
        ? `the ${type} records of ${host} are not as expected (monitor ${name})`
        : `the ${type} records of ${host} cannot be looked up (monitor ${name})`,
      host: undefined,
      details: {
        monitor_id: id,
        monitor: name,
        host,
        type,
        since: unixSeconds(since),
        ...(isDrift ? { expected, found: confirmed } : { error }),
      },
    }
  })
