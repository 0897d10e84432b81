import { given, instant, maybeInstant, type Session } from '../storage/session.ts'
import type { Agent } from './agent.ts'
import type { AgentChange, AgentsStore, HeartbeatOutcome, HeartbeatWrite } from './agents-store.ts'

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
}

// The columns a heartbeat may change, with their types, in the order of the parameters from $4 on.
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

const inserted = REPORTED.map(([, type], index) => {
  const parameter = `$${index + 4}::${type}`
  return type === 'text' ? `coalesce(${parameter}, '')` : parameter
})
// An absent field keeps its last value; an empty text counts as absent (spec: optional fields are omitted when empty).
const updated = REPORTED.map(([name, type]) => {
  const value = type === 'text' ? `nullif(excluded.${name}, '')` : `excluded.${name}`
  return `${name} = coalesce(${value}, a.${name})`
})

const HEARTBEAT = {
  name: 'agent-heartbeat',
  text: `insert into agents as a (license_id, fingerprint, last_heartbeat, ${REPORTED.map(([name]) => name).join(', ')}, seq, first_seen_at)
    values ($1, $2, coalesce($3::timestamptz, now()), ${inserted.join(', ')}, 1, coalesce($3::timestamptz, now()))
    on conflict (license_id, fingerprint) do update set ${updated.join(', ')}, seq = a.seq + 1,
      last_heartbeat = greatest(a.last_heartbeat, excluded.last_heartbeat)
    returning seq::float8 as seq, coalesce($3::timestamptz, now()) as at, drained_at is not null as drained,
      array(select j.id from jobs j where j.license_id = $1 and j.claimed_by = $2
        and j.cancel_requested_at is not null and j.state in ('claimed', 'running') order by j.id) as cancel`,
}

const LIST = {
  name: 'agent-list',
  // By bytes: the same order whatever the database's locale is.
  text: `select * from agents where $1::text is null or license_id = $1
    order by hostname collate "C", fingerprint collate "C", license_id collate "C"`,
}

const CHANGE = {
  name: 'agent-change',
  text: `update agents set label = coalesce($3::text, label),
      drained_at = case when $4::boolean is null then drained_at when not $4 then null
        else coalesce(drained_at, $5::timestamptz, now()) end
    where license_id = $1 and fingerprint = $2 returning *`,
}

const FORGET = {
  name: 'agent-forget',
  text: 'delete from agents where license_id = $1 and fingerprint = $2 returning fingerprint',
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
})

/** The registry of hosts in SQL. */
export class SqlAgentsStore implements AgentsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async heartbeat(write: HeartbeatWrite, now?: Date): Promise<HeartbeatOutcome> {
    const { licenseId, fingerprint, hostname, version, state, bootId, cpuPct, memPct, diskPct } = write
    const { diskTotalGb, lastCaptureAt, captureSuccess, lastDrillAt, drillPass } = write
    const figures = [
      cpuPct,
      memPct,
      diskPct,
      diskTotalGb,
      lastCaptureAt,
      captureSuccess,
      lastDrillAt,
      drillPass,
    ]
    const [row] = await this.#session.rows<{ seq: number; at: string; drained: boolean; cancel: string[] }>(
      HEARTBEAT,
      [licenseId, fingerprint, now, hostname, version, state, bootId, ...figures],
    )
    if (row === undefined) throw new Error('the heartbeat statement returned no row')
    return { seq: row.seq, at: instant(row.at), cancel: row.cancel, drained: row.drained }
  }

  async list(licenseId?: string): Promise<readonly Agent[]> {
    return (await this.#session.rows<AgentRow>(LIST, [licenseId])).map(toAgent)
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

  async forget(licenseId: string, fingerprint: string): Promise<boolean> {
    return (await this.#session.rows(FORGET, [licenseId, fingerprint])).length > 0
  }
}
