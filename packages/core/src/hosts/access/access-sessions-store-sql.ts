import type { Scope } from '../../kernel/scope.ts'
import type { Session } from '../../platform/database/session.ts'
import type { AgentKeyProof } from '../../work/agents/agent-proof.ts'
import { type AccessSession, type AccessState, isLive, type RelayRole } from './access-session.ts'
import type {
  AccessEnd,
  AccessFilter,
  AccessHost,
  AccessLimits,
  AccessSessionsStore,
  Admission,
  DeliveredSession,
  HoldingRoles,
  HostMeeting,
  KeyVerdict,
  NewAccessSession,
} from './access-sessions-store.ts'
import {
  ADMIT,
  CLAIM,
  CONNECTED,
  DUE,
  END,
  GET,
  LIST,
  MEET,
  OPEN,
  OPENING,
  OVER,
  RESET_KEY,
  REVOKE,
  SWEEP,
} from './access-statements-sql.ts'
import { toSession } from './access-tables-sql.ts'

export { entities } from './access-tables-sql.ts'

const first = (rows: readonly object[]): AccessSession | undefined => rows.map(toSession)[0]

/** Sessions on hosts in SQL. */
export class SqlAccessSessionsStore implements AccessSessionsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async open(
    session: NewAccessSession,
    limits: AccessLimits,
    now?: Date,
  ): Promise<AccessSession | undefined> {
    await this.#session.rows(OPENING, [])
    const { id, licenseId, fingerprint, hostname, operatorKind, operatorId, operatorLabel } = session
    const { mode, user, command, shownCommand, cols, rows, term, reason, ip, relay } = session
    const params = [
      ...[id, licenseId, fingerprint, hostname, operatorKind, operatorId, operatorLabel],
      ...[mode, user, command, shownCommand, cols, rows, term, reason, ip, relay],
      ...[session.operatorJti, session.pendingSeconds, limits.perHost, limits.total, now],
      ...[limits.ofTenants?.perLicense ?? null, limits.ofTenants?.total ?? null],
    ]
    return first(await this.#session.rows<object>(OPEN, params))
  }

  async claim(
    { licenseId, fingerprint }: AccessHost,
    jtis: readonly string[],
    now?: Date,
  ): Promise<readonly DeliveredSession[]> {
    type Row = { readonly agent_jti: string | null }
    const claimed = await this.#session.rows<Row>(CLAIM, [licenseId, fingerprint, jtis, now])
    return claimed.map((row) => ({ session: toSession(row), agentJti: row.agent_jti ?? '' }))
  }

  async due(now?: Date): Promise<readonly AccessHost[]> {
    const rows = await this.#session.rows<{ license_id: string; fingerprint: string }>(DUE, [now])
    return rows.map((row) => ({ licenseId: row.license_id, fingerprint: row.fingerprint }))
  }

  async admit(id: string, role: RelayRole, jti: string, now?: Date): Promise<Admission> {
    type Row = { readonly admitted: boolean; readonly state: AccessState }
    const [row] = await this.#session.rows<Row>(ADMIT, [id, role, jti, now])
    if (row === undefined) return { refusal: 'unknown' }
    if (row.admitted) return { session: toSession(row) }
    return { refusal: isLive(row.state) ? 'consumed' : 'ended' }
  }

  async connected(id: string, now?: Date): Promise<boolean> {
    return (await CONNECTED.run(this.#session, { id, now })).length > 0
  }

  async end(
    id: string,
    { reason, exitCode, bytesIn, bytesOut }: AccessEnd,
    now?: Date,
  ): Promise<AccessSession | undefined> {
    return first(await this.#session.rows<object>(END, [id, reason, exitCode, bytesIn, bytesOut, now]))
  }

  async revoke(scope: Scope, id: string, now?: Date): Promise<AccessSession | undefined> {
    return first(await REVOKE.run(this.#session, scope, { id, now }))
  }

  async over(
    ids: readonly string[],
    { staff, tenant, logs }: HoldingRoles,
    now?: Date,
  ): Promise<readonly string[]> {
    const roles = [staff, tenant, logs.staff, logs.tenant].map((each) => each.join(' '))
    const params = [ids, roles[0], roles[1], now, roles[2], roles[3]]
    return (await this.#session.rows<{ id: string }>(OVER, params)).map(({ id }) => id)
  }

  async sweep(tokenSeconds: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ swept: number }>(SWEEP, [tokenSeconds, now])
    return row?.swept ?? 0
  }

  async get(scope: Scope, id: string): Promise<AccessSession | undefined> {
    return first(await GET.run(this.#session, scope, { id }))
  }

  async list(scope: Scope, filter: AccessFilter): Promise<readonly AccessSession[]> {
    return (await LIST.run(this.#session, scope, filter)).map(toSession)
  }

  async meet(
    { licenseId, fingerprint }: AccessHost,
    proof: AgentKeyProof | undefined,
    { rule, modes }: HostMeeting,
    now?: Date,
  ): Promise<KeyVerdict> {
    const params = [licenseId, fingerprint, proof?.key ?? null, proof?.atMs ?? null, rule, now, modes ?? null]
    const [row] = await this.#session.rows<{ verdict: KeyVerdict }>(MEET, params)
    return row?.verdict ?? 'unknown'
  }

  async resetKey(host: AccessHost): Promise<boolean> {
    return (await RESET_KEY.run(this.#session, host)).length > 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { accessSessions: AccessSessionsStore } => ({
  accessSessions: new SqlAccessSessionsStore(session),
})
