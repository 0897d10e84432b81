import { defineEntity, p } from '@mikro-orm/core'
import type { Session } from '../database/session.ts'
import { instant } from '../database/values.ts'
import {
  type AuditEntry,
  type AuditFilter,
  type AuditStore,
  CUT_INPUT,
  MAX_AUDIT_CHARS,
} from './audit-store.ts'

/** Table `audit_log`. */
export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit_log',
  properties: {
    id: p.text().primary(),
    at: p.datetime().defaultRaw('now()'),
    actor: p.text(),
    operation: p.text(),
    input: p.json().$type<Readonly<Record<string, unknown>>>(),
    outcome: p.text(),
  },
})

const LIST = {
  name: 'audit-list',
  text: `select id, at, actor, operation, outcome, case when length(input::text) <= ${MAX_AUDIT_CHARS} then input end as input from audit_log
    where ($2::text is null or position(lower($2) in lower(actor)) > 0)
      and ($3::text is null or starts_with(operation, $3)) and ($4::timestamptz is null or at >= $4)
      and id < coalesce($5, '~')
    order by id desc limit $1`,
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
    await this.#session.manage((em) => em.insert(AuditEntity, { ...entry, ...(now ? { at: now } : {}) }))
  }

  async list(
    limit: number,
    { who, operation, since, before }: AuditFilter = {},
  ): Promise<readonly AuditEntry[]> {
    const rows = await this.#session.rows<AuditRow>(LIST, [limit, who, operation, since, before])
    return rows.map(({ at, input, ...entry }) => ({
      ...entry,
      at: instant(at),
      input: input ?? CUT_INPUT,
    }))
  }
}

/** The store of the feature. */
export const stores = (session: Session): { audit: AuditStore } => ({ audit: new SqlAuditStore(session) })
