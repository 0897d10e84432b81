import { defineEntity, p } from '@mikro-orm/core'
import type { Session } from '../database/session.ts'
import type { AuditEntry, AuditStore } from './audit-store.ts'

/** Table `audit_log`. */
export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit_log',
  properties: {
    id: p.string().primary(),
    at: p.datetime().defaultRaw('now()'),
    actor: p.string(),
    operation: p.string(),
    input: p.json().$type<Readonly<Record<string, unknown>>>(),
    outcome: p.string(),
  },
})

/** The audit log in SQL. */
export class SqlAuditStore implements AuditStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(entry: Omit<AuditEntry, 'at'>, now?: Date): Promise<void> {
    await this.#session.manage((em) => em.insert(AuditEntity, { ...entry, ...(now ? { at: now } : {}) }))
  }

  list(limit: number): Promise<readonly AuditEntry[]> {
    return this.#session.manage(async (em) => {
      const rows = await em.find(AuditEntity, {}, { orderBy: { id: 'desc' }, limit })
      return rows.map(({ id, at, actor, operation, input, outcome }) => ({
        id,
        at,
        actor,
        operation,
        input,
        outcome,
      }))
    })
  }
}
