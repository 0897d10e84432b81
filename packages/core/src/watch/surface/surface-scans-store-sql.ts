import type { Scope } from '../../kernel/scope.ts'
import type { Session, Statement } from '../../platform/database/session.ts'
import { type FindingCounts, NO_FINDINGS, type SurfaceFinding } from './surface-finding.ts'
import type { SurfaceScan } from './surface-scan.ts'
import type * as port from './surface-scans-store.ts'
import * as sql from './surface-statements-sql.ts'
import { toFinding, toScan } from './surface-tables-sql.ts'

interface WhyRow {
  readonly is_proven: boolean
  readonly active: string | null
  readonly wait_seconds: number
}

/** Scans and findings in SQL. */
export class SqlSurfaceScansStore implements port.SurfaceScansStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async start(scan: port.NewScan, now?: Date): Promise<port.StartOutcome> {
    const { id, licenseId, domain, checks, params, perHour, perDay } = scan
    const asked = [id, licenseId, domain, checks, JSON.stringify(params), perHour, perDay, now]
    const queued = await this.#scan(sql.START, asked)
    if (queued !== undefined) return { outcome: 'queued', scan: queued }
    const [why] = await this.#session.rows<WhyRow>(sql.WHY_NOT, [licenseId, domain, perHour, perDay, now])
    if (why === undefined || !why.is_proven) return { outcome: 'unproven' }
    if (why.active !== null) return { outcome: 'running', id: why.active }
    return { outcome: 'limited', retryAfterSeconds: Math.ceil(why.wait_seconds) }
  }

  async get(scope: Scope, id: string): Promise<SurfaceScan | undefined> {
    return (await sql.GET.run(this.#session, scope, { id })).map(toScan)[0]
  }

  async last(licenseId: string, domain: string): Promise<SurfaceScan | undefined> {
    return (await sql.LAST.run(this.#session, { licenseId, domain })).map(toScan)[0]
  }

  take(
    request: { token: string; leaseSeconds: number; mostRunning: number; attempts: number },
    now?: Date,
  ): Promise<SurfaceScan | undefined> {
    const { token, leaseSeconds, mostRunning, attempts } = request
    return this.#scan(sql.TAKE, [token, leaseSeconds, mostRunning, attempts, now])
  }

  async renew(
    renewal: { id: string; token: string; leaseSeconds: number; progress: number },
    now?: Date,
  ): Promise<boolean> {
    return (await sql.RENEW.run(this.#session, { ...renewal, now })).length > 0
  }

  async giveBack(id: string, token: string): Promise<boolean> {
    return (await sql.GIVE_BACK.run(this.#session, { id, token })).length > 0
  }

  finish(settlement: port.ScanSettlement, now?: Date): Promise<SurfaceScan | undefined> {
    const { id, token, state, error, result, seen, fixed } = settlement
    const documents = [JSON.stringify(result), JSON.stringify(seen)]
    return this.#scan(sql.FINISH, [id, token, state, error, ...documents, fixed, now])
  }

  async abort(scope: Scope, id: string, reason: string, now?: Date): Promise<SurfaceScan | undefined> {
    const [aborted] = (await sql.ABORT.run(this.#session, scope, { id, reason, now })).map(toScan)
    return aborted ?? this.get(scope, id)
  }

  async findings(scope: Scope, filter: port.FindingFilter): Promise<readonly SurfaceFinding[]> {
    return (await sql.FINDINGS.run(this.#session, scope, filter)).map(toFinding)
  }

  async counts(licenseId: string, domain: string): Promise<FindingCounts> {
    const rows = await sql.COUNTS.run(this.#session, { licenseId, domain })
    return { ...NO_FINDINGS, ...Object.fromEntries(rows.map(({ severity, count }) => [severity, count])) }
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(sql.PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #scan(statement: Statement, params: readonly unknown[]): Promise<SurfaceScan | undefined> {
    return (await this.#session.rows<object>(statement, params)).map(toScan)[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { surfaceScans: port.SurfaceScansStore } => ({
  surfaceScans: new SqlSurfaceScansStore(session),
})
