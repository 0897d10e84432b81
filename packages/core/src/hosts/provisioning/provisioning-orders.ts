import type { Money } from '../../kernel/money.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Licensee } from '../../people/licenses/license.ts'
import type { Base } from '../../platform/base.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import { affordable, type CatalogEntry, catalogFaults, maxMonthly, reserveFor } from './catalog.ts'
import {
  BEFORE_CREATE,
  CLEANING_STATES,
  HOSTNAME_PATTERN,
  mayHaveServer,
  ORDER_PREFIX,
  type Order,
  type OrderState,
  type ProviderName,
  providerNameOf,
} from './order.ts'
import type { ProviderAccess } from './provider-access.ts'
import type { OrderEvent, OrderFilter } from './provisioning-store.ts'
import { ProviderFailure, type ServerPrices } from './server-provider.ts'

/** Dependencies of `ProvisioningOrders`. */
export interface ProvisioningOrdersParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'keyring'> {
  readonly access: ProviderAccess
  readonly licenses: { validate(key: string): Promise<Licensee | undefined> }
  readonly ceiling: Money | undefined
}

/** Input for a new order. */
export interface OrderInput {
  readonly plan: string
  /** Undefined: the only one that the plan is mapped at. */
  readonly provider?: ProviderName | undefined
  /** The key that the server's agent will work under. */
  readonly licenseKey: string
  /** Undefined: the name that the server has at its provider. */
  readonly hostname?: string | undefined
}

/** The price of an order that was not made. */
export interface OrderPreview {
  readonly entry: CatalogEntry
  readonly licenseId: string
  /** The places of the entry where it is offered for no more than the catalogue allows. */
  readonly locations: readonly string[]
  /** With the address that the server needs, at the most expensive of these places. */
  readonly price: Money
  /** The amount that would be reserved. */
  readonly reserves: Money
  /** The rest below the ceiling, before this order. */
  readonly left: Money | undefined
}

const NONCE_BYTES = 4
const TRIES = 5

/** Orders for servers, as operators make and end them. */
export class ProvisioningOrders {
  readonly #parts: ProvisioningOrdersParts

  constructor(parts: ProvisioningOrdersParts) {
    this.#parts = parts
  }

  /**
   * Stores an order; the worker takes it from there.
   * @throws Problem `invalid-input`, `not-found` for a plan without a mapping, `ambiguous`,
   * `license-rejected`, `secrets-not-configured`
   */
  async create(input: OrderInput): Promise<Order> {
    const { storage, clock, ids, keyring } = this.#parts
    const { entry, licenseId } = await this.#checked(input)
    const id = ids.next(ORDER_PREFIX)
    const { plan, provider, serverType, image, locations, sshKeys } = entry
    const order = {
      id,
      licenseId,
      plan,
      provider,
      serverType,
      image,
      locations,
      sshKeys,
      hostname: input.hostname ?? providerNameOf(id),
      providerName: providerNameOf(id),
      nonce: Buffer.from(ids.secret(NONCE_BYTES), 'base64url').toString('hex'),
      licenseKey: keyring.seal(input.licenseKey, placeOf('provisioningKeys', id)),
    }
    return storage.provisioning.add(order, clock.statementTime())
  }

  /**
   * Asks the provider for the price, and stores nothing.
   * @throws Problem as `create`, `conflict` without a good token, `unavailable` if the provider gives no
   * price
   */
  async preview(input: OrderInput): Promise<OrderPreview> {
    const { access, ceiling, storage } = this.#parts
    const { entry, licenseId } = await this.#checked(input)
    const known = (await access.tokens()).get(entry.provider)
    if (known === undefined || !access.isFresh(known))
      throw new Problem('conflict', { detail: `the token of ${entry.provider} is not verified` })
    const prices = await pricesOf(() => access.session(known).provider.prices(entry))
    const reserved = await storage.provisioning.reserved()
    const sum = reserved.find(({ currency }) => currency === ceiling?.currency)?.minor ?? 0
    const left = ceiling && { minor: Math.max(ceiling.minor - sum, 0), currency: ceiling.currency }
    const { currency, places } = prices
    const limit = maxMonthly(entry)
    const fitting = affordable(places, limit)
    // Without a place that fits, the price says why the order would fail.
    const shown = fitting.length > 0 ? fitting : places
    return {
      entry,
      licenseId,
      left,
      locations: fitting.map(({ location }) => location),
      price: { minor: Math.max(...shown.map(({ totalMinor }) => totalMinor)), currency },
      reserves: { minor: reserveFor(shown, limit), currency },
    }
  }

  /** Lists orders, newest first. */
  list(filter: OrderFilter): Promise<readonly Order[]> {
    return this.#parts.storage.provisioning.list(filter)
  }

  /** Returns an order with its history. @throws Problem `not-found` */
  async show(id: string): Promise<{ readonly order: Order; readonly events: readonly OrderEvent[] }> {
    const order = await this.#order(id)
    return { order, events: await this.#parts.storage.provisioning.events(id, EVENTS_SHOWN) }
  }

  /**
   * Takes an order back: at once before its server was asked for, else by taking the server away.
   * @throws Problem `not-found`, `conflict` for a server that is ready
   */
  cancel(id: string): Promise<Order> {
    return this.#end(id, (order) => {
      if (BEFORE_CREATE.has(order.state)) return 'cancelled'
      if (order.state === 'ready' || order.state === 'failed_kept')
        throw new Problem('conflict', {
          detail: `${id} has a server: svc provision order destroy ${id} --yes takes it away`,
        })
      return order.state === 'cancelled' || isOnItsWay(order) ? undefined : 'delete_requested'
    })
  }

  /** Has the server of an order taken away. @throws Problem `not-found`, `conflict` if there is none */
  destroy(id: string): Promise<Order> {
    return this.#end(id, (order) => {
      if (BEFORE_CREATE.has(order.state) || order.state === 'cancelled')
        throw new Problem('conflict', { detail: `${id} has no server: svc provision order cancel ends it` })
      return isOnItsWay(order) ? undefined : 'delete_requested'
    })
  }

  /** Makes the next step of an order due now. @throws Problem `not-found`, `conflict` if it has none */
  async retry(id: string): Promise<Order> {
    const { storage, clock } = this.#parts
    const order = await this.#order(id)
    const hurried = await storage.provisioning.hurry(id, clock.statementTime())
    if (hurried !== undefined) return hurried
    throw new Problem('conflict', { detail: `${id} is ${order.state}: no step follows` })
  }

  async #end(id: string, toOf: (order: Order) => OrderState | undefined): Promise<Order> {
    const { storage, clock } = this.#parts
    for (let tried = 0; tried < TRIES; tried += 1) {
      const order = await this.#order(id)
      const to = toOf(order)
      if (to === undefined) return order
      const isOver = to === 'cancelled'
      const moved = await storage.provisioning.move(
        {
          id,
          token: undefined,
          from: order.state,
          to,
          step: isOver ? 'cancel' : 'destroy',
          outcome: 'advanced',
          change: isOver ? { licenseKey: null } : {},
          delaySeconds: isOver ? undefined : 0,
          releases: isOver,
        },
        clock.statementTime(),
      )
      if (moved !== undefined) return moved
    }
    throw new Problem('conflict', { detail: `${id} changes all the time: try again` })
  }

  async #order(id: string): Promise<Order> {
    const order = await this.#parts.storage.provisioning.get(id)
    if (order !== undefined) return order
    throw new Problem('not-found', { detail: `there is no order ${id}: svc provision order list shows them` })
  }

  async #checked(input: OrderInput): Promise<{ entry: CatalogEntry; licenseId: string }> {
    const { hostname, licenseKey } = input
    if (hostname !== undefined && !HOSTNAME_PATTERN.test(hostname))
      throw new Problem('invalid-input', {
        details: ['hostname: expected lower-case letters, digits and dashes, at most 63 characters'],
      })
    const entry = await this.#entry(input)
    const licensee = await this.#parts.licenses.validate(licenseKey)
    if (licensee === undefined) throw new Problem('license-rejected')
    return { entry, licenseId: licensee.licenseId }
  }

  async #entry({ plan, provider }: OrderInput): Promise<CatalogEntry> {
    const catalog = await this.#parts.storage.provisioning.catalog()
    const fitting = catalog
      .filter((entry) => entry.plan === plan && (provider === undefined || entry.provider === provider))
      .filter((entry) => entry.enabled && catalogFaults(entry).length === 0)
    const [entry, ...more] = fitting
    if (entry === undefined)
      throw new Problem('not-found', {
        detail: `no mapping of this plan: svc provision catalog list shows them`,
      })
    if (more.length === 0) return entry
    const candidates = fitting.map((each) => each.provider)
    throw new Problem('ambiguous', { detail: 'the plan is mapped at several providers', candidates })
  }
}

const EVENTS_SHOWN = 100

// A failed order may be on its way to the end of its server, or left to an operator.
const isOnItsWay = (order: Order): boolean => {
  if (order.state === 'deleted') return true
  if (order.state === 'failed') return order.nextRunAt !== undefined || !mayHaveServer(order)
  return CLEANING_STATES.has(order.state)
}

/** Returns a price, or tells an operator why there is none. */
async function pricesOf(ask: () => Promise<ServerPrices>): Promise<ServerPrices> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    throw new Problem(
      'unavailable',
      { detail: `the provider gives no price: ${error.code}` },
      { cause: error },
    )
  }
}
