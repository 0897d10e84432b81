import { change, fingerprint, host, LICENSE, nothing, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to fleet. */
export const feature: Feature = {
  operations: {
    'fleet.servers': read('platform.read', nothing, ['not-found', wrong.license]),
    'fleet.backups': read('platform.read', nothing, ['not-found', wrong.license]),
    'fleet.show': read('platform.read', host, ['not-found', wrong.host]),
    'fleet.usage': read('platform.read', host, ['not-found', wrong.host]),
    'fleet.drain': change('platform.deploy', host, wrong.host),
    'fleet.undrain': change('platform.deploy', host, wrong.host),
    'fleet.label': change(
      'platform.deploy',
      (world) => ({ ...host(world), label: 'front' }),
      () => ({ ...wrong.host(), label: 'front' }),
    ),
    'fleet.forget': change('platform.admin', (world) => ({ ...host(world), force: true }), wrong.host),
  },
  requests: {
    'POST /v1/telemetry/heartbeat': { asks: LICENSE, body: fingerprint, good: 200 },
    'GET /v1/fleet/servers': { asks: LICENSE, good: 200 },
    'GET /v1/fleet/backups': {
      asks: LICENSE,
      path: ({ own }) => ({ query: `?host=${own.hostname}` }),
      good: 200,
    },
  },
}
