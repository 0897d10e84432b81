import type { Scope } from '../../kernel/scope.ts'
import type { AgentKeyProof } from '../../work/agents/agent-proof.ts'
import type { AccessSession, AgentKeyRule, RelayRole } from './access-session.ts'

/** A new session, which is pending. */
export type NewAccessSession = Pick<
  AccessSession,
  | 'id'
  | 'licenseId'
  | 'fingerprint'
  | 'hostname'
  | 'operatorKind'
  | 'operatorId'
  | 'operatorLabel'
  | 'mode'
  | 'user'
  | 'command'
  | 'shownCommand'
  | 'cols'
  | 'rows'
  | 'term'
  | 'reason'
  | 'ip'
  | 'relay'
> & {
  /** The one token of the operator that is good. */
  readonly operatorJti: string
  /** Seconds that a host has to claim it. */
  readonly pendingSeconds: number
}

/** Most live sessions. */
export interface AccessLimits {
  /** Sessions of one host. */
  readonly perHost: number
  /** Sessions of all hosts. */
  readonly total: number
  /** Limits on sessions of tenants' people; absent for a session of anybody else. */
  readonly ofTenants?: { readonly perLicense: number; readonly total: number } | undefined
}

/** A host. */
export interface AccessHost {
  readonly licenseId: string
  readonly fingerprint: string
}

/** A session that was handed to its host, and the one token of the host that is good from now on. */
export interface DeliveredSession {
  readonly session: AccessSession
  readonly agentJti: string
}

/**
 * The verdict on a proof: `unknown`: there is no such host · `accepted` · `pinned`: the host's first key ·
 * `mismatch`: another key than the pinned one, or none · `replayed`: not newer than the last one.
 */
export type KeyVerdict = 'unknown' | 'accepted' | 'pinned' | 'mismatch' | 'replayed'

/** The outcome of a token at the relay. */
export type Admission =
  | { readonly session: AccessSession; readonly refusal?: undefined }
  | { readonly refusal: 'unknown' | 'consumed' | 'ended'; readonly session?: undefined }

/** How a session ended, as its relay saw it. */
export interface AccessEnd {
  readonly reason: string
  readonly exitCode: number | undefined
  readonly bytesIn: number
  readonly bytesOut: number
}

/** The rule for the key of a host, and the kinds of sessions that the host says it carries. */
export interface HostMeeting {
  readonly rule: AgentKeyRule
  readonly modes?: readonly string[] | undefined
}

/** Which sessions to list. */
export interface AccessFilter {
  readonly fingerprint?: string | undefined
  /** Only sessions that are not over. */
  readonly active: boolean
  readonly limit: number
}

/** Roles that may hold a session open, for platform staff and for people of a tenant. */
export interface Holders {
  readonly staff: readonly string[]
  readonly tenant: readonly string[]
}

/** Roles that may hold sessions open: those for shells, and those for the output of apps. */
export interface HoldingRoles extends Holders {
  readonly logs: Holders
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly accessSessions: AccessSessionsStore
  }
}

/** Storage of sessions on hosts, and of the keys that hosts ask for them with. */
export interface AccessSessionsStore {
  /**
   * Adds a session unless its host, all hosts, or the people of tenants have as many live ones as they may;
   * then it returns undefined. To be called in a transaction, where additions wait for each other.
   */
  open(session: NewAccessSession, limits: AccessLimits, now?: Date): Promise<AccessSession | undefined>
  /**
   * Hands the sessions of a host to it, oldest first and at most one for each of `jtis`: those that are
   * pending, and those that it has been handed before without coming to the relay. The former token is void.
   */
  claim(host: AccessHost, jtis: readonly string[], now?: Date): Promise<readonly DeliveredSession[]>
  /** Hosts that a claim would hand a session. */
  due(now?: Date): Promise<readonly AccessHost[]>
  /** Uses a token up, if it is the good one of its side and the session may still begin. */
  admit(id: string, role: RelayRole, jti: string, now?: Date): Promise<Admission>
  /** Both sides are there; false if the session is over meanwhile. */
  connected(id: string, now?: Date): Promise<boolean>
  /**
   * Ends a session; one that no host came for is `expired`. A session that was revoked stays that, and gets
   * its figures. Returns it if this call has changed it.
   */
  end(id: string, end: AccessEnd, now?: Date): Promise<AccessSession | undefined>
  /** Revokes a live session of the scope. Returns undefined if there is none. */
  revoke(scope: Scope, id: string, now?: Date): Promise<AccessSession | undefined>
  /**
   * Says for a relay that it holds these sessions, revokes those whose license is closed, whose operator no
   * longer has one of `roles` or whose API token is over, and returns the ids of those that are over.
   */
  over(ids: readonly string[], roles: HoldingRoles, now?: Date): Promise<readonly string[]>
  /** Ends sessions that never connected in time or that no relay reports any more. Returns the number. */
  sweep(tokenSeconds: number, now?: Date): Promise<number>
  get(scope: Scope, id: string): Promise<AccessSession | undefined>
  /** Lists the sessions of the scope, newest first. */
  list(scope: Scope, filter: AccessFilter): Promise<readonly AccessSession[]>
  /**
   * Judges the key of a host, and keeps the first one. A refusal is noted on the host; else the kinds of
   * sessions are that it carries, undefined if it does not say.
   */
  meet(
    host: AccessHost,
    proof: AgentKeyProof | undefined,
    { rule, modes }: HostMeeting,
    now?: Date,
  ): Promise<KeyVerdict>
  /** Forgets the key of a host, so that its next one is kept; false if there is no such host. */
  resetKey(host: AccessHost): Promise<boolean>
}
