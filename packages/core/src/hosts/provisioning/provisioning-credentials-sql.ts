import { sql } from 'kysely'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import type { Credential, CredentialState } from './credential.ts'
import { BUILDING_STATES, type ProviderName } from './order.ts'
import { HELD_BY_CREDENTIAL, type ProvisioningStore } from './provisioning-store.ts'
import { statement, toCredential } from './provisioning-tables-sql.ts'

type NewCredential = Pick<Credential, 'provider' | 'fingerprint' | 'tokenEnc'>
interface OfProvider {
  readonly provider: ProviderName
}

const LIST = statement('provisioning-credentials', (tables) =>
  tables.selectFrom('provider_credentials').selectAll().orderBy(sql`provider collate "C"`),
)
// The limit of calls belongs to the project behind the token, so that a new token starts without one.
const SET = statement('provisioning-set-credential', (tables, given: NewCredential) => {
  const ofTheSame = <T>(column: string, otherwise: T) =>
    sql<T>`case when provider_credentials.fingerprint = excluded.fingerprint
      then ${sql.ref(`provider_credentials.${column}`)} else ${otherwise} end`
  return tables
    .insertInto('provider_credentials')
    .values({
      provider: given.provider,
      token_enc: given.tokenEnc,
      fingerprint: given.fingerprint,
      state: 'unverified',
    })
    .onConflict((conflict) =>
      conflict.column('provider').doUpdateSet(({ ref }) => ({
        token_enc: ref('excluded.token_enc'),
        fingerprint: ref('excluded.fingerprint'),
        state: ofTheSame<CredentialState>('state', 'unverified'),
        verified_at: ofTheSame<Date | null>('verified_at', null),
        rate_reset_at: ofTheSame<Date | null>('rate_reset_at', null),
      })),
    )
})
const CLEAR = statement('provisioning-clear-credential', (tables, { provider }: OfProvider) =>
  tables.deleteFrom('provider_credentials').where('provider', '=', provider).returning('provider'),
)
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
const LIMITED = statement(
  'provisioning-limited',
  (tables, { provider, until }: OfProvider & { until: Date }) =>
    tables
      .updateTable('provider_credentials')
      .set({ rate_reset_at: sql<Date>`greatest(rate_reset_at, ${until}::timestamptz)` })
      .where('provider', '=', provider),
)

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
    return (await LIST.run(this.#session, {})).map(toCredential)
  }

  async setCredential(credential: NewCredential): Promise<void> {
    await SET.run(this.#session, credential)
  }

  async clearCredential(provider: ProviderName): Promise<boolean> {
    return (await CLEAR.run(this.#session, { provider })).length > 0
  }

  async verified(provider: ProviderName, fingerprint: string, now?: Date): Promise<boolean> {
    return (await this.#session.rows(VERIFIED, [provider, fingerprint, now])).length > 0
  }

  async invalidated(provider: ProviderName, fingerprint: string, detail: string, now?: Date): Promise<void> {
    await this.#session.rows(INVALIDATED, [provider, fingerprint, detail, now])
  }

  async limited(provider: ProviderName, until: Date): Promise<void> {
    await LIMITED.run(this.#session, { provider, until })
  }
}
