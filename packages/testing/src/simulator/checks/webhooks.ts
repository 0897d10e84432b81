import type { Delivery } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import { byAge } from '../../platform/deliveries/memory-claim.ts'
import type { MemoryDelivery } from '../../platform/deliveries/memory-delivery.ts'
import { idOf } from '../../reach/webhooks/memory-event.ts'
import type { MemoryEndpoint, MemoryMessage } from '../../reach/webhooks/memory-webhook.ts'
import { keyOf } from '../../watch/alerts/memory-alert.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { AttemptCheck } from './attempts.ts'
import { isEnded } from './held.ts'

const KIND = 'endpoint'
/** The longest delay before a retry, with its spread; no cooldown of a breaker is longer. */
const LONGEST_MS = 1.2 * 86_400_000
/** Two ticks, with the time that they take. */
const IDLE_MS = 65_000

/**
 * Checks the messages to endpoints: each hand-out and each end of a job is told once, in order, and a message
 * that counts as sent has arrived.
 */
export class WebhookCheck {
  readonly #verdict: Verdict
  /** The messages that a receiver has accepted, by endpoint and message. */
  readonly #accepted = new Set<string>()
  readonly #attempts: AttemptCheck

  constructor(verdict: Verdict) {
    this.#verdict = verdict
    this.#attempts = new AttemptCheck(verdict)
  }

  /** Notes a request that reaches an endpoint. */
  requested(url: string, messageId: string): void {
    this.#attempts.requested(url, messageId)
  }

  /** Notes that a receiver has accepted a message. */
  accepted(url: string, messageId: string): void {
    this.#accepted.add(keyOf(url, messageId))
  }

  /** Checks one statement on deliveries. */
  see(statement: Statement): void {
    this.#attempts.see(statement)
    const { name, tables, args, result, now } = statement
    if (name === 'deliveries.takeDue') {
      for (const { id, kind } of result as readonly Delivery[])
        if (kind === KIND) this.#inOrder(tables, id, now)
    }
    if (name === 'deliveries.settle' && result === true) {
      const { id } = args[0] as { readonly id: string }
      const delivery = tables.deliveries.get(id)
      if (delivery?.state === 'sent' && delivery.kind === KIND) this.#arrived(tables, delivery)
    }
  }

  #inOrder(tables: MemoryTables, id: string, now: Date): void {
    const taken = tables.deliveries.get(id)
    if (taken?.sequence === undefined) return
    const isEarlier = (each: MemoryDelivery) =>
      each.recipient === taken.recipient && each.sequence === taken.sequence && byAge(each, taken) < 0
    for (const each of tables.deliveries.all().filter(isEarlier)) {
      const isUnderWay = each.leaseUntil !== undefined && each.leaseUntil > now
      const isWaited = each.state === 'due' && (each.attempts === 0 || (each.attempts === 1 && isUnderWay))
      const detail = () =>
        `${id} of ${taken.sequence} was taken before the first attempt of ${each.id} was over`
      this.#verdict.expect(!isWaited, 'messages of a job are sent in order', detail)
    }
  }

  #arrived(tables: MemoryTables, { id, recipient, payload = '' }: MemoryDelivery): void {
    const url = tables.of<MemoryEndpoint>('webhookEndpoints').get(recipient)?.url ?? ''
    const isThere = this.#accepted.has(keyOf(url, payload))
    this.#verdict.expect(isThere, 'a message counts as sent when it has arrived', () => `${id} never arrived`)
  }

  /** Checks at the end of a run that nothing was lost, and nothing is stuck. */
  end(tables: MemoryTables, now: Date): void {
    const endpoints = tables.of<MemoryEndpoint>('webhookEndpoints').all()
    const messages = tables.of<MemoryMessage>('webhookMessages')
    for (const { job } of tables.jobs.all()) {
      const { id, licenseId, attempt } = job
      if (!endpoints.some((endpoint) => endpoint.licenseId === licenseId)) continue
      const has = (outcome: string, at: number) =>
        messages.get(`msg_${idOf(`${licenseId} job:${id}:${outcome}:${at}`)}`) !== undefined
      const once = (outcomes: readonly string[], at: number) => {
        const told = outcomes.filter((outcome) => has(outcome, at))
        const detail = () => `${id}, attempt ${at}: told as ${told.join(', ') || 'nothing'}`
        this.#verdict.expect(told.length === 1, 'what happens to a job is told once', detail)
      }
      for (let at = 1; at <= attempt; at += 1) once(['claimed', 'reclaimed'], at)
      if (isEnded(job.state)) once(['succeeded', 'failed', 'cancelled'], attempt)
    }
    for (const { id, licenseId } of messages.all()) {
      for (const endpoint of endpoints.filter((each) => each.licenseId === licenseId)) {
        const isThere = tables.deliveries.get(`dlv_${idOf(`${id} ${endpoint.id}`)}`) !== undefined
        const detail = () => `${id} has no delivery to ${endpoint.id}`
        this.#verdict.expect(isThere, 'a message has a delivery for each endpoint', detail)
      }
    }
    for (const each of tables.deliveries.all()) if (each.kind === KIND) this.#notStuck(tables, each, now)
  }

  #notStuck(tables: MemoryTables, delivery: MemoryDelivery, now: Date): void {
    const { id, recipient, state, dueAt, leaseUntil, attempts } = delivery
    const way = tables.recipients.get(keyOf(KIND, recipient))
    const isAllowed = state === 'due' || state === 'sent' || way?.paused === 'gone'
    const spell = () => `delivery ${id} (${state}, ${attempts} attempts) at ${now.toISOString()}`
    this.#verdict.expect(isAllowed, 'no message is given up early', spell)
    if (state !== 'due' || way?.paused !== undefined) return
    const heldUntil = way?.breaker === 'closed' ? undefined : (way?.probeUntil ?? way?.openUntil)
    const freeMs =
      Math.max(dueAt.getTime(), leaseUntil?.getTime() ?? 0, heldUntil?.getTime() ?? 0) - now.getTime()
    const isWaiting = delivery.sequence !== undefined && this.#hasEarlier(tables, delivery)
    const isMoving = isWaiting || (freeMs > -IDLE_MS && freeMs <= LONGEST_MS)
    this.#verdict.expect(isMoving, 'no message waits for ever', () => `${spell()} is free in ${freeMs} ms`)
  }

  #hasEarlier({ deliveries }: MemoryTables, { recipient, sequence, createdAt }: MemoryDelivery): boolean {
    return deliveries.all().some((each) => {
      const isSame = each.recipient === recipient && each.sequence === sequence
      return isSame && each.state === 'due' && each.createdAt < createdAt
    })
  }
}
