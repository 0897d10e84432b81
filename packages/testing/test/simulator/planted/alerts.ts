import type { AlertDeliveriesStore, AlertsStore } from '@svc/core'
import type { StoresSeam } from '@svc/testing'
import type { PlantedBug } from './planted-bug.ts'

const inAlerts = (
  name: string,
  wrong: (alerts: AlertsStore, seam: StoresSeam) => Partial<AlertsStore>,
): PlantedBug => ({
  name,
  seams: {
    stores: (stores, seam) => ({ ...stores, alerts: { ...stores.alerts, ...wrong(stores.alerts, seam) } }),
  },
})

const inDeliveries = (
  name: string,
  wrong: (deliveries: AlertDeliveriesStore, seam: StoresSeam) => Partial<AlertDeliveriesStore>,
): PlantedBug => ({
  name,
  seams: {
    stores: (stores, seam) => ({
      ...stores,
      alertDeliveries: { ...stores.alertDeliveries, ...wrong(stores.alertDeliveries, seam) },
    }),
  },
})

/** Faults in alerts. */
export const alertBugs: readonly PlantedBug[] = [
  inAlerts('alert: evaluations that overlap open two', (alerts, { tables }) => ({
    move: async (made, since) => {
      const done = await alerts.move(made, since)
      const twin = tables.alerting.alerts.all().find(({ dedupKey, licenseId, resolvedAt }) => {
        return dedupKey === made.dedupKey && licenseId === made.licenseId && resolvedAt === undefined
      })
      if (done === undefined && made.step.alert === 'open' && twin !== undefined)
        tables.alerting.alerts.put(made.alertId, { ...twin, id: made.alertId })
      return done
    },
  })),
  inDeliveries('alert: announced by two replicas at once', (deliveries, { tables }) => ({
    takeDue: (request) => {
      for (const delivery of tables.alerting.deliveries.all())
        tables.alerting.deliveries.put(delivery.id, { ...delivery, leaseUntil: undefined })
      return deliveries.takeDue(request)
    },
  })),
  inDeliveries('alert: announced again after it was delivered', (deliveries, { tables }) => ({
    settle: async (settlement) => {
      const isSettled = await deliveries.settle(settlement)
      const delivery = tables.alerting.deliveries.get(settlement.id)
      if (delivery !== undefined) tables.alerting.deliveries.put(delivery.id, { ...delivery, state: 'due' })
      return isSettled
    },
  })),
  inDeliveries('alert: bundled into two deliveries', (deliveries, { tables }) => ({
    bundle: (id, audience) => {
      const { notices } = tables.alerting
      for (const notice of notices.all()) {
        const { alertId, opening, transition, channel } = notice
        const key = JSON.stringify([alertId, opening, transition, channel])
        notices.put(key, { ...notice, deliveryId: undefined })
      }
      return deliveries.bundle(id, audience)
    },
  })),
]
