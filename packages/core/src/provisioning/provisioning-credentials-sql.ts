import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import type { Credential } from './credential.ts'
import { BUILDING_STATES, type ProviderName } from './order.ts'
import { type CredentialRow, toCredential } from './provisioning-row-sql.ts'
import { HELD_BY_CREDENTIAL, type ProvisioningStore } from './provisioning-store.ts'

const LIST = {
  name: 'provisioning-credentials',
  text: 'select * from provider_credentials order by provider collate "C"',
}
// The limit of calls belongs to the project behind the token, so that a new token starts without one.
const SET = {
  name: 'provisioning-set-credential',
  text: `insert into provider_credentials (provider, token_enc, fingerprint, state) values ($1, $2, $3, 'unverified')
    on conflict (provider) do update set token_enc = excluded.token_enc, fingerprint = excluded.fingerprint,
      state = case when provider_credentials.fingerprint = excluded.fingerprint
        then provider_credentials.state else 'unverified' end,
      verified_at = case when provider_credentials.fingerprint = excluded.fingerprint
        then provider_credentials.verified_at end,
      rate_reset_at = case when provider_credentials.fingerprint = excluded.fingerprint
        then provider_credentials.rate_reset_at end`,
}
const CLEAR = {
  name: 'provisioning-clear-credential',
  text: 'delete from provider_credentials where provider = $1 returning provider',
}
// The time that an order waited for a token does not count: its state begins anew.
const VERIFIED = {
  name: 'provisioning-verified',
  text: `with seen as (update provider_credentials set state = 'verified', verified_at = ${at('$3')}
      where provider = $1 and fingerprint = $2 returning provider
    ), freed as (update provisioning_orders o set error_code = null, error_detail = null, error_since = null,
        next_run_at = ${at('$3')}, state_since = ${at('$3')}, updated_at = ${at('$3')}
      from seen where o.provider = seen.provider and o.error_code = '${HELD_BY_CREDENTIAL}'
        and o.next_run_at is not null)
    select provider from seen`,
}
// Orders whose server goes keep the reason for it.
const INVALIDATED = {
  name: 'provisioning-invalidated',
  text: `with seen as (update provider_credentials set state = 'invalid'
      where provider = $1 and fingerprint = $2 returning provider)
    update provisioning_orders o set error_code = '${HELD_BY_CREDENTIAL}', error_detail = $3,
      error_since = ${at('$4')}, updated_at = ${at('$4')}
    from seen where o.provider = seen.provider and o.next_run_at is not null
      and o.state in ('${[...BUILDING_STATES].join("', '")}')`,
}
const LIMITED = {
  name: 'provisioning-limited',
  text: `update provider_credentials set rate_reset_at = greatest(coalesce(rate_reset_at, $2::timestamptz), $2::timestamptz)
    where provider = $1`,
}

type Stored = Pick<
  ProvisioningStore,
  'credentials' | 'setCredential' | 'clearCredential' | 'verified' | 'invalidated' | 'limited'
>

/** Credentials of providers in SQL. */
export class CredentialsSql implements Stored {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async credentials(): Promise<readonly Credential[]> {
    return (await this.#session.rows<CredentialRow>(LIST, [])).map(toCredential)
  }

  async setCredential(credential: Pick<Credential, 'provider' | 'fingerprint' | 'tokenEnc'>): Promise<void> {
    const { provider, tokenEnc, fingerprint } = credential
    await this.#session.rows(SET, [provider, tokenEnc, fingerprint])
  }

  async clearCredential(provider: ProviderName): Promise<boolean> {
    return (await this.#session.rows(CLEAR, [provider])).length > 0
  }

  async verified(provider: ProviderName, fingerprint: string, now?: Date): Promise<boolean> {
    return (await this.#session.rows(VERIFIED, [provider, fingerprint, now])).length > 0
  }

  async invalidated(provider: ProviderName, fingerprint: string, detail: string, now?: Date): Promise<void> {
    await this.#session.rows(INVALIDATED, [provider, fingerprint, detail, now])
  }

  async limited(provider: ProviderName, until: Date): Promise<void> {
    await this.#session.rows(LIMITED, [provider, until])
  }
}
