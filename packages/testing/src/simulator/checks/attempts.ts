import type { Delivery, DeliverySettlement, TakeDueRequest } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { MemoryEndpoint } from '../../reach/webhooks/memory-webhook.ts'
import { keyOf } from '../../watch/alerts/memory-alert.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'

const KIND = 'endpoint'
/** The delay before the first retry, shortened by its spread; no later one is shorter. */
const SHORTEST_MS = 0.8 * 5000
const PROBE_MS = 60_000
/** Failures in a row that open a breaker, and its shortest rest. */
const OPENING = 5
const REST_MS = 0.8 * 60_000
/** Errors that are not the fault of the receiver. */
const OURS = ['internal', 'cancelled', 'removed']

/**
 * Checks the attempts to send messages to endpoints: none after a success that is committed, each with one
 * request, not more at a time than agreed, and none past a breaker that is not closed.
 */
export class AttemptCheck {
  readonly #verdict: Verdict
  /** The messages whose success is committed, by endpoint and message. */
  readonly #sent = new Set<string>()
  /** The number of attempts that were taken and not yet made, by address and message. */
  readonly #owed = new Map<string, number>()
  /** The number of attempts of each delivery, as it was last taken. */
  readonly #counted = new Map<string, number>()
  /** The failures in a row of each endpoint. */
  readonly #failures = new Map<string, number>()
  /** Until when the breaker of each endpoint was open when it was last seen, in milliseconds. */
  readonly #openUntil = new Map<string, number>()

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** Notes a request that reaches a receiver, with any outcome. */
  requested(url: string, messageId: string): void {
    const key = keyOf(url, messageId)
    const owed = this.#owed.get(key) ?? 0
    this.#verdict.expect(owed > 0, 'an attempt is one request', () => `${key} came without an attempt`)
    this.#owed.set(key, owed - 1)
  }

  /** Checks one statement on deliveries. */
  see({ name, tables, args, result, now }: Statement): void {
    if (name === 'deliveries.takeDue') {
      const request = args[0] as TakeDueRequest
      if (request.kind === KIND) this.#taken(tables, request, result as readonly Delivery[], now)
    }
    if (name === 'deliveries.settle' && result === true)
      this.#settled(tables, args[0] as DeliverySettlement, now)
  }

  #taken(
    tables: MemoryTables,
    { perRecipient }: TakeDueRequest,
    taken: readonly Delivery[],
    now: Date,
  ): void {
    const counts = new Map<string, number>()
    for (const { id, recipient, payload = '', attempts } of taken) {
      const isNext = attempts === (this.#counted.get(id) ?? 0) + 1
      this.#verdict.expect(isNext, 'each attempt is counted', () => `${id} was taken for attempt ${attempts}`)
      this.#counted.set(id, attempts)
      const isOver = this.#sent.has(keyOf(recipient, payload))
      const again = () => `${id} was taken after ${payload} had arrived`
      this.#verdict.expect(!isOver, 'what has arrived is not sent again', again)
      const url = tables.of<MemoryEndpoint>('webhookEndpoints').get(recipient)?.url ?? ''
      const key = keyOf(url, payload)
      this.#owed.set(key, (this.#owed.get(key) ?? 0) + 1)
      counts.set(recipient, (counts.get(recipient) ?? 0) + 1)
    }
    for (const [recipient, count] of counts) {
      const way = tables.recipients.get(keyOf(KIND, recipient))
      const breaker = way?.breaker ?? 'closed'
      const spell = () => `${count} for ${recipient}, whose breaker is ${breaker}`
      this.#verdict.expect(count <= perRecipient, 'an endpoint gets its share', spell)
      const isProbe = count === 1 && way?.probeUntil?.getTime() === now.getTime() + PROBE_MS
      const isFree = breaker === 'closed' || (breaker === 'half_open' && isProbe)
      this.#verdict.expect(isFree, 'a breaker that is not closed lets one probe through', spell)
    }
  }

  #settled(tables: MemoryTables, { id, state, error }: DeliverySettlement, now: Date): void {
    const delivery = tables.deliveries.get(id)
    if (delivery?.kind !== KIND) return
    const { recipient, payload = '', dueAt } = delivery
    if (state === 'due' && delivery.state === 'due' && error !== 'cancelled') {
      const waitMs = dueAt.getTime() - now.getTime()
      this.#verdict.expect(waitMs >= SHORTEST_MS, 'a retry waits', () => `${id} is due in ${waitMs} ms`)
    }
    if (error === undefined || !OURS.includes(error)) this.#judged(tables, recipient, state === 'sent', now)
    if (state !== 'sent') return
    const key = keyOf(recipient, payload)
    this.#sent.add(key)
    tables.undo.record(() => this.#sent.delete(key))
  }

  /** Checks the breaker of an endpoint after a result. */
  #judged({ recipients, undo }: MemoryTables, recipient: string, isSuccess: boolean, now: Date): void {
    const before = this.#failures.get(recipient) ?? 0
    const failures = isSuccess ? 0 : before + 1
    this.#failures.set(recipient, failures)
    undo.record(() => this.#failures.set(recipient, before))
    const { breaker = 'closed', openUntil } = recipients.get(keyOf(KIND, recipient)) ?? {}
    const spell = () => `${recipient} is ${breaker} after ${failures} failures in a row`
    const isRight = isSuccess ? breaker !== 'half_open' : failures < OPENING || breaker !== 'closed'
    this.#verdict.expect(isRight, 'failures open a breaker, a success closes it', spell)
    const until = openUntil?.getTime() ?? 0
    const known = this.#openUntil.get(recipient)
    // Results of attempts from before an open breaker change nothing.
    if (breaker !== 'open' || until === known) return
    this.#openUntil.set(recipient, until)
    undo.record(() => this.#openUntil.set(recipient, known ?? 0))
    const restMs = until - now.getTime()
    this.#verdict.expect(restMs >= REST_MS, 'an open breaker rests', () => `${recipient}: ${restMs} ms`)
  }
}
