import type { Session, Statement } from '../../database/session.ts'
import { at } from '../../database/statement-time.ts'
import { instant } from '../../database/values.ts'
import type {
  EmailSuppression,
  EmailSuppressionsStore,
  SuppressionFilter,
} from './email-suppressions-store.ts'

const ADD: Statement = {
  name: 'email-suppression-add',
  text: `insert into email_suppressions (owner, address, reason, until, created_at)
    values ($1, $2, $3, ${at('$5')} + make_interval(days => $4), ${at('$5')})
    on conflict (owner, address) do update set reason = excluded.reason, until = excluded.until`,
}
const AMONG: Statement = {
  name: 'email-suppression-among',
  text: `select address from email_suppressions
    where owner = $1 and address = any($2::text[]) and until > ${at('$3')} order by address collate "C"`,
}
const LIST: Statement = {
  name: 'email-suppression-list',
  text: `select * from email_suppressions where ($1::text is null or owner = $1) and until > ${at('$3')}
    order by owner collate "C", address collate "C" limit $2`,
}
const REMOVE: Statement = {
  name: 'email-suppression-remove',
  text: 'delete from email_suppressions where owner = $1 and address = $2 returning owner',
}
const PURGE: Statement = {
  name: 'email-suppression-purge',
  text: `with gone as (delete from email_suppressions where until <= ${at('$1')} returning 1)
    select count(*)::int as purged from gone`,
}

interface Row {
  readonly owner: string
  readonly address: string
  readonly reason: string
  readonly until: string
  readonly created_at: string
}

/** Suppressed addresses in SQL. */
export class SqlEmailSuppressionsStore implements EmailSuppressionsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(suppression: Parameters<EmailSuppressionsStore['add']>[0], now?: Date): Promise<void> {
    const { owner, address, reason, days } = suppression
    await this.#session.rows(ADD, [owner, address.toLowerCase(), reason, days, now])
  }

  async among(owner: string, addresses: readonly string[], now?: Date): Promise<readonly string[]> {
    const asked = addresses.map((address) => address.toLowerCase())
    const rows = await this.#session.rows<{ address: string }>(AMONG, [owner, asked, now])
    return rows.map(({ address }) => address)
  }

  async list({ owner, limit }: SuppressionFilter, now?: Date): Promise<readonly EmailSuppression[]> {
    const rows = await this.#session.rows<Row>(LIST, [owner, limit, now])
    return rows.map(({ until, created_at, ...row }) => ({
      ...row,
      until: instant(until),
      createdAt: instant(created_at),
    }))
  }

  async remove(owner: string, address: string): Promise<boolean> {
    return (await this.#session.rows(REMOVE, [owner, address.toLowerCase()])).length > 0
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
