import type { SecurityStanding } from '../../../hosts/node-security/node-security-store.ts'
import type { Credential } from '../../../hosts/provisioning/credential.ts'
import type { Order } from '../../../hosts/provisioning/order.ts'
import type { License } from '../../../people/licenses/license.ts'
import type { StoredPaymentEvent } from '../../../reach/billing/payment-event.ts'
import type { EndpointState } from '../../../reach/webhooks/webhook-endpoint.ts'
import type { Agent } from '../../../work/agents/agent.ts'
import type { AppDrift, ObservedApp } from '../../../work/apps/observed-app.ts'
import type { ListedJob } from '../../../work/jobs/jobs-store.ts'
import type { MonitorTrouble } from '../../monitors/monitor.ts'
import type { SurfaceFinding } from '../../surface/surface-finding.ts'

/** A fingerprint that two machines report under: the first one reported again after the second had. */
export interface Clone {
  readonly licenseId: string
  readonly fingerprint: string
  /** Hostnames and boot ids that were recently reported under the fingerprint. */
  readonly hostnames: readonly string[]
  readonly bootIds: readonly string[]
  readonly returnedAt: Date
}

/** Number of recent requests of a license that its rate limits refused. */
export interface RateLimitHits {
  readonly licenseId: string
  readonly count: number
}

/** A period without an evaluation, because no tick ran. */
export interface TickGap {
  readonly from: Date
  readonly until: Date
}

/** The latest failed job of an application (else of a kind on a host), with no success since. */
export type FailedJob = ListedJob

/** Input of the alert rules. */
export interface AlertFacts {
  readonly hosts: readonly Agent[]
  readonly clones: readonly Clone[]
  readonly failures: readonly FailedJob[]
  readonly licenses: readonly License[]
  readonly troubles: readonly MonitorTrouble[]
  readonly refusals: readonly RateLimitHits[]
  /** Endpoints of webhooks that the service has disabled. */
  readonly deadEndpoints: readonly EndpointState[]
  /** Open findings of scans from outside that are high. */
  readonly exposures: readonly SurfaceFinding[]
  /** Hosts with a security document, and how far they are with it. */
  readonly standings: readonly SecurityStanding[]
  /** Apps that are not as they are to be, as their hosts tell of them. */
  readonly apps: readonly ObservedApp[]
  /** Apps that run another commit than was deployed on their hosts. */
  readonly appDrifts: readonly AppDrift[]
  /** Events of the payment provider that call for a person. */
  readonly paymentEvents: readonly StoredPaymentEvent[]
  /** Orders for servers that have not ended. */
  readonly orders: readonly Order[]
  /** Tokens of hosting providers, as far as they are known. */
  readonly credentials: readonly Credential[]
  /** The latest gap, if it ended within `GAP_NEWS_SECONDS`. */
  readonly gap: TickGap | undefined
  /** How long the most overdue monitor has been due, in seconds. */
  readonly monitorsOverdueSeconds: number
}

/** A fingerprint counts as a clone for this long after its identities last alternated, in seconds. */
export const CLONE_SECONDS = 600
/** Refused requests count for this long, in seconds. */
export const REFUSAL_SECONDS = 300
/** A gap between ticks is reported for this long after its end, in seconds. */
export const GAP_NEWS_SECONDS = 3600

declare module '../../../platform/storage/storage.ts' {
  interface Stores {
    readonly alertFacts: AlertFactsStore
  }
}

/** Storage of facts that only alerts use. */
export interface AlertFactsStore {
  /** Fingerprints whose earlier identity reported again within the last `CLONE_SECONDS`. */
  clones(now?: Date): Promise<readonly Clone[]>
  /**
   * Returns the latest failed job of each application, or of each kind and host for jobs without an
   * application. A failure followed by a success is left out.
   */
  failures(withinSeconds: number, now?: Date): Promise<readonly FailedJob[]>
  /** Adds to the refused requests of a license. */
  addRefusals(licenseId: string, count: number, now?: Date): Promise<void>
  /** Refused requests of the last `REFUSAL_SECONDS` by license, counted in whole minutes. */
  refusals(now?: Date): Promise<readonly RateLimitHits[]>
  /**
   * Records an evaluation. Returns the latest gap of more than `gapSeconds` between two evaluations, if it
   * ended within `GAP_NEWS_SECONDS`.
   */
  evaluated(gapSeconds: number, now?: Date): Promise<TickGap | undefined>
}
