import { given, instant, maybeInstant } from '../database/values.ts'
import type { CatalogEntry } from './catalog.ts'
import type { Credential, CredentialState } from './credential.ts'
import type { Order, OrderState, ProviderName } from './order.ts'
import type { OrderEvent, StepOutcome } from './provisioning-store.ts'

/** A row of `provisioning_orders`, as the drivers return it. */
export interface OrderRow {
  readonly id: string
  readonly license_id: string
  readonly plan: string
  readonly provider: ProviderName
  readonly server_type: string
  readonly image: string
  readonly locations: readonly string[]
  readonly location: string
  readonly ssh_keys: readonly string[]
  readonly hostname: string
  readonly state: OrderState
  readonly state_since: string
  readonly attempt: number
  readonly creates: number
  readonly next_run_at: string | null
  readonly provider_name: string
  readonly nonce: string
  readonly create_sent_at: string | null
  readonly server_id: string | null
  readonly action_id: string | null
  readonly ipv4: string | null
  readonly ipv6: string | null
  readonly user_data_sha256: string | null
  readonly monthly_minor: string | number | null
  readonly currency: string | null
  readonly license_key: string | null
  readonly error_code: string | null
  readonly error_detail: string | null
  readonly error_since: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** Converts a row to an order. */
export const toOrder = (row: OrderRow): Order => ({
  id: row.id,
  licenseId: row.license_id,
  plan: row.plan,
  provider: row.provider,
  serverType: row.server_type,
  image: row.image,
  locations: row.locations,
  location: row.location,
  sshKeys: row.ssh_keys,
  hostname: row.hostname,
  state: row.state,
  stateSince: instant(row.state_since),
  attempt: row.attempt,
  creates: row.creates,
  nextRunAt: maybeInstant(row.next_run_at),
  providerName: row.provider_name,
  nonce: row.nonce,
  createSentAt: maybeInstant(row.create_sent_at),
  serverId: given(row.server_id),
  actionId: given(row.action_id),
  ipv4: given(row.ipv4),
  ipv6: given(row.ipv6),
  userDataSha256: given(row.user_data_sha256),
  monthlyMinor: row.monthly_minor === null ? undefined : Number(row.monthly_minor),
  currency: given(row.currency),
  licenseKey: given(row.license_key),
  errorCode: given(row.error_code),
  errorDetail: given(row.error_detail),
  errorSince: maybeInstant(row.error_since),
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
})

/** A row of `provisioning_events`. */
export interface EventRow {
  readonly at: string
  readonly from_state: OrderState
  readonly to_state: OrderState
  readonly step: string
  readonly outcome: StepOutcome
  readonly http_status: number | null
  readonly correlation_id: string | null
  readonly detail: string | null
}

/** Converts a row to an entry of the history. */
export const toEvent = (row: EventRow): OrderEvent => ({
  at: instant(row.at),
  from: row.from_state,
  to: row.to_state,
  step: row.step,
  outcome: row.outcome,
  httpStatus: given(row.http_status),
  correlationId: given(row.correlation_id),
  detail: given(row.detail),
})

/** A row of `provisioning_catalog`. */
export interface CatalogRow {
  readonly plan: string
  readonly provider: ProviderName
  readonly server_type: string
  readonly locations: readonly string[]
  readonly image: string
  readonly ssh_keys: readonly string[]
  readonly max_monthly_minor: string | number
  readonly currency: string
  readonly enabled: boolean
}

/** Converts a row to an entry of the catalogue. */
export const toCatalogEntry = (row: CatalogRow): CatalogEntry => ({
  plan: row.plan,
  provider: row.provider,
  serverType: row.server_type,
  locations: row.locations,
  image: row.image,
  sshKeys: row.ssh_keys,
  maxMonthlyMinor: Number(row.max_monthly_minor),
  currency: row.currency,
  enabled: row.enabled,
})

/** A row of `provider_credentials`. */
export interface CredentialRow {
  readonly provider: ProviderName
  readonly token_enc: string | null
  readonly fingerprint: string
  readonly state: CredentialState
  readonly verified_at: string | null
  readonly rate_reset_at: string | null
}

/** Converts a row to the known state of a token. */
export const toCredential = (row: CredentialRow): Credential => ({
  provider: row.provider,
  tokenEnc: given(row.token_enc),
  fingerprint: row.fingerprint,
  state: row.state,
  verifiedAt: maybeInstant(row.verified_at),
  rateResetAt: maybeInstant(row.rate_reset_at),
})
