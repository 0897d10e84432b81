import { change, monitor, nothing, ownMonitor, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to monitors. */
export const feature: Feature = {
  operations: {
    'monitors.add': change(
      'platform.security',
      () => ({ name: 'more', host: 'watched.example', type: 'A' }),
      () => ({ name: 'watched', host: 'watched.example', type: 'A' }),
      'conflict',
    ),
    'monitors.list': read('platform.read', nothing, ['not-found', wrong.license]),
    'monitors.show': read('platform.read', ownMonitor, ['not-found', wrong.monitor]),
    'monitors.update': change(
      'platform.security',
      () => ({ ...monitor(), interval_seconds: 600 }),
      wrong.monitor,
    ),
    'monitors.pause': change('platform.security', monitor, wrong.monitor),
    'monitors.resume': change('platform.security', monitor, wrong.monitor),
    'monitors.remove': change('platform.security', () => ({ monitor: 'spare' }), wrong.monitor),
    'monitors.accept': change('platform.security', monitor, wrong.monitor),
    'monitors.check': read('platform.security', monitor, ['not-found', wrong.monitor]),
    'monitors.run': change('platform.security', monitor, wrong.monitor),
    'monitors.history': read('platform.read', ownMonitor, ['not-found', wrong.monitor]),
  },
  requests: {
    'GET /api/v1/monitors/run': { asks: 'the cron secret', good: 200 },
    'POST /api/v1/monitors/run': { asks: 'the cron secret', good: 200 },
  },
  // It is paused, so that no tick asks for it.
  stage: async ({ operations }, licenseId) => {
    const input = { name: 'staged', host: 'staged.example', type: 'A', license: licenseId } as const
    const { id } = (await operations.run('monitors.add', input, 'stage')).monitor
    await operations.run('monitors.pause', { monitor: id }, 'stage')
    return { monitor: id }
  },
}
