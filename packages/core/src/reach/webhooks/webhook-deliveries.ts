import { Problem } from '../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../kernel/scope.ts'
import { read, shape } from '../../kernel/validation.ts'
import type { Base } from '../../platform/base.ts'
import type { DeliveryRunner, DeliveryTally } from '../../platform/deliveries/delivery-runner.ts'
import { purgeDeliveries } from '../../platform/deliveries/retention.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { ENDPOINT_KIND, type EndpointState } from './webhook-endpoint.ts'
import type { WebhookSettings } from './webhook-settings.ts'
import { RUN_INPUT } from './webhook-view.ts'
import type { DeliveryFilter, ReplayWrite } from './webhooks-store.ts'

/** Endpoints as the caller may see them. */
export interface Endpoints {
  /** @throws Problem `not-found` */
  get(scope: Scope, id: string): Promise<EndpointState>
  list(scope: Scope, page: { readonly limit: number }): Promise<readonly EndpointState[]>
}

/** Dependencies of `WebhookDeliveries`. */
export interface WebhookDeliveriesParts extends Pick<Base, 'storage' | 'clock' | 'ids'> {
  readonly webhooks: Endpoints
  readonly settings: WebhookSettings
  readonly runner: DeliveryRunner
  /** Whether the settings of webhooks are bad: then nothing is sent. */
  readonly isClosed: boolean
  /** Called in the transaction that disables an endpoint. */
  readonly disabled: (stores: Pick<Stores, 'webhooks'>, id: string) => Promise<void>
}

/** Numbers of a run, with the deliveries that are left. */
export type WebhookRun = DeliveryTally & { readonly held: number; readonly remaining: number }

const REPLAYED_AT_ONCE = 1000
const PURGED_AT_ONCE = 1000
/** Deliveries that were given up prove a dead endpoint only if they are half a day apart. */
const APART_SECONDS = 12 * 3600
const DAY_SECONDS = 86_400

/** Messages to endpoints: their outcomes, tests, replays, and the runs that send them. */
export class WebhookDeliveries {
  readonly #parts: WebhookDeliveriesParts

  constructor(parts: WebhookDeliveriesParts) {
    this.#parts = parts
  }

  /**
   * Makes a test message, which is attempted once, in any state of the endpoint.
   * @throws Problem `not-found`
   */
  async test(scope: Scope, id: string): Promise<{ readonly messageId: string; readonly deliveryId: string }> {
    const { storage, clock, ids, webhooks } = this.#open()
    const { endpoint } = await webhooks.get(scope, id)
    const [messageId, deliveryId] = [ids.next('msg'), ids.next('dlv')]
    const type = 'webhook.ping'
    const body = JSON.stringify({ type, timestamp: clock.now().toISOString(), data: { endpoint_id: id } })
    const delivery = {
      id: deliveryId,
      kind: ENDPOINT_KIND,
      recipient: id,
      payload: messageId,
      maxAttempts: 1,
    }
    const expiresSeconds = this.#parts.settings.maxAgeSeconds
    await storage.transaction(async (stores) => {
      const now = clock.statementTime()
      await stores.webhooks.say({ id: messageId, licenseId: endpoint.licenseId, type, body }, now)
      await stores.deliveries.add({ ...delivery, isForced: true, expiresSeconds }, now)
    })
    return { messageId, deliveryId }
  }

  /**
   * Sends messages again, at most a thousand.
   * @throws Problem `not-found` for the endpoint and the delivery
   */
  async replay(
    scope: Scope,
    id: string,
    chosen: Pick<ReplayWrite, 'deliveryId' | 'since' | 'until' | 'states'>,
  ): Promise<{ readonly queued: number; readonly truncated: boolean }> {
    const { storage, clock, ids, webhooks } = this.#open()
    await webhooks.get(scope, id)
    const write = { ...chosen, endpointId: id, salt: ids.next('rpl'), limit: REPLAYED_AT_ONCE }
    const done = await storage.webhooks.replay(write, clock.statementTime())
    if (chosen.deliveryId !== undefined && done.queued === 0) throw noDelivery(chosen.deliveryId)
    return done
  }

  /** Returns how many messages a replay would send, with the same bounds. @throws Problem `not-found` */
  async replayable(
    scope: Scope,
    id: string,
    chosen: Pick<ReplayWrite, 'since' | 'until' | 'states'>,
  ): Promise<{ readonly queued: number; readonly truncated: boolean }> {
    const { storage, clock, webhooks } = this.#open()
    await webhooks.get(scope, id)
    const write = { ...chosen, endpointId: id, salt: '', limit: REPLAYED_AT_ONCE }
    return storage.webhooks.replayable(write, clock.statementTime())
  }

  /** Lists deliveries, newest first. @throws Problem `not-found` */
  async deliveries(scope: Scope, id: string, filter: Omit<DeliveryFilter, 'endpointId'>) {
    const { storage, clock, webhooks } = this.#parts
    const state = await webhooks.get(scope, id)
    const found = await storage.webhooks.deliveries({ ...filter, endpointId: id }, clock.statementTime())
    return { state, deliveries: found }
  }

  /** Returns one delivery with its attempts and its payload. @throws Problem `not-found` */
  async delivery(scope: Scope, id: string, deliveryId: string) {
    const { storage, clock, webhooks } = this.#parts
    const state = await webhooks.get(scope, id)
    const found = await storage.webhooks.delivery(id, deliveryId, clock.statementTime())
    if (found === undefined) throw noDelivery(deliveryId)
    return { state, ...found }
  }

  /** Sends due deliveries: to all endpoints, a license's, or one. @throws Problem `not-found` */
  async run(bounds: {
    readonly scope: Scope
    readonly endpointId?: string | undefined
    readonly limit?: number
    readonly claimMs?: number
    readonly signal?: AbortSignal | undefined
  }): Promise<WebhookRun> {
    const { storage, clock, runner, settings } = this.#open()
    const { scope, endpointId, limit, claimMs = settings.runBudgetMs, signal } = bounds
    const only = await this.#chosen(scope, endpointId)
    const tally = await runner.run({ limit, claimMs, only, signal })
    return { ...tally, ...(await storage.deliveries.counts(ENDPOINT_KIND, only, clock.statementTime())) }
  }

  /** Sends due deliveries to all endpoints, for the cron. @throws Problem `invalid-input`, `not-found` */
  async runAll(input: unknown) {
    const { limit, endpoint_id: endpointId } = read(shape(RUN_INPUT), input)
    return { ok: true, ...(await this.run({ scope: PLATFORM, limit, endpointId })) }
  }

  /** Sends due deliveries, as a task of the scheduler. Disables endpoints that have failed for too long. */
  async drain(signal?: AbortSignal): Promise<void> {
    if (this.#parts.isClosed) return
    const { storage, clock, runner, settings, disabled } = this.#parts
    await storage.webhooks.setMaxAge(settings.maxAgeSeconds)
    const now = clock.statementTime()
    await storage.transaction(async (stores) => {
      const { disableAfterSeconds } = settings
      // A shorter time, as in trials, asks for deliveries that are less far apart.
      const apart = Math.min(APART_SECONDS, disableAfterSeconds / 10)
      for (const id of await stores.webhooks.disableFailing(disableAfterSeconds, apart, now))
        await disabled(stores, id)
    })
    await runner.run({ signal })
  }

  /** Sends due deliveries, without the rarer work of `drain`. Calls may overlap. */
  async pulse(bounds: { readonly signal: AbortSignal; readonly until: AbortSignal }): Promise<void> {
    if (!this.#parts.isClosed) await this.#parts.runner.run(bounds)
  }

  /** Deletes messages and deliveries past their retention. */
  async purge(): Promise<void> {
    const { storage, clock, settings } = this.#parts
    const { retentionDays, maxAgeSeconds } = settings
    await purgeDeliveries(this.#parts, ENDPOINT_KIND, retentionDays)
    // A message outlives each delivery of it: they wait for no longer than the age.
    const days = retentionDays + 1 + Math.ceil(maxAgeSeconds / DAY_SECONDS)
    let purged = PURGED_AT_ONCE
    while (purged === PURGED_AT_ONCE)
      purged = await storage.webhooks.purge(days, PURGED_AT_ONCE, clock.statementTime())
  }

  async #chosen(scope: Scope, endpointId: string | undefined): Promise<readonly string[] | undefined> {
    if (endpointId !== undefined) return [(await this.#parts.webhooks.get(scope, endpointId)).endpoint.id]
    if (scope.of === 'platform') return undefined
    const found = await this.#parts.webhooks.list(scope, { limit: REPLAYED_AT_ONCE })
    return found.map(({ endpoint }) => endpoint.id)
  }

  /** @throws Problem `unavailable` if the settings of webhooks are bad */
  #open(): WebhookDeliveriesParts {
    if (this.#parts.isClosed) throw new Problem('unavailable', { detail: 'webhooks not configured' })
    return this.#parts
  }
}

const noDelivery = (id: string) => new Problem('not-found', { detail: `the endpoint has no delivery ${id}` })
