import { idOf } from '../database/scoped-statement.ts'
import type { Session, Statement } from '../database/session.ts'
import { given, instant, maybeInstant } from '../database/values.ts'
import type { Scope } from '../scope.ts'
import {
  type FindingCounts,
  type FindingSeverity,
  type FindingStatus,
  NO_FINDINGS,
  type SurfaceFinding,
} from './surface-finding.ts'
import type { ScanParams, ScanResult, ScanState, SurfaceCheck, SurfaceScan } from './surface-scan.ts'
import type * as port from './surface-scans-store.ts'
import * as sql from './surface-statements-sql.ts'

interface ScanRow {
  readonly id: string
  readonly license_id: string
  readonly domain: string
  readonly state: ScanState
  readonly checks: readonly SurfaceCheck[]
  readonly params: ScanParams
  readonly progress: number
  readonly result: ScanResult | null
  readonly error: string | null
  readonly attempts: number
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

interface FindingRow {
  readonly license_id: string
  readonly domain: string
  readonly fingerprint: string
  readonly id: string
  readonly check: SurfaceCheck
  readonly severity: FindingSeverity
  readonly host: string
  readonly place: string
  readonly url: string | null
  readonly evidence: string
  readonly remediation: string
  readonly status: FindingStatus
  readonly first_seen_at: string
  readonly last_seen_at: string
}

interface WhyRow {
  readonly is_proven: boolean
  readonly active: string | null
  readonly wait_seconds: number
}

const toScan = (row: ScanRow): SurfaceScan => ({
  id: row.id,
  licenseId: row.license_id,
  domain: row.domain,
  state: row.state,
  checks: row.checks,
  params: row.params,
  progress: row.progress,
  result: given(row.result),
  error: given(row.error),
  attempts: row.attempts,
  createdAt: instant(row.created_at),
  startedAt: maybeInstant(row.started_at),
  finishedAt: maybeInstant(row.finished_at),
})

const toFinding = (row: FindingRow): SurfaceFinding => ({
  licenseId: row.license_id,
  domain: row.domain,
  fingerprint: row.fingerprint,
  id: row.id,
  check: row.check,
  severity: row.severity,
  host: row.host,
  place: row.place,
  ...(row.url === null ? {} : { url: row.url }),
  evidence: row.evidence,
  remediation: row.remediation,
  status: row.status,
  firstSeenAt: instant(row.first_seen_at),
  lastSeenAt: instant(row.last_seen_at),
})

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

  get(scope: Scope, id: string): Promise<SurfaceScan | undefined> {
    return this.#scan(sql.GET(scope), [idOf(scope), id])
  }

  last(licenseId: string, domain: string): Promise<SurfaceScan | undefined> {
    return this.#scan(sql.LAST, [licenseId, domain])
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
    const { id, token, leaseSeconds, progress } = renewal
    const params = [id, token, leaseSeconds, progress, now]
    return (await this.#session.rows(sql.RENEW, params)).length > 0
  }

  async giveBack(id: string, token: string): Promise<boolean> {
    return (await this.#session.rows(sql.GIVE_BACK, [id, token])).length > 0
  }

  finish(settlement: port.ScanSettlement, now?: Date): Promise<SurfaceScan | undefined> {
    const { id, token, state, error, result, seen, fixed } = settlement
    const documents = [JSON.stringify(result), JSON.stringify(seen)]
    return this.#scan(sql.FINISH, [id, token, state, error, ...documents, fixed, now])
  }

  async abort(scope: Scope, id: string, reason: string, now?: Date): Promise<SurfaceScan | undefined> {
    return (await this.#scan(sql.ABORT(scope), [idOf(scope), id, reason, now])) ?? this.get(scope, id)
  }

  async findings(scope: Scope, filter: port.FindingFilter): Promise<readonly SurfaceFinding[]> {
    const { domain, status, severity, limit } = filter
    const params = [idOf(scope), domain, status, severity, limit]
    return (await this.#session.rows<FindingRow>(sql.FINDINGS(scope), params)).map(toFinding)
  }

  async counts(licenseId: string, domain: string): Promise<FindingCounts> {
    type Row = { readonly severity: FindingSeverity; readonly count: number }
    const rows = await this.#session.rows<Row>(sql.COUNTS, [licenseId, domain])
    return { ...NO_FINDINGS, ...Object.fromEntries(rows.map(({ severity, count }) => [severity, count])) }
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(sql.PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #scan(statement: Statement, params: readonly unknown[]): Promise<SurfaceScan | undefined> {
    const [row] = await this.#session.rows<ScanRow>(statement, params)
    return row === undefined ? undefined : toScan(row)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { surfaceScans: port.SurfaceScansStore } => ({
  surfaceScans: new SqlSurfaceScansStore(session),
})
