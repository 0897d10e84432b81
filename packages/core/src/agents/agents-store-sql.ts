import { type Addressing, identity, matched } from '../database/answers.ts'
import { idOf, scoped } from '../database/scoped-statement.ts'
import type { Rows, Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { given, instant, isoOrNull, maybeInstant } from '../database/values.ts'
import type { JobKind } from '../jobs/job.ts'
import { cancelledJobIds } from '../jobs/job-row-sql.ts'
import { isLicensed } from '../licenses/licenses-store-sql.ts'
import { Problem } from '../problem.ts'
import type { Scope } from '../scope.ts'
import type { Agent } from './agent.ts'
import type { AgentChange, AgentsStore, HeartbeatOutcome, HeartbeatWrite, HostWork } from './agents-store.ts'

export { entities } from './agent-tables-sql.ts'

interface AgentRow {
  readonly license_id: string
  readonly fingerprint: string
  readonly hostname: string
  readonly label: string
  readonly state: string
  readonly version: string
  readonly boot_id: string
  readonly cpu_pct: number | null
  readonly mem_pct: number | null
  readonly disk_pct: number | null
  readonly disk_total_gb: number | null
  readonly last_capture_at: number | null
  readonly capture_success: boolean | null
  readonly last_drill_at: number | null
  readonly drill_pass: boolean | null
  readonly last_heartbeat: string | null
  readonly drained_at: string | null
  readonly first_seen_at: string
  readonly kinds: readonly JobKind[] | null
  readonly concurrency: number | null
  readonly access_key: string | null
  readonly access_key_at: string | null
  readonly access_refused_at: string | null
}

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

const LIST = scoped(
  'agent-list',
  (isOwned) => `select * from agents where ${isOwned}
    order by hostname collate "C", fingerprint collate "C", license_id collate "C"`,
)

const CHANGE = {
  name: 'agent-change',
  text: `update agents set label = coalesce($3::text, label),
      drained_at = case when $4::boolean is null then drained_at when not $4 then null
        else coalesce(drained_at, ${at('$5')}) end
    where license_id = $1 and fingerprint = $2 returning *`,
}

const NOTE_WORK = {
  name: 'agent-note-work',
  text: `update agents set kinds = $3::text[], concurrency = $4
    where license_id = $1 and fingerprint = $2 returning fingerprint`,
}

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

const toAgent = (row: AgentRow): Agent => ({
  licenseId: row.license_id,
  fingerprint: row.fingerprint,
  hostname: row.hostname,
  label: row.label,
  reportedState: row.state,
  version: row.version,
  bootId: row.boot_id,
  cpuPct: given(row.cpu_pct),
  memPct: given(row.mem_pct),
  diskPct: given(row.disk_pct),
  diskTotalGb: given(row.disk_total_gb),
  lastCaptureAt: given(row.last_capture_at),
  captureSuccess: given(row.capture_success),
  lastDrillAt: given(row.last_drill_at),
  drillPass: given(row.drill_pass),
  lastHeartbeat: maybeInstant(row.last_heartbeat),
  drainedAt: maybeInstant(row.drained_at),
  firstSeenAt: instant(row.first_seen_at),
  kinds: given(row.kinds),
  concurrency: given(row.concurrency),
  accessKey: given(row.access_key),
  accessKeyAt: maybeInstant(row.access_key_at),
  accessRefusedAt: maybeInstant(row.access_refused_at),
})

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
    return (await this.#session.rows<AgentRow>(LIST(scope), [idOf(scope)])).map(toAgent)
  }

  async change(
    licenseId: string,
    fingerprint: string,
    change: AgentChange,
    now?: Date,
  ): Promise<Agent | undefined> {
    const params = [licenseId, fingerprint, change.label, change.drained, now]
    const [row] = await this.#session.rows<AgentRow>(CHANGE, params)
    return row === undefined ? undefined : toAgent(row)
  }

  async noteWork(licenseId: string, fingerprint: string, work: HostWork): Promise<boolean> {
    const params = [licenseId, fingerprint, work.kinds, work.concurrency]
    return (await this.#session.rows(NOTE_WORK, params)).length > 0
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
