import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { instant } from '../database/values.ts'
import type { SchedulerStore } from './scheduler-store.ts'

export { entities } from './scheduler-tables-sql.ts'

const NOW = at('$3')

const BEGIN = {
  name: 'scheduler-begin',
  text: `insert into scheduler_tasks as t (name, begun_at, due_at)
    values ($1, ${NOW}, ${NOW} + make_interval(secs => $2))
    on conflict (name) do update set begun_at = excluded.begun_at, due_at = excluded.due_at
      where t.due_at <= ${NOW}
    returning name`,
}
const REOPEN = {
  name: 'scheduler-reopen',
  text: 'update scheduler_tasks set due_at = begun_at where name = $1',
}
const LAST = { name: 'scheduler-last', text: 'select begun_at from scheduler_tasks where name = $1' }

/** Periodic tasks in SQL. */
export class SqlSchedulerStore implements SchedulerStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async begin(name: string, everySeconds: number, now?: Date): Promise<boolean> {
    return (await this.#session.rows(BEGIN, [name, everySeconds, now])).length > 0
  }

  async reopen(name: string): Promise<void> {
    await this.#session.rows(REOPEN, [name])
  }

  async lastBegun(name: string): Promise<Date | undefined> {
    const [row] = await this.#session.rows<{ begun_at: string }>(LAST, [name])
    return row === undefined ? undefined : instant(row.begun_at)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { scheduler: SchedulerStore } => ({
  scheduler: new SqlSchedulerStore(session),
})
