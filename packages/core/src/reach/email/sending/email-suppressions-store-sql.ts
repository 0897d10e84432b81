import { type SqlBool, sql } from 'kysely'
import type { Session, Statement } from '../../../platform/database/session.ts'
import { at } from '../../../platform/database/statement-time.ts'
import { atOrNow, isAbsent, present, type Timed } from '../../../platform/database/typed-statement.ts'
import { statement, toSuppression } from '../email-tables-sql.ts'
import type {
  EmailSuppression,
  EmailSuppressionsStore,
  SuppressionFilter,
} from './email-suppressions-store.ts'

type Added = Parameters<EmailSuppressionsStore['add']>[0]

const ADD = statement('email-suppression-add', (tables, given: Added & Timed) => {
  const term = {
    reason: given.reason,
    until: sql<Date>`${atOrNow(given.now)} + make_interval(days => ${given.days})`,
  }
  return tables
    .insertInto('email_suppressions')
    .values({ owner: given.owner, address: given.address, ...term, created_at: atOrNow(given.now) })
    .onConflict((conflict) => conflict.columns(['owner', 'address']).doUpdateSet(term))
})
const AMONG = statement(
  'email-suppression-among',
  (tables, given: Timed & { owner: string; addresses: readonly string[] }) =>
    tables
      .selectFrom('email_suppressions')
      .select('address')
      .where('owner', '=', given.owner)
      .where(sql<SqlBool>`address = any(${given.addresses}::text[])`)
      .where('until', '>', sql<string>`${atOrNow(given.now)}`)
      .orderBy(sql`address collate "C"`),
)
const LIST = statement('email-suppression-list', (tables, { owner, limit, now }: SuppressionFilter & Timed) =>
  tables
    .selectFrom('email_suppressions')
    .selectAll()
    .where(({ eb, or }) => or([isAbsent(owner), eb('owner', '=', present(owner))]))
    .where('until', '>', sql<string>`${atOrNow(now)}`)
    .orderBy(sql`owner collate "C"`)
    .orderBy(sql`address collate "C"`)
    .limit(limit),
)
const REMOVE = statement('email-suppression-remove', (tables, given: { owner: string; address: string }) =>
  tables
    .deleteFrom('email_suppressions')
    .where('owner', '=', given.owner)
    .where('address', '=', given.address)
    .returning('owner'),
)
const PURGE: Statement = {
  name: 'email-suppression-purge',
  text: `with gone as (delete from email_suppressions where until <= ${at('$1')} returning 1)
    select count(*)::int as purged from gone`,
}

/** Suppressed addresses in SQL. */
export class SqlEmailSuppressionsStore implements EmailSuppressionsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(suppression: Added, now?: Date): Promise<void> {
    const address = suppression.address.toLowerCase()
    await ADD.run(this.#session, { ...suppression, address, now })
  }

  async among(owner: string, addresses: readonly string[], now?: Date): Promise<readonly string[]> {
    const asked = addresses.map((address) => address.toLowerCase())
    const rows = await AMONG.run(this.#session, { owner, addresses: asked, now })
    return rows.map(({ address }) => address)
  }

  async list(filter: SuppressionFilter, now?: Date): Promise<readonly EmailSuppression[]> {
    return (await LIST.run(this.#session, { ...filter, now })).map(toSuppression)
  }

  async remove(owner: string, address: string): Promise<boolean> {
    return (await REMOVE.run(this.#session, { owner, address: address.toLowerCase() })).length > 0
  }

  async purge(now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [now])
    return row?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { emailSuppressions: EmailSuppressionsStore } => ({
  emailSuppressions: new SqlEmailSuppressionsStore(session),
})
