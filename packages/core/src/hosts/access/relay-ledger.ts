import type { Clock } from '../../kernel/clock.ts'
import { ADMIN_ROLES, may, type Permission, TENANT_ROLES } from '../../platform/operations/permission.ts'
import type { AccessSession } from './access-session.ts'
import type { AccessEnd, AccessSessionsStore, Holders, HoldingRoles } from './access-sessions-store.ts'
import type { CheckedTicket } from './relay-token.ts'

/** The part of a session that a relay is told when it admits one side. */
export type AdmittedSession = Pick<AccessSession, 'cols' | 'rows' | 'term'>

/** The outcome of a ticket. */
export type TicketOutcome =
  | { readonly session: AdmittedSession; readonly refusal?: undefined }
  | {
      readonly refusal: 'session not found' | 'token consumed' | 'session ended'
      readonly session?: undefined
    }

/** A relay's record of its sessions. */
export interface RelayLedger {
  /** Uses a ticket up. */
  admit(ticket: CheckedTicket): Promise<TicketOutcome>
  /** Both sides are there; false if the session is over meanwhile. */
  connected(sid: string): Promise<boolean>
  end(sid: string, end: AccessEnd): Promise<void>
  /** Returns the held sessions that are over. */
  over(sids: readonly string[]): Promise<readonly string[]>
}

const holdersOf = (permission: Permission): Holders => ({
  staff: ADMIN_ROLES.filter((role) => may({ role, tenantId: undefined }, permission)),
  tenant: TENANT_ROLES.filter((role) => may({ role, tenantId: 'ten' }, permission)),
})

/** Roles that may open sessions, and whose loss ends them. */
export const SSH_ROLES: HoldingRoles = {
  ...holdersOf('platform.ssh'),
  logs: holdersOf('platform.deploy'),
}

const REFUSALS = {
  unknown: 'session not found',
  consumed: 'token consumed',
  ended: 'session ended',
} as const

/** The ledger of a relay that reaches the service's database. */
export class StoredLedger implements RelayLedger {
  readonly #store: AccessSessionsStore
  readonly #clock: Clock

  constructor(store: AccessSessionsStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async admit({ sid, role, jti }: CheckedTicket): Promise<TicketOutcome> {
    const { session, refusal } = await this.#store.admit(sid, role, jti, this.#clock.statementTime())
    return session === undefined ? { refusal: REFUSALS[refusal] } : { session }
  }

  connected(sid: string): Promise<boolean> {
    return this.#store.connected(sid, this.#clock.statementTime())
  }

  async end(sid: string, end: AccessEnd): Promise<void> {
    await this.#store.end(sid, end, this.#clock.statementTime())
  }

  over(sids: readonly string[]): Promise<readonly string[]> {
    return this.#store.over(sids, SSH_ROLES, this.#clock.statementTime())
  }
}

/** Longest time that a used ticket is remembered: longer than any ticket is good. */
const KEPT_MS = 3_600_000
const PLAIN: AdmittedSession = { cols: 80, rows: 24, term: 'xterm-256color' }

/**
 * The ledger of a relay without a database: it remembers used tickets itself. Sessions are not noted as
 * connected or ended, and revoking them has no effect here.
 */
export class MemoryLedger implements RelayLedger {
  readonly #clock: Clock
  readonly #used = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async admit({ sid, role, jti }: CheckedTicket): Promise<TicketOutcome> {
    const now = this.#clock.now().getTime()
    // They are in the order of their use.
    for (const [key, usedMs] of this.#used) {
      if (usedMs > now - KEPT_MS) break
      this.#used.delete(key)
    }
    const keys = [`jti ${jti}`, `${role} ${sid}`]
    if (keys.some((key) => this.#used.has(key))) return { refusal: 'token consumed' }
    for (const key of keys) this.#used.set(key, now)
    return { session: PLAIN }
  }

  async connected(): Promise<boolean> {
    return true
  }

  async end(): Promise<void> {}

  async over(): Promise<readonly string[]> {
    return []
  }
}
