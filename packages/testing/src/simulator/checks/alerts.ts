import type { AlertDelivery } from '@svc/core'
import type { AlertTables } from '../../alerts/alert-tables.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'

/** Alerts: one unresolved alert a condition, and each opening is announced in one delivery, by one replica at a time. */
export class AlertCheck {
  readonly #verdict: Verdict
  /** The delivery that each notice travels in. */
  readonly #deliveryOf = new Map<string, string>()
  /** Deliveries under way, with the end of their lease. */
  readonly #leasedUntil = new Map<string, number>()
  readonly #settled = new Set<string>()

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** Checks one statement on alerts. */
  check({ name, tables, result, args, now }: Statement): void {
    const { alerting } = tables
    if (name === 'alerts.move') this.#checkOpen(alerting)
    if (name === 'alertDeliveries.bundle') this.#checkNotices(alerting)
    if (name === 'alertDeliveries.takeDue') {
      this.#checkTaken(
        result as readonly AlertDelivery[],
        now,
        (args[0] as { leaseSeconds: number }).leaseSeconds,
      )
    }
    if (name === 'alertDeliveries.settle' && result === true) {
      const { id, state } = args[0] as { id: string; state: string }
      this.#leasedUntil.delete(id)
      if (state !== 'due') this.#settled.add(id)
    }
  }

  #checkOpen({ alerts }: AlertTables): void {
    const open = new Set<string>()
    for (const { licenseId, dedupKey, resolvedAt } of alerts.all()) {
      if (resolvedAt !== undefined) continue
      const key = JSON.stringify([licenseId, dedupKey])
      this.#verdict.expect(!open.has(key), 'one unresolved alert a condition', () => `two of ${key}`)
      open.add(key)
    }
  }

  #checkNotices({ notices }: AlertTables): void {
    for (const { alertId, opening, transition, channel, deliveryId } of notices.all()) {
      if (deliveryId === undefined) continue
      const key = JSON.stringify([alertId, opening, transition, channel])
      const known = this.#deliveryOf.get(key) ?? deliveryId
      this.#deliveryOf.set(key, known)
      const detail = () => `${key} is in the deliveries ${known} and ${deliveryId}`
      this.#verdict.expect(known === deliveryId, 'an alert is announced once', detail)
    }
  }

  #checkTaken(taken: readonly AlertDelivery[], now: Date, leaseSeconds: number): void {
    for (const { id } of taken) {
      const isFree = (this.#leasedUntil.get(id) ?? Number.NEGATIVE_INFINITY) <= now.getTime()
      const isDue = isFree && !this.#settled.has(id)
      this.#verdict.expect(isDue, 'an alert is announced once', () => `delivery ${id} was taken twice`)
      this.#leasedUntil.set(id, now.getTime() + leaseSeconds * 1000)
    }
  }
}
