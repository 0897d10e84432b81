import type { AlertWrite, Delivery } from '@svc/core/ports'
import type { UndoLog } from '../../memory-table.ts'
import type { AlertTables } from '../../watch/alerts/alert-tables.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'

interface Lease {
  readonly token: string
  readonly untilMs: number
}

interface Settled {
  readonly id: string
  readonly state: string
  readonly token: string
}

interface Moved {
  readonly revision: number
  /** When the key was last written, in milliseconds. */
  readonly atMs: number
}

const keyOf = ({ licenseId, dedupKey }: Pick<AlertWrite, 'licenseId' | 'dedupKey'>): string =>
  JSON.stringify([licenseId, dedupKey])

/**
 * Checks that each condition has one unresolved alert, and that each opening is announced in one delivery, by
 * one replica at a time.
 */
export class AlertCheck {
  readonly #verdict: Verdict
  /** The delivery of each notice. */
  readonly #deliveryOf = new Map<string, string>()
  /** Deliveries under way. */
  readonly #leases = new Map<string, Lease>()
  /** The last write of each dedup key. */
  readonly #moved = new Map<string, Moved>()
  readonly #settled = new Set<string>()

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** Checks one statement on alerts. */
  check({ name, tables, result, args, now }: Statement): void {
    const { alerting } = tables
    if (name === 'alerts.move') {
      if (result !== undefined) this.#checkMoved(args[0] as AlertWrite, args[1] as Date, now)
      this.#checkOpen(alerting)
    }
    if (name === 'alertDeliveries.bundle') this.#checkNotices(alerting, tables.undo)
    if (name === 'deliveries.takeDue') {
      const request = args[0] as { readonly token: string; readonly leaseSeconds: number }
      this.#checkTaken(result as readonly Delivery[], request, now)
    }
    if (name === 'deliveries.settle' && result === true) this.#checkSettled(args[0] as Settled, tables.undo)
  }

  #checkMoved(made: AlertWrite, since: Date, now: Date): void {
    const key = keyOf(made)
    const last = this.#moved.get(key)
    const isFresh = made.revision === (last?.revision ?? 0)
    const detail = () => `${key} was written at revision ${made.revision}, and was at ${last?.revision ?? 0}`
    this.#verdict.expect(isFresh, 'an alert moves on what was decided', detail)
    if (made.forget) {
      this.#moved.delete(key)
      return
    }
    const isLate = last !== undefined && last.atMs >= since.getTime()
    this.#verdict.expect(!isLate, 'overlapping evaluations count as one', () => `${key} was written twice`)
    this.#moved.set(key, { revision: made.revision + 1, atMs: now.getTime() })
  }

  // A result that is undone with its transaction was never recorded.
  #checkSettled({ id, state, token }: Settled, undo: UndoLog): void {
    const lease = this.#leases.get(id)
    const isHolder = lease?.token === token
    const detail = () => `delivery ${id} was settled as ${state} by one who did not hold it`
    this.#verdict.expect(isHolder, 'a delivery is settled by its holder', detail)
    this.#leases.delete(id)
    if (state !== 'due') this.#settled.add(id)
    undo.record(() => {
      if (lease !== undefined) this.#leases.set(id, lease)
      this.#settled.delete(id)
    })
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

  #checkNotices({ notices }: AlertTables, undo: UndoLog): void {
    for (const { alertId, opening, transition, channel, deliveryId } of notices.all()) {
      if (deliveryId === undefined) continue
      const key = JSON.stringify([alertId, opening, transition, channel])
      const known = this.#deliveryOf.get(key) ?? deliveryId
      if (!this.#deliveryOf.has(key)) undo.record(() => this.#deliveryOf.delete(key))
      this.#deliveryOf.set(key, known)
      const detail = () => `${key} is in the deliveries ${known} and ${deliveryId}`
      this.#verdict.expect(known === deliveryId, 'an alert is announced once', detail)
    }
  }

  #checkTaken(
    taken: readonly Delivery[],
    { token, leaseSeconds }: { readonly token: string; readonly leaseSeconds: number },
    now: Date,
  ): void {
    for (const { id } of taken) {
      const isFree = (this.#leases.get(id)?.untilMs ?? Number.NEGATIVE_INFINITY) <= now.getTime()
      const isDue = isFree && !this.#settled.has(id)
      this.#verdict.expect(isDue, 'an alert is announced once', () => `delivery ${id} was taken twice`)
      this.#leases.set(id, { token, untilMs: now.getTime() + leaseSeconds * 1000 })
    }
  }
}
