import type { CatalogEntry } from './catalog.ts'
import type { Credential } from './credential.ts'
import type { Order, OrderState, ProviderName } from './order.ts'

/** A new order. It is due at once. */
export interface NewOrder {
  readonly id: string
  readonly licenseId: string
  readonly plan: string
  readonly provider: ProviderName
  readonly serverType: string
  readonly image: string
  readonly locations: readonly string[]
  readonly sshKeys: readonly string[]
  readonly hostname: string
  readonly providerName: string
  readonly nonce: string
  /** Sealed. */
  readonly licenseKey: string
}

/** Outcomes of a step. `sent` notes that a server is about to be asked for. */
export const STEP_OUTCOMES = ['advanced', 'waiting', 'retry', 'failed', 'held', 'sent'] as const
export type StepOutcome = (typeof STEP_OUTCOMES)[number]

/** Changes of an order beside its state. An absent field keeps its value, null clears it. */
export interface OrderChange {
  readonly serverId?: string
  readonly actionId?: string | null
  readonly ipv4?: string
  readonly ipv6?: string
  readonly locations?: readonly string[]
  readonly location?: string
  readonly monthlyMinor?: number
  readonly currency?: string
  readonly createSentAt?: null
  /** One request less counts: the provider made no server. */
  readonly creates?: 'one-less'
  readonly licenseKey?: null
  readonly errorCode?: string | null
  readonly errorDetail?: string | null
}

/** A step of an order, from one state to another or to the same. */
export interface OrderMove {
  readonly id: string
  /** The claim under which a worker moves it; undefined for an operator, whose move voids every claim. */
  readonly token: string | undefined
  readonly from: OrderState
  readonly to: OrderState
  readonly step: string
  readonly outcome: StepOutcome
  readonly change: OrderChange
  /** Seconds until the next step; undefined: there is none. */
  readonly delaySeconds: number | undefined
  /** Whether its reservation ends: there is no server. */
  readonly releases: boolean
  readonly httpStatus?: number | undefined
  readonly correlationId?: string | undefined
  /** One sentence for the history. */
  readonly detail?: string | undefined
}

/** An entry of an order's history. */
export interface OrderEvent {
  readonly at: Date
  readonly from: OrderState
  readonly to: OrderState
  readonly step: string
  readonly outcome: StepOutcome
  readonly httpStatus: number | undefined
  readonly correlationId: string | undefined
  readonly detail: string | undefined
}

/** Room for money that an order asks for. */
export interface ReservationRequest {
  readonly orderId: string
  /** The claim under which the order is reserving. */
  readonly token: string
  readonly amountMinor: number
  readonly currency: string
  /** The most that all reservations together may take, in the same currency. */
  readonly ceilingMinor: number
}

/** Outcome of a request: `currency` if servers are paid in another one, `lost` without the claim. */
export type ReservationOutcome = 'granted' | 'ceiling' | 'currency' | 'lost'

/** A request for a server that is about to be sent. */
export interface CreateNote {
  readonly id: string
  readonly token: string
  readonly userDataSha256: string
  readonly leaseSeconds: number
  /** Requests in the life of an order, and of all orders within an hour. */
  readonly mostCreates: number
  readonly mostPerHour: number
}

/** Outcome of a note: `lost` if the claim is no longer held. */
export type CreateNoteOutcome = 'sent' | 'order-full' | 'hour-full' | 'lost'

/** The money that is reserved. */
export interface Reserved {
  readonly currency: string
  readonly minor: number
  readonly orders: number
}

/** Filter for orders. */
export interface OrderFilter {
  readonly licenseId?: string | undefined
  readonly limit: number
}

/** Events that are kept for each order. */
export const ORDER_EVENTS = 500

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly provisioning: ProvisioningStore
  }
}

/** Storage of orders, of the money reserved for them, of the catalogue, and of credentials. */
export interface ProvisioningStore {
  /** Stores an order, which is due at once. */
  add(order: NewOrder, now?: Date): Promise<Order>
  get(id: string): Promise<Order | undefined>
  /** Lists orders, newest first. */
  list(filter: OrderFilter): Promise<readonly Order[]>
  /** Orders that have not ended, oldest first. */
  live(): Promise<readonly Order[]>
  /** Counts orders by state. */
  counts(): Promise<Readonly<Partial<Record<OrderState, number>>>>
  /** History of an order, oldest entry first. */
  events(id: string, limit: number): Promise<readonly OrderEvent[]>
  /** How many orders of the license were made before this one and may have, or get, a server. */
  older(order: Pick<Order, 'id' | 'licenseId'>): Promise<number>
  /**
   * Orders whose step is due, the longest due first, without those that somebody works on and those whose
   * provider wants no calls. `id` asks for one order alone.
   */
  due(limit: number, id?: string, now?: Date): Promise<readonly Order[]>
  /** Claims a due order in this state, and counts the attempt. Undefined if another worker was faster. */
  take(
    claim: {
      readonly id: string
      readonly state: OrderState
      readonly token: string
      readonly leaseSeconds: number
    },
    now?: Date,
  ): Promise<Order | undefined>
  /**
   * Moves an order that is in `from` and, for a worker, still under its claim; ends the claim and writes the
   * history. Undefined if the claim was lost or the state is another: then nothing is written.
   */
  move(move: OrderMove, now?: Date): Promise<Order | undefined>
  /** Makes an order with a step due now, or one that waits. Undefined if it has none. */
  hurry(id: string, now?: Date): Promise<Order | undefined>
  /**
   * Reserves money unless the sum of all live reservations would pass the ceiling; an order has one
   * reservation. Racing requests are granted one after the other. Runs inside a transaction.
   */
  reserve(request: ReservationRequest, now?: Date): Promise<ReservationOutcome>
  /** Live reservations by currency. */
  reserved(): Promise<readonly Reserved[]>
  /** Ids of the orders whose reservations are live, in order. */
  reservedOrders(): Promise<readonly string[]>
  /**
   * Notes that a server is about to be asked for, if the limits leave room for it and money is reserved.
   * Runs inside a transaction.
   */
  noteCreate(note: CreateNote, now?: Date): Promise<CreateNoteOutcome>
  /** The id of this control plane in the labels of its servers: `candidate` if there is none yet. */
  planeId(candidate: string): Promise<string>
  /** Entries by plan, then provider. */
  catalog(): Promise<readonly CatalogEntry[]>
  setCatalog(entry: CatalogEntry): Promise<void>
  /** Returns false if there was none. */
  removeCatalog(plan: string, provider: ProviderName): Promise<boolean>
  credentials(): Promise<readonly Credential[]>
  /**
   * Begins to know a token, as unverified; nothing changes for the one that is known already. A sealed token
   * replaces the stored one, undefined removes it.
   */
  setCredential(
    credential: Pick<Credential, 'provider' | 'fingerprint' | 'tokenEnc'>,
    now?: Date,
  ): Promise<void>
  /** Forgets a token. Returns false if there was none. */
  clearCredential(provider: ProviderName): Promise<boolean>
  /** Notes that a token is good, and lets the orders go on that waited for one. */
  verified(provider: ProviderName, fingerprint: string, now?: Date): Promise<boolean>
  /** Notes that a token is bad, and holds every order of its provider that has a step. */
  invalidated(provider: ProviderName, fingerprint: string, detail: string, now?: Date): Promise<void>
  /** Notes until when the provider wants no calls; never earlier than noted before. */
  limited(provider: ProviderName, until: Date, now?: Date): Promise<void>
}

/** The reason that holds orders while their provider takes no token. */
export const HELD_BY_CREDENTIAL = 'credential_invalid'
