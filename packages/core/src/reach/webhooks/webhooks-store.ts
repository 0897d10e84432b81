import type { Place } from '../../kernel/cursor.ts'
import type { Scope } from '../../kernel/scope.ts'
import type {
  DeliveryAttempt,
  DisabledReason,
  EndpointDelivery,
  EndpointState,
  WebhookEndpoint,
} from './webhook-endpoint.ts'

/** Fields of a new endpoint. */
export interface NewEndpoint
  extends Pick<
    WebhookEndpoint,
    'id' | 'licenseId' | 'tenantId' | 'url' | 'description' | 'events' | 'secret'
  > {
  readonly maxAgeSeconds: number
}

/** Changes of an endpoint; an absent field keeps its value. */
export interface EndpointChange {
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly events?: readonly string[] | undefined
}

/** A rotation of the secret of an endpoint. */
export interface SecretRotation {
  readonly id: string
  /** The secret as it is stored now: if it has changed since, nothing is written. */
  readonly from: string
  readonly secret: string
  /** The former one, sealed for its own place. */
  readonly oldSecret: string
  readonly graceSeconds: number
}

/** Filter for a list of deliveries, newest first. */
export interface DeliveryFilter {
  readonly endpointId: string
  readonly states: readonly string[] | undefined
  /** Whether an attempt is under way; undefined: whether or not. */
  readonly isLeased?: boolean | undefined
  /** The place after which the list begins. */
  readonly after: Place | undefined
  readonly limit: number
}

/** Deliveries to repeat: one, or all of a period. */
export interface ReplayWrite {
  readonly endpointId: string
  /** Tells this replay from others: the new ids follow from it. */
  readonly salt: string
  readonly deliveryId?: string | undefined
  readonly since?: Date | undefined
  /** The first instant behind the time. */
  readonly until?: Date | undefined
  readonly states: readonly string[]
  readonly limit: number
}

/** A message that the service itself writes. */
export interface NewMessage {
  readonly id: string
  readonly licenseId: string
  readonly type: string
  readonly body: string
}

/** A message on its way, with the endpoint that it goes to. */
export interface OutgoingMessage {
  readonly endpoint: WebhookEndpoint
  readonly body: string
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly webhooks: WebhooksStore
  }
}

/**
 * Storage of endpoints and messages. Events are no method: the database writes a message and its deliveries
 * in the transaction of the event, for each endpoint of the license that asked for the type. A disabled
 * endpoint gets a delivery that is `skipped`. One fact has one message, for any number of reports.
 */
export interface WebhooksStore {
  /** Waits until no other transaction adds endpoints to the license. */
  begin(licenseId: string): Promise<void>
  /**
   * Adds an endpoint. Returns the endpoint of the license that has the address already instead, or `full` if
   * the license has `most` endpoints.
   */
  add(endpoint: NewEndpoint, most: number, now?: Date): Promise<WebhookEndpoint | 'full'>
  /** Endpoints in the order of their ids. */
  list(
    scope: Scope,
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly EndpointState[]>
  get(scope: Scope, id: string): Promise<EndpointState | undefined>
  /** Endpoints that the service has disabled, in the order of their ids. */
  dead(): Promise<readonly EndpointState[]>
  /** Returns undefined for an unknown endpoint, and the id of another that has the new address. */
  change(id: string, change: EndpointChange, now?: Date): Promise<{ readonly conflict?: string } | undefined>
  rotate(rotation: SecretRotation, now?: Date): Promise<boolean>
  /** Notes why the service itself cannot send, or that it can. */
  note(id: string, error: string | undefined): Promise<void>
  /**
   * Removes an endpoint, and cancels its waiting deliveries. Returns their number; undefined if it is
   * unknown.
   */
  remove(id: string, now?: Date): Promise<number | undefined>
  /** Disables an endpoint. Returns false if it was. `gone` cancels its waiting deliveries. */
  disable(id: string, reason: DisabledReason, now?: Date): Promise<boolean>
  /** Sends to an endpoint again: its breaker is closed, and its failures are forgotten. */
  enable(id: string): Promise<void>
  /** Closes the breaker of an endpoint. Why it is disabled, and since when it fails, stays. */
  closeBreaker(id: string): Promise<void>
  /**
   * Disables the endpoints that have failed for `seconds`, if at least two of their deliveries were given up
   * meanwhile, `apartSeconds` apart. Returns their ids.
   */
  disableFailing(seconds: number, apartSeconds: number, now?: Date): Promise<readonly string[]>
  /** Writes an event about an endpoint for the other endpoints of its license. */
  tellOthers(
    event: {
      readonly endpoint: WebhookEndpoint
      readonly type: 'webhook.endpoint_disabled'
      readonly fact: string
      readonly data: object
    },
    now?: Date,
  ): Promise<void>
  /** Adds a message; its deliveries are added in the same transaction. */
  say(message: NewMessage, now?: Date): Promise<void>
  outgoing(delivery: {
    readonly recipient: string
    readonly payload: string
  }): Promise<OutgoingMessage | undefined>
  deliveries(filter: DeliveryFilter, now?: Date): Promise<readonly EndpointDelivery[]>
  delivery(
    endpointId: string,
    id: string,
    now?: Date,
  ): Promise<
    | {
        readonly delivery: EndpointDelivery
        readonly attempts: readonly DeliveryAttempt[]
        readonly body: string
      }
    | undefined
  >
  /**
   * Sends the messages of the meant deliveries again, each once, the oldest first, unless another delivery of
   * the message arrived or waits. A delivery that is named is repeated after any outcome. Returns the number
   * of new deliveries, and whether there were more.
   */
  replay(write: ReplayWrite, now?: Date): Promise<{ readonly queued: number; readonly truncated: boolean }>
  /** Returns the effect of a replay of a period. */
  replayable(
    write: ReplayWrite,
    now?: Date,
  ): Promise<{ readonly queued: number; readonly truncated: boolean }>
  /** Sets the age at which all endpoints' waiting deliveries expire. */
  setMaxAge(seconds: number): Promise<void>
  /** Deletes at most `limit` messages from before `days`. Returns their number. */
  purge(days: number, limit: number, now?: Date): Promise<number>
}
