import type { Money } from '../../kernel/money.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import { type CatalogEntry, catalogFaults } from './catalog.ts'
import type { Gate } from './order.ts'
import { mayHaveServer, ORDER_PREFIX, type Order, type ProviderName, providerNameOf } from './order.ts'
import type { OrderGates } from './order-gates.ts'
import type { KnownToken, ProviderAccess } from './provider-access.ts'
import type { ProviderCredentials } from './provider-credentials.ts'
import type { Reserved } from './provisioning-store.ts'
import type { Reconciliation } from './provisioning-view.ts'
import type { ProvisioningWorker, WorkRequest, WorkResult } from './provisioning-worker.ts'
import { ProviderFailure, type ProviderServer, type ServerProvider } from './server-provider.ts'
import { UnfitValue } from './template.ts'
import type { UserData } from './user-data.ts'

/** Dependencies of `Provisioning`. */
export interface ProvisioningParts extends Pick<Base, 'storage' | 'clock'> {
  readonly access: ProviderAccess
  readonly gates: OrderGates
  readonly worker: ProvisioningWorker
  readonly credentials: ProviderCredentials
  readonly userData: UserData
  readonly ceiling: Money | undefined
  readonly planeId: () => Promise<string>
}

/** The steps of a tick, at most: a tick has other work. */
const STEPS_OF_A_TICK = 50

/** Provisioning of servers: its gates, its costs, and whether the provider agrees. */
export class Provisioning {
  readonly #parts: ProvisioningParts

  constructor(parts: ProvisioningParts) {
    this.#parts = parts
  }

  /** Returns the closed gates, and the faults of the template. Asks no provider. */
  async check(): Promise<{ readonly missing: readonly Gate[]; readonly templateFaults: readonly string[] }> {
    const { gates, userData } = this.#parts
    return { missing: await gates.overall(), templateFaults: await userData.faults() }
  }

  /**
   * Returns the user data of a made-up order, without a license key.
   * @throws Problem `conflict` if the template cannot be used
   */
  async sampleTemplate(): Promise<string> {
    const id = `${ORDER_PREFIX}_00000000000000000000000000`
    try {
      return await this.#parts.userData.sample({ id, nonce: '00000000', hostname: providerNameOf(id) })
    } catch (error) {
      if (!(error instanceof UnfitValue)) throw error
      throw new Problem('conflict', { detail: error.message })
    }
  }

  /** Takes steps of orders. @throws Problem `not-found` for an unknown order */
  work(request: WorkRequest): Promise<WorkResult> {
    return this.#parts.worker.work(request)
  }

  /** The tick: checks tokens again in time, and takes the steps that are due. */
  async tick(signal: AbortSignal): Promise<void> {
    await this.#parts.credentials.refresh()
    await this.#parts.worker.work({ limit: STEPS_OF_A_TICK, signal })
  }

  /** Returns the ceiling, and the reserved amount. */
  async budget(): Promise<{ readonly ceiling: Money | undefined; readonly reserved: readonly Reserved[] }> {
    return { ceiling: this.#parts.ceiling, reserved: await this.#parts.storage.provisioning.reserved() }
  }

  /** Lists the catalogue, by plan. */
  catalog(): Promise<readonly CatalogEntry[]> {
    return this.#parts.storage.provisioning.catalog()
  }

  /** Stores an entry, instead of the one of this plan and provider. @throws Problem `invalid-input` */
  async setCatalog(entry: CatalogEntry): Promise<CatalogEntry> {
    const details = catalogFaults(entry)
    if (details.length > 0) throw new Problem('invalid-input', { details })
    await this.#parts.storage.provisioning.setCatalog(entry)
    return entry
  }

  /** Removes an entry. @throws Problem `not-found` */
  async removeCatalog(plan: string, provider: ProviderName): Promise<void> {
    if (await this.#parts.storage.provisioning.removeCatalog(plan, provider)) return
    throw new Problem('not-found', { detail: 'the catalogue has no such entry' })
  }

  /**
   * Compares the servers of a provider with the orders. Changes nothing.
   * @throws Problem `conflict` without a good token, `unavailable`
   */
  async reconcile(name: ProviderName): Promise<Reconciliation> {
    const { storage, planeId } = this.#parts
    const [plane, orders] = [await planeId(), await storage.provisioning.live()]
    const provider = await this.#provider(name)
    const servers = await asked(() => provider.find({ plane }))
    const own = orders.filter((order) => order.provider === name)
    const known = new Set(own.map(({ id }) => id))
    const ids = new Set(servers.map(({ id }) => id))
    const placed = own.filter(({ serverId }) => serverId !== undefined)
    return {
      provider: name,
      planeId: plane,
      orphans: servers.filter(({ labels }) => labels.order === undefined || !known.has(labels.order)),
      missing: placed.filter(({ serverId = '' }) => !ids.has(serverId)),
      overPrice: await this.#overPrice(provider, placed),
    }
  }

  /**
   * Deletes a server of this control plane that no order knows.
   * @throws Problem `not-found` without such a server, `conflict` for one that an order knows, or one that
   * another control plane made
   */
  async removeServer(name: ProviderName, serverId: string): Promise<ProviderServer> {
    const { storage, planeId } = this.#parts
    const provider = await this.#provider(name)
    const plane = await planeId()
    const server = await asked(() => provider.getServer(serverId))
    if (server.labels.plane !== plane)
      throw new Problem('conflict', { detail: 'the server is not of this control plane: nothing is deleted' })
    const orders = await storage.provisioning.live()
    const order = orders.find((each) => each.id === server.labels.order)
    // An order works with one server: others with its label are nobody's.
    if (
      order !== undefined &&
      (order.serverId === undefined || order.serverId === serverId) &&
      mayHaveServer(order)
    )
      throw new Problem('conflict', {
        detail: `the server is of ${order.id}: svc provision order destroy ${order.id} --yes`,
      })
    await asked(() => provider.delete(serverId))
    return server
  }

  async #overPrice(provider: ServerProvider, placed: readonly Order[]) {
    const prices = new Map<string, number>()
    const found: { order: Order; minor: number }[] = []
    for (const order of placed) {
      const { serverType, location, monthlyMinor = 0 } = order
      const key = `${serverType} ${location}`
      const minor = prices.get(key) ?? (await priceNow(provider, serverType, location))
      if (minor === undefined) continue
      prices.set(key, minor)
      if (minor > monthlyMinor) found.push({ order, minor })
    }
    return found
  }

  async #provider(name: ProviderName): Promise<ServerProvider> {
    const { access } = this.#parts
    const known: KnownToken | undefined = (await access.tokens()).get(name)
    if (known !== undefined && access.isKnown(known)) return access.session(known).provider
    throw new Problem('conflict', {
      detail: `the token of ${name} is not verified: svc provision credential verify ${name}`,
    })
  }
}

async function priceNow(provider: ServerProvider, serverType: string, location: string) {
  try {
    return (await provider.prices({ serverType, locations: [location] })).places[0]?.totalMinor
  } catch (error) {
    // A type that is sold no more has no price; its servers stay.
    if (error instanceof ProviderFailure && error.kind === 'refused') return undefined
    throw problemOf(error)
  }
}

async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw problemOf(error)
  }
}

function problemOf(error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error
  const code = error.kind === 'not-found' ? 'not-found' : 'unavailable'
  return new Problem(code, { detail: `the provider answered ${error.code}` })
}
