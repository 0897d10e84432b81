import { sql } from 'kysely'
import { Problem } from '../../kernel/problem.ts'
import type { Scope } from '../../kernel/scope.ts'
import { isLicensed } from '../../people/licenses/licenses-store-sql.ts'
import { type Addressing, identity, matched } from '../../platform/database/answers.ts'
import type { Rows, Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { isoOrNull } from '../../platform/database/values.ts'
import { cancelledJobIds } from '../jobs/job-row-sql.ts'
import type { Agent } from './agent.ts'
import { scoped, statement, toAgent } from './agent-tables-sql.ts'
import type { AgentChange, AgentsStore, HeartbeatOutcome, HeartbeatWrite, HostWork } from './agents-store.ts'

export { entities } from './agent-tables-sql.ts'

// The columns that a heartbeat may change, with their types, in the order of the parameters from $5 on.
const REPORTED = [
  ['hostname', 'text'],
  ['version', 'text'],
  ['state', 'text'],
  ['boot_id', 'text'],
  ['cpu_pct', 'float8'],
  ['mem_pct', 'float8'],
  ['disk_pct', 'float8'],
  ['disk_total_gb', 'float8'],
  ['last_capture_at', 'float8'],
  ['capture_success', 'boolean'],
  ['last_drill_at', 'float8'],
  ['drill_pass', 'boolean'],
] as const

// An absent or empty field keeps its last value (spec: optional fields are omitted when empty).
const updated = REPORTED.map(([name, type]) => {
  const value = type === 'text' ? `nullif(excluded.${name}, '')` : `excluded.${name}`
  return `${name} = coalesce(${value}, a.${name})`
})
const NAMES = REPORTED.map(([name]) => name).join(', ')
const inserted = REPORTED.map(([name, type]) => (type === 'text' ? `coalesce(${name}, '')` : name))
const arrays = REPORTED.map(([, type], index) => `$${index + 5}::${type}[]`)
const LICENSED = isLicensed({ licenseId: 'b.license_id', keyDigest: 'b.key_digest', at: 'b.at' })

/**
 * Upserts heartbeats with a usable license, and returns one row for each of them. `drained` and `cancel` are
 * null for most hosts, which costs nothing to parse. Rows are locked in the order of the input.
 */
export const HEARTBEATS = {
  name: 'agent-heartbeats',
  text: `insert into agents as a (license_id, fingerprint, last_heartbeat, ${NAMES}, seq, first_seen_at)
    select license_id, fingerprint, at, ${inserted.join(', ')}, 1, at
    from (select license_id, key_digest, fingerprint, coalesce(given, now()) as at, ${NAMES}
      from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], ${arrays.join(', ')})
        as asked (license_id, key_digest, fingerprint, given, ${NAMES})) b
    where ${LICENSED}
    on conflict (license_id, fingerprint) do update set ${updated.join(', ')}, seq = a.seq + 1,
      last_heartbeat = greatest(a.last_heartbeat, excluded.last_heartbeat)
    returning a.license_id, a.fingerprint, a.seq::float8 as seq, a.drained_at is not null or null as drained, ${cancelledJobIds('a')} as cancel`,
}

/** A heartbeat, with the instant that a test gives it. */
interface HeartbeatItem {
  readonly write: HeartbeatWrite
  readonly now: Date | undefined
}

interface HeartbeatRow {
  readonly license_id: string
  readonly fingerprint: string
  readonly seq: number
  readonly drained: true | null
  readonly cancel: readonly string[] | null
}

// One order for all statements, so that two of them never wait for each other's hosts.
function byHost({ write: one }: HeartbeatItem, { write: other }: HeartbeatItem): number {
  if (one.licenseId !== other.licenseId) return one.licenseId < other.licenseId ? -1 : 1
  return one.fingerprint < other.fingerprint ? -1 : 1
}

const hostOf = ({ write }: HeartbeatItem) => identity(write.licenseId, write.fingerprint)
const ANSWERED: Addressing<HeartbeatItem, HeartbeatRow> = {
  statement: HEARTBEATS.name,
  asker: hostOf,
  addressee: ({ license_id, fingerprint }) => identity(license_id, fingerprint),
}

/** Stores heartbeats of different hosts, in their order; undefined for a host without a usable license. */
export async function heartbeats(
  items: readonly HeartbeatItem[],
  rows: Rows,
): Promise<readonly (HeartbeatOutcome | undefined)[]> {
  const sent = items.toSorted(byHost)
  const params = sent.map(({ write, now }) => [
    write.licenseId,
    write.keyDigest ?? null,
    write.fingerprint,
    isoOrNull(now),
    write.hostname,
    write.version,
    write.state,
    write.bootId ?? null,
    write.cpuPct ?? null,
    write.memPct ?? null,
    write.diskPct ?? null,
    write.diskTotalGb ?? null,
    write.lastCaptureAt ?? null,
    write.captureSuccess ?? null,
    write.lastDrillAt ?? null,
    write.drillPass ?? null,
  ])
  const [first = []] = params
  const columns = first.map((_, column) => params.map((row) => row[column]))
  const answers = matched(ANSWERED, items, await rows<HeartbeatRow>(HEARTBEATS, columns))
  return items.map((item) => outcomeOf(answers.get(item)))
}

const outcomeOf = (row: HeartbeatRow | undefined): HeartbeatOutcome | undefined =>
  row && { seq: row.seq, cancel: row.cancel ?? [], drained: row.drained ?? false }

interface Host {
  readonly licenseId: string
  readonly fingerprint: string
}

const LIST = scoped('agent-list', (tables, _, isOwned) =>
  tables
    .selectFrom('agents')
    .selectAll()
    .where(isOwned)
    .orderBy(sql`hostname collate "C"`)
    .orderBy(sql`fingerprint collate "C"`)
    .orderBy(sql`license_id collate "C"`),
)

const CHANGE = statement(
  'agent-change',
  (tables, { licenseId, fingerprint, label, drained, now }: Host & AgentChange & { now: Date | undefined }) =>
    tables
      .updateTable('agents')
      .set({
        label: sql<string>`coalesce(${label}::text, label)`,
        drained_at: sql<Date>`case when ${drained}::boolean is null then drained_at when not ${drained} then null
          else coalesce(drained_at, ${atOrNow(now)}) end`,
      })
      .where('license_id', '=', licenseId)
      .where('fingerprint', '=', fingerprint)
      .returningAll(),
)

const NOTE_WORK = statement('agent-note-work', (tables, given: Host & HostWork) =>
  tables
    .updateTable('agents')
    .set({ kinds: given.kinds, concurrency: given.concurrency })
    .where('license_id', '=', given.licenseId)
    .where('fingerprint', '=', given.fingerprint)
    .returning('fingerprint'),
)

const IS_KNOWN = statement('agent-is-known', (tables, { licenseId, fingerprint }: Host) =>
  tables
    .selectFrom('agents')
    .select('fingerprint')
    .where('license_id', '=', licenseId)
    .where('fingerprint', '=', fingerprint),
)

const ACCESS_KEY = statement('agent-access-key', (tables, { licenseId, fingerprint }: Host) =>
  tables
    .selectFrom('agents')
    .select('access_key')
    .where('license_id', '=', licenseId)
    .where('fingerprint', '=', fingerprint),
)

const FORGET = {
  name: 'agent-forget',
  text: `delete from agents where license_id = $1 and fingerprint = $2
      and ($3::float8 is null or last_heartbeat is null
        or last_heartbeat < ${at('$4')} - make_interval(secs => $3::float8))
    returning fingerprint`,
}

const TURN_AWAY = {
  name: 'agent-turn-away',
  text: `delete from agents where license_id = $1 and fingerprint = $2 and $3::bigint <
      (select count(*) from (select from agents where license_id = $1 limit $3::bigint + 1) counted)
    returning fingerprint`,
}

/** The registry of hosts in SQL. */
export class SqlAgentsStore implements AgentsStore {
  readonly #session: Session
  readonly #heartbeat: (item: HeartbeatItem) => Promise<HeartbeatOutcome | undefined>

  constructor(session: Session) {
    this.#session = session
    this.#heartbeat = session.batched({
      run: heartbeats,
      mayFlushEarly: () => true,
      serialKeyOf: hostOf,
    })
  }

  async heartbeat(write: HeartbeatWrite, now?: Date): Promise<HeartbeatOutcome> {
    const outcome = await this.#heartbeat({ write, now })
    if (outcome === undefined) throw new Problem('unauthorized')
    return outcome
  }

  async list(scope: Scope): Promise<readonly Agent[]> {
    return (await LIST.run(this.#session, scope, {})).map(toAgent)
  }

  async change(
    licenseId: string,
    fingerprint: string,
    change: AgentChange,
    now?: Date,
  ): Promise<Agent | undefined> {
    return (await CHANGE.run(this.#session, { licenseId, fingerprint, ...change, now })).map(toAgent)[0]
  }

  async noteWork(licenseId: string, fingerprint: string, work: HostWork): Promise<boolean> {
    return (await NOTE_WORK.run(this.#session, { licenseId, fingerprint, ...work })).length > 0
  }

  async accessKey(licenseId: string, fingerprint: string): Promise<string | undefined> {
    const [row] = await ACCESS_KEY.run(this.#session, { licenseId, fingerprint })
    return row?.access_key ?? undefined
  }

  async isKnown(licenseId: string, fingerprint: string): Promise<boolean> {
    return (await IS_KNOWN.run(this.#session, { licenseId, fingerprint })).length > 0
  }

  async turnAway(licenseId: string, fingerprint: string, most: number): Promise<boolean> {
    return (await this.#session.rows(TURN_AWAY, [licenseId, fingerprint, most])).length > 0
  }

  async forget(licenseId: string, fingerprint: string, silentSeconds?: number, now?: Date): Promise<boolean> {
    const params = [licenseId, fingerprint, silentSeconds, now]
    return (await this.#session.rows(FORGET, params)).length > 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { agents: AgentsStore } => ({ agents: new SqlAgentsStore(session) })
