import type { ProviderName } from './order.ts'

/** The labels that tie a server to its order. */
export interface ServerLabels {
  readonly order: string
  /** The control plane. */
  readonly plane: string
  readonly nonce: string
}

/** A server as its provider describes it. */
export interface ProviderServer {
  readonly id: string
  readonly name: string
  readonly isRunning: boolean
  readonly ipv4: string | undefined
  readonly ipv6: string | undefined
  /** Labels of ours; a field is undefined if the server lacks it. */
  readonly labels: Partial<ServerLabels>
  /** Whether the server has no label at all: some providers set them after they made it. */
  readonly isBare: boolean
}

/** Which servers to look for. */
export type ServerSearch = { readonly order: string; readonly name: string } | { readonly plane: string }

/** A server to make. */
export interface ServerRequest {
  readonly name: string
  readonly serverType: string
  readonly image: string
  readonly location: string
  readonly sshKeys: readonly string[]
  readonly labels: ServerLabels
  readonly userData: string
}

/** Work that a provider has begun. */
export interface ProviderAction {
  readonly state: 'running' | 'success' | 'error'
  /** Why it failed, at most 300 characters. */
  readonly error?: string | undefined
}

/** The prices of a server for a month. */
export interface ServerPrices {
  readonly currency: string
  /** The places where it is offered, one at least. */
  readonly places: readonly PlacePrice[]
}

/** The price of a month at one place, in minor units. */
export interface PlacePrice {
  readonly location: string
  /** The server alone. */
  readonly serverMinor: number
  /** With the address that it needs. */
  readonly totalMinor: number
}

/** A provider's word about the limit of calls. */
export interface CallLimits {
  readonly limitedUntil: Date | undefined
}

/** Reasons why a call to a provider has no good answer. */
export const PROVIDER_FAILURES = [
  /** The token is not taken, or may not write. */
  'unauthorized',
  'rate-limited',
  /** Nothing of this kind is free at this place at the moment. */
  'no-capacity',
  /** The request will never be taken. */
  'refused',
  /** The name is taken. */
  'name-taken',
  'not-found',
  /** Somebody else works on the server, or it is protected. */
  'locked',
  /** For the moment: no connection, no answer in time, an error of the provider. */
  'unavailable',
  /** The answer does not fit the provider's documentation. */
  'protocol',
] as const
export type ProviderFailureKind = (typeof PROVIDER_FAILURES)[number]

/** A call without a good answer. Its message never has a token, a body or a header. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly kind: ProviderFailureKind
  /** The provider's own code, else the reason of the outbound client. */
  readonly code: string
  readonly status: number | undefined
  /** The provider's id of the exchange, for its support. */
  readonly correlationId: string | undefined
  /** Until when no call is to be made. */
  readonly until: Date | undefined

  constructor(
    kind: ProviderFailureKind,
    facts: {
      readonly code: string
      readonly detail?: string | undefined
      readonly status?: number | undefined
      readonly correlationId?: string | undefined
      readonly until?: Date | undefined
    },
  ) {
    super(facts.detail ?? facts.code)
    this.kind = kind
    this.code = facts.code
    this.status = facts.status
    this.correlationId = facts.correlationId
    this.until = facts.until
  }
}

/**
 * A hosting provider, with one token. No call is repeated here: the caller knows which requests may be sent
 * twice. Every method throws `ProviderFailure` and nothing else.
 */
export interface ServerProvider {
  /** Servers of an order, by its label and else by their name; or all servers of a control plane. */
  find(search: ServerSearch): Promise<readonly ProviderServer[]>
  /**
   * Makes a server. A failure that is `unavailable` or `protocol` may have made one, too.
   */
  create(request: ServerRequest): Promise<{ readonly server: ProviderServer; readonly actionId?: string }>
  /** How far an action is; `not-found` once the provider has forgotten it. */
  getAction(id: string): Promise<ProviderAction>
  /** @throws ProviderFailure `not-found` */
  getServer(id: string): Promise<ProviderServer>
  /** Deletes a server. One that is gone already counts as deleted. */
  delete(id: string): Promise<void>
  /**
   * Returns the prices of a server type at the given places that offer it, in the same order.
   * @throws ProviderFailure `refused` if it is offered at none
   */
  prices(request: {
    readonly serverType: string
    readonly locations: readonly string[]
  }): Promise<ServerPrices>
}

/** Checks a token at its provider. */
export interface TokenProbe {
  /** @throws ProviderFailure `unauthorized` for a token that is not taken or may not write */
  probe(): Promise<void>
}

/** The provider behind a token, and its last answer about the limit of calls. */
export interface ProviderSession extends CallLimits {
  readonly provider: ServerProvider & TokenProbe
}

/** Returns a session at a provider. */
export type OpenProvider = (name: ProviderName, token: string) => ProviderSession

/** Longest text of a provider that is kept. */
export const MAX_DETAIL_CHARS = 300
