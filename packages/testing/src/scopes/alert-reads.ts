import { buildId } from '../build-id.ts'
import { buildAlertWrite } from '../watch/alerts/build-alert-write.ts'
import { idsOf, type ScopedRead } from './scoped-read.ts'

type Thing = Required<Pick<ScopedRead, 'of' | 'add'>>
const alert: Thing = {
  of: 'license',
  add: async ({ alerts }, { licenseId, tenantId }, now) => {
    const alertId = buildId('alr')
    await alerts.move(buildAlertWrite({ licenseId, tenantId, dedupKey: alertId, alertId }), now, now)
    return alertId
  },
}
const webhook: Thing = {
  of: 'tenant',
  add: async ({ alertDeliveries }, { tenantId }, now) => {
    const set = { tenantId, url: 'https://hooks.example', secret: 'v1:s', rotate: false }
    return (await alertDeliveries.setWebhook(set, now)).tenantId
  },
}
const mailboxes: Thing = {
  of: 'tenant',
  add: async ({ alertDeliveries }, { tenantId }, now) =>
    (await alertDeliveries.setMailboxes({ tenantId, addresses: ['a@example.com'] }, now)).tenantId,
}

/** The reads of alerts and of the places that they are sent to. */
export const alertReads: Readonly<Record<string, ScopedRead>> = {
  'alerts.list': {
    ...alert,
    read: async ({ alerts }, scope) => idsOf(await alerts.list(scope, { limit: 999 })),
  },
  'alerts.byIds': {
    ...alert,
    read: async ({ alerts }, scope, { id }) => idsOf(await alerts.byIds(scope, [id])),
  },
  'alerts.byKey': {
    ...alert,
    read: async ({ alerts }, scope, { id }) => idsOf(await alerts.byKey(scope, id)),
  },
  'alertDeliveries.webhooks': {
    ...webhook,
    read: async ({ alertDeliveries }, scope) =>
      (await alertDeliveries.webhooks(scope)).map(({ tenantId }) => tenantId),
  },
  'alertDeliveries.mailboxes': {
    ...mailboxes,
    read: async ({ alertDeliveries }, scope) =>
      (await alertDeliveries.mailboxes(scope)).map(({ tenantId }) => tenantId),
  },
}
