import type { AlertDeliveriesStore, AlertsStore, DeliveriesStore } from '@svc/core/ports'
import type { StoresSeam } from '@svc/testing/simulator'
import type { PlantedBug } from './planted-bug.ts'

const inAlerts = (
  name: string,
  rules: readonly string[],
  wrong: (alerts: AlertsStore, seam: StoresSeam) => Partial<AlertsStore>,
): PlantedBug => ({
  name,
  rules,
  seams: {
    stores: (stores, seam) => ({ ...stores, alerts: { ...stores.alerts, ...wrong(stores.alerts, seam) } }),
  },
})

const inDeliveries = (
  name: string,
  rules: readonly string[],
  wrong: (deliveries: DeliveriesStore, seam: StoresSeam) => Partial<DeliveriesStore>,
): PlantedBug => ({
  name,
  rules,
  seams: {
    stores: (stores, seam) => ({
      ...stores,
      deliveries: { ...stores.deliveries, ...wrong(stores.deliveries, seam) },
    }),
  },
})

const inBundles = (
  name: string,
  rules: readonly string[],
  wrong: (deliveries: AlertDeliveriesStore, seam: StoresSeam) => Partial<AlertDeliveriesStore>,
): PlantedBug => ({
  name,
  rules,
  seams: {
    stores: (stores, seam) => ({
      ...stores,
      alertDeliveries: { ...stores.alertDeliveries, ...wrong(stores.alertDeliveries, seam) },
    }),
  },
})

const END_OF_TIME = new Date(8_640_000_000_000_000)
const YEAR_SECONDS = 31_536_000

/** Faults in alerts. */
export const alertBugs: readonly PlantedBug[] = [
  inAlerts(
    'alert: evaluations that overlap open two',
    ['one unresolved alert a condition'],
    (alerts, { tables }) => ({
      move: async (made, since) => {
        const done = await alerts.move(made, since)
        const twin = tables.alerting.alerts.all().find(({ dedupKey, licenseId, resolvedAt }) => {
          return dedupKey === made.dedupKey && licenseId === made.licenseId && resolvedAt === undefined
        })
        if (done === undefined && made.step.alert === 'open' && twin !== undefined)
          tables.alerting.alerts.put(made.alertId, { ...twin, id: made.alertId })
        return done
      },
    }),
  ),
  inDeliveries(
    'alert: announced by two replicas at once',
    ['an alert is announced once'],
    (deliveries, { tables }) => ({
      takeDue: (request) => {
        for (const delivery of tables.deliveries.all())
          tables.deliveries.put(delivery.id, { ...delivery, leaseUntil: undefined })
        return deliveries.takeDue(request)
      },
    }),
  ),
  inDeliveries(
    'alert: announced again after it was delivered',
    ['an alert is announced once', 'what has arrived is not sent again'],
    (deliveries, { tables }) => ({
      settle: async (settlement) => {
        const isSettled = await deliveries.settle(settlement)
        const delivery = tables.deliveries.get(settlement.id)
        if (delivery !== undefined) tables.deliveries.put(delivery.id, { ...delivery, state: 'due' })
        return isSettled
      },
    }),
  ),
  inBundles(
    'alert: bundled into two deliveries',
    ['an alert is announced once'],
    (deliveries, { tables }) => ({
      bundle: (id, audience) => {
        const { notices } = tables.alerting
        for (const notice of notices.all()) {
          const { alertId, opening, transition, channel } = notice
          const key = JSON.stringify([alertId, opening, transition, channel])
          notices.put(key, { ...notice, deliveryId: undefined })
        }
        return deliveries.bundle(id, audience)
      },
    }),
  ),
  inAlerts(
    'alert: moved whatever has become of it since',
    ['an alert moves on what was decided', 'overlapping evaluations count as one'],
    (alerts, { tables }) => ({
      move: (made) => {
        const watch = tables.alerting.watches.get(JSON.stringify([made.licenseId, made.dedupKey]))
        return alerts.move({ ...made, revision: watch?.revision ?? 0 }, END_OF_TIME)
      },
    }),
  ),
  inAlerts(
    'alert: evaluations that follow each other at once count as two',
    ['overlapping evaluations count as one'],
    (alerts) => ({
      move: (made) => alerts.move(made, END_OF_TIME),
    }),
  ),
  inAlerts('alert: never opens', ['a condition that holds has an alert'], (alerts) => ({
    move: async (made, since) => {
      const isOpening = made.step.alert === 'open' || made.step.alert === 'reopen'
      return isOpening ? undefined : alerts.move(made, since)
    },
  })),
  inAlerts('alert: never resolves', ['an alert ends with its condition'], (alerts) => ({
    move: async (made, since) => (made.step.alert === 'resolve' ? undefined : alerts.move(made, since)),
  })),
  inDeliveries(
    'delivery: settled without its lease',
    ['a delivery is settled by its holder'],
    (deliveries, { tables }) => ({
      settle: (settlement) => {
        const { id, token } = settlement
        const delivery = tables.deliveries.get(id)
        if (delivery !== undefined) tables.deliveries.put(id, { ...delivery, leaseToken: token })
        return deliveries.settle(settlement)
      },
    }),
  ),
  inDeliveries(
    'delivery: an attempt that failed is never tried again',
    ['no delivery stays due for ever', 'no message waits for ever'],
    (deliveries) => ({
      settle: (settlement) => {
        const delaySeconds = settlement.state === 'due' ? YEAR_SECONDS : 0
        return deliveries.settle({ ...settlement, delaySeconds })
      },
    }),
  ),
  inDeliveries(
    'delivery: given up after the first attempt',
    ['a delivery is tried until it is given up', 'no message is given up early'],
    (deliveries) => ({
      settle: (settlement) =>
        deliveries.settle(settlement.state === 'due' ? { ...settlement, state: 'failed' } : settlement),
    }),
  ),
  inDeliveries(
    'delivery: what is due is never taken',
    ['no delivery stays due for ever', 'no message waits for ever'],
    () => ({
      takeDue: async () => [],
    }),
  ),
  inBundles('alert: what happens to it is never bundled', ['what happens to an alert is announced'], () => ({
    bundle: async () => false,
  })),
]
