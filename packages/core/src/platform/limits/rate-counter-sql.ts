import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import type { RateCounter } from './rate-counter.ts'
import type { RateCount, RateLimit } from './rate-limits.ts'

export { entities } from './rate-tables-sql.ts'

const NOW = at('$4')

// A window that starts in the future is over too: the clock was set back, and no subject should wait for it.
const OVER = `(w.ends_at <= ${NOW} or w.ends_at > excluded.ends_at)`

const COUNT = {
  name: 'rate-count',
  text: `insert into rate_windows as w (name, subject, count, ends_at)
    values ($1, $2, 1, ${NOW} + make_interval(secs => $3))
    on conflict (name, subject) do update set
      count = case when ${OVER} then 1 else w.count + 1 end,
      ends_at = case when ${OVER} then excluded.ends_at else w.ends_at end
    returning count, (extract(epoch from ends_at - ${NOW}) * 1000)::float8 as left`,
}

// One request in a thousand also deletes ended windows, so that the table holds only a few minutes of
// subjects.
const SWEEP_EVERY = 1000
const SWEEP = {
  name: 'rate-sweep',
  text: `delete from rate_windows where ends_at < ${NOW.replace('$4', '$1')}`,
}

/** A rate counter in a table that replicas share, with one upsert a request. */
export class SqlRateCounter implements RateCounter {
  readonly backend = 'postgres'
  readonly #session: Session
  #counted = 0

  constructor(session: Session) {
    this.#session = session
  }

  async count(limit: RateLimit, subjectDigest: string, now?: Date): Promise<RateCount> {
    this.#counted += 1
    if (this.#counted % SWEEP_EVERY === 0) await this.#session.rows(SWEEP, [now])
    const params = [limit.name, subjectDigest, limit.windowSeconds, now]
    const [row] = await this.#session.rows<{ count: number; left: number }>(COUNT, params)
    if (row === undefined) throw new Error('the rate statement returned no row')
    return { count: row.count, windowLeftMs: row.left }
  }
}

/** The store of the feature. */
export const stores = (session: Session): { rates: RateCounter } => ({ rates: new SqlRateCounter(session) })
