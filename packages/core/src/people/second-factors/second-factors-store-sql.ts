import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { instant } from '../../platform/database/values.ts'
import { statement, toSecondFactor } from './second-factor-tables-sql.ts'
import {
  type Confirmation,
  PENDING_SECONDS,
  type Proof,
  type SecondFactorNow,
  type SecondFactorsStore,
} from './second-factors-store.ts'

export { entities } from './second-factor-tables-sql.ts'

const WAITS = (parameter: string) =>
  `(f.confirmed_at is null and f.begun_at > ${at(parameter)} - make_interval(secs => ${PENDING_SECONDS}))`

type Begun = { userId: string; secret: string; now: Date | undefined }
const BEGIN = statement('second-factor-begin', (tables, { userId, secret, now }: Begun) =>
  tables
    .insertInto('second_factors')
    .values({ user_id: userId, secret, begun_at: atOrNow(now) })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ secret, begun_at: atOrNow(now) })
        .where('second_factors.confirmed_at', 'is', null),
    )
    .returning('user_id'),
)
const FIND = {
  name: 'second-factor-find',
  text: `select ${at('$2')} as at, f.* from (select 1) one left join second_factors f
    on f.user_id = $1 and (f.confirmed_at is not null or ${WAITS('$2')})`,
}
const CONFIRM = {
  name: 'second-factor-confirm',
  text: `with confirmed as (
      update second_factors f set confirmed_at = ${at('$6')}, last_step = $3, recovery = $4
      where f.user_id = $1 and f.secret = $2 and ${WAITS('$6')} returning f.user_id
    ), ended as (
      update sessions s set revoked_at = ${at('$6')} from confirmed c
      where s.user_id = c.user_id and s.revoked_at is null and s.digest <> $5)
    select 1 from confirmed`,
}
// Two statements with the same proof wait for the same row lock, and the second one finds the row changed.
const PROVEN = `f.user_id = $1 and f.confirmed_at is not null and f.secret = $2
  and (f.last_step < $3::integer or $4::text = any (f.recovery))`
const SPEND = {
  name: 'second-factor-spend',
  text: `with spent as (
      update second_factors f set last_step = greatest(f.last_step, $3::integer), recovery = array_remove(f.recovery, $4)
      where ${PROVEN} returning 1)
    select exists (select from spent)
      or not exists (select from second_factors f where f.user_id = $1 and f.confirmed_at is not null) as passes`,
}
const REMOVE = {
  name: 'second-factor-remove',
  text: `delete from second_factors f where ${PROVEN} returning 1`,
}
const RESET = {
  name: 'second-factor-reset',
  text: `with removed as (delete from second_factors where user_id = $1 returning 1),
    ended as (update sessions set revoked_at = ${at('$2')}
      where user_id = $1 and revoked_at is null and expires_at > ${at('$2')} returning 1)
    select (select count(*) from removed)::integer as removed, (select count(*) from ended)::integer as ended`,
}
const BACKS = {
  name: 'second-factor-backs',
  text: `select exists (select from second_factors where user_id = $1 and confirmed_at is not null)
    or exists (select from sessions where digest = $2 and user_id = $1 and minted) as backs`,
}
const CONFIRMED = statement('second-factor-confirmed', (tables) =>
  tables.selectFrom('second_factors').select('user_id').where('confirmed_at', 'is not', null),
)

interface FactorRow {
  readonly at: string
  readonly secret: string | null
}

const proofParams = (userId: string, proof: Proof | undefined) => [
  userId,
  proof?.secret,
  proof?.step,
  proof?.recovery,
]

/** Second factors in SQL. */
export class SqlSecondFactorsStore implements SecondFactorsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async begin(userId: string, secret: string, now?: Date): Promise<boolean> {
    return (await BEGIN.run(this.#session, { userId, secret, now })).length > 0
  }

  async find(userId: string, now?: Date): Promise<SecondFactorNow> {
    const [row] = await this.#session.rows<FactorRow>(FIND, [userId, now])
    if (row === undefined) throw new Error('the statement for second factors returned no row')
    return { at: instant(row.at), factor: row.secret === null ? undefined : toSecondFactor(row) }
  }

  async confirm(confirmation: Confirmation, now?: Date): Promise<boolean> {
    const { userId, secret, step, recovery, keptSession } = confirmation
    const params = [userId, secret, step, recovery, keptSession, now]
    return (await this.#session.rows(CONFIRM, params)).length > 0
  }

  async spend(userId: string, proof: Proof | undefined): Promise<boolean> {
    const [row] = await this.#session.rows<{ passes: boolean }>(SPEND, proofParams(userId, proof))
    return row?.passes === true
  }

  async remove(userId: string, proof: Proof): Promise<boolean> {
    return (await this.#session.rows(REMOVE, proofParams(userId, proof))).length > 0
  }

  async reset(userId: string, now?: Date): Promise<{ removed: boolean; ended: number }> {
    const [row] = await this.#session.rows<{ removed: number; ended: number }>(RESET, [userId, now])
    return { removed: row?.removed === 1, ended: row?.ended ?? 0 }
  }

  async backs(userId: string, session: string): Promise<boolean> {
    const [row] = await this.#session.rows<{ backs: boolean }>(BACKS, [userId, session])
    return row?.backs === true
  }

  async confirmed(): Promise<readonly string[]> {
    return (await CONFIRMED.run(this.#session, {})).map(({ user_id }) => user_id)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { secondFactors: SecondFactorsStore } => ({
  secondFactors: new SqlSecondFactorsStore(session),
})
