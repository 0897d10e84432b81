import type { Money } from '../../kernel/money.ts'
import type { Base } from '../../platform/base.ts'
import { type CatalogEntry, catalogFaults } from './catalog.ts'
import { CLEANING_STATES, closedGates, GATES, type Gate, type Order } from './order.ts'
import type { KnownToken, ProviderAccess } from './provider-access.ts'
import type { ProviderSession } from './server-provider.ts'

/** Dependencies of `OrderGates`. */
export interface OrderGatesParts extends Pick<Base, 'storage' | 'clock'> {
  readonly access: ProviderAccess
  readonly isLive: boolean
  /** The most that all servers together may cost a month; undefined if it is unset or bad. */
  readonly ceiling: Money | undefined
  /** Returns the faults of the template; empty if it can be used. */
  readonly templateFaults: () => Promise<readonly string[]>
}

/** An order, the gates that keep it from its step, and the token that its provider is called with. */
export interface OrderVerdict {
  readonly order: Order
  readonly missing: readonly Gate[]
  readonly known: KnownToken | undefined
}

interface Standing {
  readonly tokens: ReadonlyMap<string, KnownToken>
  readonly catalog: readonly CatalogEntry[]
  readonly hasTemplate: boolean
}

/** The conditions under which orders go on. */
export class OrderGates {
  readonly #parts: OrderGatesParts

  constructor(parts: OrderGatesParts) {
    this.#parts = parts
  }

  /** Returns the gates of each order. */
  async judge(orders: readonly Order[]): Promise<readonly OrderVerdict[]> {
    const standing = await this.#standing()
    return orders.map((order) => {
      const known = standing.tokens.get(order.provider)
      return { order, known, missing: this.#missing(order, standing) }
    })
  }

  /** Returns the closed gates of these orders; without orders, the gates that would block any order. */
  async missing(verdicts: readonly OrderVerdict[], orderId?: string): Promise<readonly Gate[]> {
    if (verdicts.length > 0) {
      const closed = new Set(verdicts.flatMap(({ missing }) => missing))
      return GATES.filter((gate) => closed.has(gate))
    }
    const order = orderId === undefined ? undefined : await this.#parts.storage.provisioning.get(orderId)
    if (order === undefined) return this.overall()
    // It has no step, or waits for its time: gates that are closed keep it from both.
    const [verdict] = order.nextRunAt === undefined ? [] : await this.judge([order])
    return verdict?.missing ?? []
  }

  /** Returns the gates that are closed for every order. */
  async overall(): Promise<readonly Gate[]> {
    const standing = await this.#standing()
    const usable = standing.catalog.filter(isUsable)
    const { access, ceiling, isLive } = this.#parts
    const gates = {
      live_opt_in: isLive,
      credential: [...standing.tokens.values()].some((known) => access.isFresh(known)),
      catalog: usable.length > 0,
      template: standing.hasTemplate,
      // Orders for a provider with prices in another currency are held one by one.
      spend_ceiling:
        isCeiling(ceiling) &&
        (usable.length === 0 || usable.some(({ currency }) => currency === ceiling.currency)),
    }
    return closedGates(gates, false)
  }

  /** Opens a session at the provider of an order. */
  session(known: KnownToken): ProviderSession {
    return this.#parts.access.session(known)
  }

  #missing(order: Order, { tokens, catalog, hasTemplate }: Standing): readonly Gate[] {
    const { access, ceiling, isLive } = this.#parts
    const isCleaning = CLEANING_STATES.has(order.state)
    const known = tokens.get(order.provider)
    const entry = catalog.find(({ plan, provider }) => plan === order.plan && provider === order.provider)
    const isPriced = isCeiling(ceiling) && (entry === undefined || entry.currency === ceiling.currency)
    const gates = {
      live_opt_in: isLive,
      credential: isCleaning ? access.isKnown(known) : access.isFresh(known),
      catalog: entry !== undefined && isUsable(entry),
      template: hasTemplate,
      spend_ceiling: isPriced,
    }
    return closedGates(gates, isCleaning)
  }

  async #standing(): Promise<Standing> {
    const { storage, access, templateFaults } = this.#parts
    const [tokens, catalog, faults] = await Promise.all([
      access.tokens(),
      storage.provisioning.catalog(),
      templateFaults(),
    ])
    return { tokens, catalog, hasTemplate: faults.length === 0 }
  }
}

const isCeiling = (ceiling: Money | undefined): ceiling is Money => ceiling !== undefined && ceiling.minor > 0
const isUsable = (entry: CatalogEntry): boolean => entry.enabled && catalogFaults(entry).length === 0
