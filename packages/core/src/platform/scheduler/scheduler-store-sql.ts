import { type SqlBool, sql } from 'kysely'
import type { Session } from '../database/session.ts'
import { atOrNow } from '../database/typed-statement.ts'
import { instant } from '../database/values.ts'
import type { SchedulerStore } from './scheduler-store.ts'
import { statement } from './scheduler-tables-sql.ts'

export { entities } from './scheduler-tables-sql.ts'

interface Named {
  readonly name: string
}
type Begin = Named & { readonly everySeconds: number; readonly now: Date | undefined }

const BEGIN = statement('scheduler-begin', (tables, { name, everySeconds, now }: Begin) => {
  const begun = {
    begun_at: atOrNow(now),
    due_at: sql<Date>`${atOrNow(now)} + make_interval(secs => ${everySeconds})`,
  }
  return tables
    .insertInto('scheduler_tasks')
    .values({ name, ...begun })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(begun)
        .where(sql<SqlBool>`scheduler_tasks.due_at <= ${atOrNow(now)}`),
    )
    .returning('name')
})
const REOPEN = statement('scheduler-reopen', (tables, { name }: Named) =>
  tables
    .updateTable('scheduler_tasks')
    .set({ due_at: sql.ref<Date>('begun_at') })
    .where('name', '=', name),
)
const LAST = statement('scheduler-last', (tables, { name }: Named) =>
  tables.selectFrom('scheduler_tasks').select('begun_at').where('name', '=', name),
)

/** Periodic tasks in SQL. */
export class SqlSchedulerStore implements SchedulerStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async begin(name: string, everySeconds: number, now?: Date): Promise<boolean> {
    return (await BEGIN.run(this.#session, { name, everySeconds, now })).length > 0
  }

  async reopen(name: string): Promise<void> {
    await REOPEN.run(this.#session, { name })
  }

  async lastBegun(name: string): Promise<Date | undefined> {
    const [row] = await LAST.run(this.#session, { name })
    return row === undefined ? undefined : instant(row.begun_at)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { scheduler: SchedulerStore } => ({
  scheduler: new SqlSchedulerStore(session),
})
