import { sql } from 'kysely'
import type { Session } from '../database/session.ts'
import { atOrNow } from '../database/typed-statement.ts'
import { instant } from '../database/values.ts'
import {
  type AuditEntry,
  type AuditFilter,
  type AuditStore,
  CUT_INPUT,
  MAX_AUDIT_CHARS,
} from './audit-store.ts'
import { statement } from './audit-tables-sql.ts'

export { entities } from './audit-tables-sql.ts'

const ADD = statement(
  'audit-add',
  (tables, given: Omit<AuditEntry, 'at' | 'input'> & { input: string; now: Date | undefined }) =>
    tables.insertInto('audit_log').values({
      id: given.id,
      at: atOrNow(given.now),
      actor: given.actor,
      operation: given.operation,
      input: sql<AuditEntry['input']>`${given.input}::jsonb`,
      outcome: given.outcome,
    }),
)

const LIST = {
  name: 'audit-list',
  text: `select id, at, actor, operation, outcome, case when length(input::text) <= ${MAX_AUDIT_CHARS} then input end as input from audit_log
    where ($2::text is null or position(lower($2) in lower(actor)) > 0)
      and ($3::text is null or starts_with(operation, $3)) and ($4::timestamptz is null or at >= $4)
      and id < coalesce($5, '~') and id >= coalesce($6, '')
    order by id desc limit $1`,
}

const LOOKED_TO = {
  name: 'audit-looked-to',
  text: `select id from audit_log where id < coalesce($2, '~') order by id desc offset $1 - 1 limit 1`,
}

type AuditRow = Omit<AuditEntry, 'at' | 'input'> & {
  readonly at: string
  readonly input: AuditEntry['input'] | null
}

/** The audit log in SQL. */
export class SqlAuditStore implements AuditStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(entry: Omit<AuditEntry, 'at'>, now?: Date): Promise<void> {
    await ADD.run(this.#session, { ...entry, input: JSON.stringify(entry.input), now })
  }

  async list(
    limit: number,
    { who, operation, since, before, from }: AuditFilter = {},
  ): Promise<readonly AuditEntry[]> {
    const rows = await this.#session.rows<AuditRow>(LIST, [limit, who, operation, since, before, from])
    return rows.map(({ at, input, ...entry }) => ({
      ...entry,
      at: instant(at),
      input: input ?? CUT_INPUT,
    }))
  }

  async lookedTo(rows: number, before?: string): Promise<string | undefined> {
    const [row] = await this.#session.rows<Pick<AuditEntry, 'id'>>(LOOKED_TO, [rows, before])
    return row?.id
  }
}

/** The store of the feature. */
export const stores = (session: Session): { audit: AuditStore } => ({ audit: new SqlAuditStore(session) })
