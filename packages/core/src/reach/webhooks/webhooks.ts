import { Problem } from '../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import { newWebhookSecret } from '../../platform/signing/webhook-signature.ts'
import { type EndpointState, endpointUrl } from './webhook-endpoint.ts'
import type { WebhookSettings } from './webhook-settings.ts'
import { type EndpointView, endpointView } from './webhook-view.ts'
import type { EndpointChange } from './webhooks-store.ts'

/** Dependencies of `Webhooks`. */
export interface WebhooksParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'keyring'> {
  readonly settings: WebhookSettings
  /** Whether the settings of webhooks are bad: then only stored data can be read. */
  readonly isClosed: boolean
  readonly plainHttp: boolean
  /** Types of events that endpoints may ask for. */
  readonly eventTypes: readonly string[]
  /** Whether an IP address may be called. */
  readonly isAllowed: (address: string) => boolean
}

/** Input for a new endpoint. */
export interface AddEndpointInput {
  readonly licenseId: string
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly enabled: boolean
}

/** An endpoint and its secret, which is shown this once. */
export interface EndpointWithSecret {
  readonly state: EndpointState
  readonly secret: string
}

/** Endpoints of licenses: addresses that events are sent to. */
export class Webhooks {
  readonly #parts: WebhooksParts
  readonly eventTypes: readonly string[]

  constructor(parts: WebhooksParts) {
    this.#parts = parts
    this.eventTypes = parts.eventTypes
  }

  /**
   * Adds an endpoint with a new secret.
   * @throws Problem `invalid-input` for an address that is never called, `conflict` for one that the license
   * has already or an endpoint too many, `secrets-not-configured`
   */
  async add({ enabled, ...input }: AddEndpointInput): Promise<EndpointWithSecret> {
    const { storage, clock, ids, settings } = this.#open()
    const url = this.#url(input.url)
    const license = await storage.licenses.get(input.licenseId)
    const id = ids.next('whe')
    const { secret, sealed } = this.#newSecret(id)
    const { maxAgeSeconds, maxEndpoints } = settings
    const made = { ...input, id, url, tenantId: license?.tenantId, secret: sealed, maxAgeSeconds }
    const now = clock.statementTime()
    const added = await storage.transaction(async ({ webhooks }) => {
      await webhooks.begin(input.licenseId)
      const endpoint = await webhooks.add(made, maxEndpoints, now)
      if (endpoint !== 'full' && endpoint.id === id && !enabled) await webhooks.disable(id, 'manual', now)
      return endpoint
    })
    if (added === 'full') throw new Problem('conflict', { detail: 'endpoint limit reached' })
    if (added.id !== id) throw alreadyThere(added.id)
    return { state: await this.get(PLATFORM, id), secret }
  }

  /** Returns an endpoint on the wire. The hint at the secret is left out if the secret cannot be opened. */
  view(state: EndpointState, isOwner: boolean): EndpointView {
    const { keyring, clock } = this.#parts
    const { id, secret } = state.endpoint
    const hint = () => {
      try {
        return keyring.open(secret, placeOf('webhookEndpoints', id))
      } catch (error) {
        if (error instanceof Problem) return undefined
        throw error
      }
    }
    return endpointView(state, { isOwner, secretEnd: hint(), now: clock.now() })
  }

  /** Returns an endpoint of a scope. @throws Problem `not-found` */
  async get(scope: Scope, id: string): Promise<EndpointState> {
    const found = await this.#parts.storage.webhooks.get(scope, id)
    if (found === undefined) throw noEndpoint(id)
    return found
  }

  /** Lists the endpoints of a scope in the order of their ids. */
  list(scope: Scope, page: { readonly after?: string | undefined; readonly limit: number }) {
    return this.#parts.storage.webhooks.list(scope, page)
  }

  /**
   * Changes an endpoint. Another address, and `enabled: true`, forget its failures.
   * @throws Problem `not-found`, `invalid-input`, `conflict`
   */
  async update(
    scope: Scope,
    id: string,
    { enabled, ...change }: EndpointChange & { readonly enabled?: boolean | undefined },
  ): Promise<EndpointState> {
    const { storage, clock } = this.#open()
    const { endpoint } = await this.get(scope, id)
    const url = change.url === undefined ? undefined : this.#url(change.url)
    const now = clock.statementTime()
    const done = await storage.transaction(async ({ webhooks }) => {
      const changed = await webhooks.change(id, { ...change, url }, now)
      if (changed === undefined || changed.conflict !== undefined) return changed
      if (enabled === true || (url !== undefined && url !== endpoint.url)) await webhooks.enable(id)
      if (enabled === false) await webhooks.disable(id, 'manual', now)
      return changed
    })
    if (done === undefined) throw noEndpoint(id)
    if (done.conflict !== undefined) throw alreadyThere(done.conflict)
    return this.get(scope, id)
  }

  /** Removes an endpoint and returns how many deliveries were cancelled. @throws Problem `not-found` */
  async remove(scope: Scope, id: string): Promise<number> {
    const { storage, clock } = this.#parts
    await this.get(scope, id)
    const cancelled = await storage.webhooks.remove(id, clock.statementTime())
    if (cancelled === undefined) throw noEndpoint(id)
    return cancelled
  }

  /**
   * Makes a new secret. The former one signs too for `graceSeconds`; one from before that no longer does.
   * @throws Problem `not-found`, `conflict` if somebody else rotates it, `secrets-not-configured`
   */
  async rotate(scope: Scope, id: string, graceSeconds: number): Promise<EndpointWithSecret> {
    const { storage, clock, keyring } = this.#open()
    const { endpoint } = await this.get(scope, id)
    const { secret, sealed } = this.#newSecret(id)
    const former = keyring.open(endpoint.secret, placeOf('webhookEndpoints', id))
    const oldSecret = keyring.seal(former, placeOf('webhookOldSecrets', id))
    const rotation = { id, from: endpoint.secret, secret: sealed, oldSecret, graceSeconds }
    if (!(await storage.webhooks.rotate(rotation, clock.statementTime())))
      throw new Problem('conflict', { detail: 'the secret was rotated at the same time: try again' })
    return { state: await this.get(scope, id), secret }
  }

  /** Closes the breaker of an endpoint. @throws Problem `not-found` */
  async resetBreaker(scope: Scope, id: string): Promise<EndpointState> {
    const { storage } = this.#open()
    await this.get(scope, id)
    await storage.webhooks.closeBreaker(id)
    return this.get(scope, id)
  }

  #url(text: string): string {
    return endpointUrl(text, this.#parts)
  }

  #newSecret(id: string) {
    const { ids, keyring } = this.#parts
    const secret = newWebhookSecret((bytes) => ids.secret(bytes))
    return { secret, sealed: keyring.seal(secret, placeOf('webhookEndpoints', id)) }
  }

  /** @throws Problem `unavailable` if the settings of webhooks are bad */
  #open(): WebhooksParts {
    if (this.#parts.isClosed) throw new Problem('unavailable', { detail: 'webhooks not configured' })
    return this.#parts
  }
}

const noEndpoint = (id: string) => new Problem('not-found', { detail: `there is no endpoint ${id}` })
const alreadyThere = (id: string) =>
  new Problem('conflict', { detail: `endpoint already exists: ${id}`, candidates: [id] })
