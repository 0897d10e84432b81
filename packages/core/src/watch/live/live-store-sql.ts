import { idOf } from '../../platform/database/scoped-statement.ts'
import type { Session } from '../../platform/database/session.ts'
import type { LiveStore, LiveSubject } from './live-store.ts'
import { TOPICS } from './live-topics-sql.ts'

// The planner makes a plan of each branch once, and runs those that somebody asks for.
const BRANCHES = Object.entries(TOPICS).flatMap(([topic, forms]) =>
  Object.entries(forms).map(([of, text]) => `when '${topic} ${of}' then ${text}`),
)
const VERSIONS = {
  name: 'live-versions',
  text: `select case asked.form ${BRANCHES.join('\n')} end as version
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality asked (form, owner, key, place) order by place`,
}
const LOG_ENDS = {
  name: 'live-log-ends',
  text: `select coalesce((select c.first_line + c.lines from job_log_chunks c where c.job_id = asked.id
      order by c.first_line desc limit 1), 0) as lines
    from unnest($1::text[]) with ordinality asked (id, place) order by place`,
}

/** Looks at what open pages show, in SQL. */
export class SqlLiveStore implements LiveStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async versions(
    subjects: readonly LiveSubject[],
    silentSeconds: number,
    now?: Date,
  ): Promise<readonly (string | undefined)[]> {
    const found = await this.#session.rows<{ readonly version: string | null }>(VERSIONS, [
      subjects.map(({ topic, scope }) => `${topic} ${scope.of}`),
      subjects.map(({ scope }) => idOf(scope) ?? null),
      subjects.map(({ key }) => key ?? null),
      silentSeconds,
      now,
    ])
    return found.map(({ version }) => version ?? undefined)
  }

  async logEnds(jobs: readonly string[]): Promise<readonly number[]> {
    const found = await this.#session.rows<{ readonly lines: number }>(LOG_ENDS, [jobs])
    return found.map(({ lines }) => lines)
  }
}

/** It has no tables of its own. */
export const entities: readonly never[] = []

/** The store of the feature. */
export const stores = (session: Session): { live: LiveStore } => ({ live: new SqlLiveStore(session) })
