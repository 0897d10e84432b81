import { alert, change, LICENSE, nothing, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to alerts. */
export const feature: Feature = {
  operations: {
    'alerts.list': read('platform.read', nothing, ['invalid-input', wrong.text]),
    'alerts.show': read('platform.read', alert, ['not-found', wrong.alert]),
    'alerts.ack': change('platform.deploy', alert, wrong.alert),
    'alerts.unack': change('platform.deploy', alert, wrong.alert),
    'alerts.snooze': change(
      'platform.deploy',
      (world) => ({ ...alert(world), for_seconds: 600 }),
      wrong.alert,
    ),
    'alerts.unsnooze': change('platform.deploy', alert, wrong.alert),
    'alerts.resolve': change('platform.deploy', alert, wrong.alert),
    'alerts.webhooks': read('platform.read', nothing),
    'alerts.webhook-set': change(
      'platform.admin',
      ({ own }) => ({ tenant: own.tenantId, url: 'https://own.example/new', rotate: true }),
      () => ({ ...wrong.tenant(), url: 'https://own.example/new' }),
    ),
    'alerts.webhook-remove': change(
      'platform.admin',
      ({ other }) => ({ tenant: other.tenantId }),
      wrong.tenant,
    ),
    'alerts.mailboxes': read('platform.read', nothing),
    'alerts.mail-set': change(
      'platform.admin',
      ({ own }) => ({ tenant: own.tenantId, to: ['ops@own.example'] }),
      () => ({ ...wrong.tenant(), to: ['ops@own.example'] }),
    ),
    'alerts.mail-remove': change('platform.admin', ({ own }) => ({ tenant: own.tenantId }), wrong.tenant),
    'alerts.mail-test': change('platform.admin', ({ other }) => ({ tenant: other.tenantId }), wrong.tenant),
    'alerts.webhook-test': change('platform.admin', ({ own }) => ({ tenant: own.tenantId }), wrong.tenant),
  },
  commands: {
    'alerts mail-set': () => ['ops@acme.example', 'ann@acme.example'],
    'alerts mailboxes': () => [],
    'alerts mail-test': () => [],
    'alerts mail-remove': () => [],
  },
  requests: {
    'GET /api/v1/fleet/alerts': { asks: LICENSE, good: 200 },
    'POST /api/v1/fleet/alerts': {
      asks: LICENSE,
      body: ({ own }) => ({ id: own.alert, action: 'ack' }),
      good: 200,
      foreign: 404,
    },
  },
}
