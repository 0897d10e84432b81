import { unixSeconds } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { redact } from '../../kernel/redaction/redactor.ts'
import { ofLicense, PLATFORM, type Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Agent, agentId } from '../../work/agents/agent.ts'
import { checkProof } from '../../work/agents/agent-proof.ts'
import type { AccessMetrics } from './access-metrics.ts'
import { AccessRefusal } from './access-refusal.ts'
import type { AccessTicket, OpenAccess, PendingAnswer, PendingRequest } from './access-request.ts'
import { accessLimits, noRoom } from './access-room.ts'
import {
  type AccessMode,
  type AccessSession,
  isShell,
  MAX_DELIVERED,
  REACH_SECONDS,
  type RelayRole,
} from './access-session.ts'
import type { AccessFilter, AccessHost } from './access-sessions-store.ts'
import type { AccessWaiters } from './access-waiters.ts'
import { type RelayLack, relayLack, relayOf } from './relay-place.ts'
import { noRelay, RELAY_TYP, relayClaims } from './relay-token.ts'

/** Dependencies of `Access`. */
export interface AccessParts
  extends Pick<Base, 'storage' | 'clock' | 'ids' | 'log' | 'timers' | 'relaySigner'> {
  readonly config: Pick<Config, 'relay' | 'access' | 'faults' | 'service'>
  readonly waiters: AccessWaiters
  readonly metrics: AccessMetrics
}

const NEXT_POLL_SECONDS = 5
/** While there is no relay, hosts ask seldom. */
const UNCONFIGURED_POLL_SECONDS = 300
const JTI_BYTES = 16

/** Sessions of operators on hosts: opened here, fetched by the host, and carried by a relay. */
export class Access {
  readonly #parts: AccessParts

  constructor(parts: AccessParts) {
    this.#parts = parts
  }

  /** Why sessions cannot be had; undefined if a relay is configured. */
  get lack(): RelayLack | undefined {
    return relayLack(this.#parts.config, this.#parts.relaySigner.status)
  }

  /** @throws Problem `relay-not-configured` */
  requireRelay(): void {
    if (this.lack !== undefined) throw noRelay()
  }

  /**
   * Opens a session, which waits for its host, and returns the operator's ticket.
   * @throws Problem `relay-not-configured`, `conflict` for a host whose agent does not know the kind;
   * AccessRefusal for a host that is offline, or with too many sessions
   */
  async open(asked: OpenAccess): Promise<AccessTicket> {
    this.requireRelay()
    const { storage, clock, ids, config, metrics } = this.#parts
    const { host, operator, command, isOfTenant, ...rest } = asked
    const limits = accessLimits(config.relay, isOfTenant)
    const { licenseId, fingerprint, hostname } = host
    requireReach(host, clock.now())
    requireMode(host, asked.mode)
    const id = ids.next('acs')
    const operatorJti = ids.secret(JTI_BYTES)
    const shownCommand = command === undefined ? undefined : redact(command)
    const session = await storage.transaction(async ({ accessSessions }) => {
      // Sessions that nobody holds any more take no room.
      await accessSessions.sweep(config.access.tokenSeconds, clock.statementTime())
      return accessSessions.open(
        {
          ...{
            ...rest,
            ...operator,
            id,
            licenseId,
            fingerprint,
            hostname,
            command,
            shownCommand,
            operatorJti,
          },
          relay: relayOf(config.relay.urls, id),
          pendingSeconds: config.access.pendingSeconds,
        },
        limits,
        clock.statementTime(),
      )
    })
    if (session === undefined) {
      const seen = isOfTenant ? ofLicense(licenseId) : PLATFORM
      const live = await this.list(seen, { active: true, limit: limits.total })
      throw new AccessRefusal(
        'too-many',
        noRoom({ id: agentId(fingerprint), licenseId, fingerprint }, live, limits),
      )
    }
    metrics.opened(session.mode)
    return this.#ticket(session, 'operator', operatorJti)
  }

  /**
   * Hands a host its sessions, and lets it wait for them.
   * @throws Problem `agent-not-owned`, `agent-key-mismatch`
   */
  async pending(asked: PendingRequest): Promise<PendingAnswer> {
    if (this.lack !== undefined) {
      // Without a relay the key is kept all the same: it opens the variables of apps. Nothing is refused.
      await this.#requireKey(asked).catch((refusal) => {
        if (!(refusal instanceof Problem)) throw refusal
      })
      return { tickets: [], nextPoll: UNCONFIGURED_POLL_SECONDS }
    }
    await this.#requireKey(asked)
    const { waiters, config, timers } = this.#parts
    let tickets = await this.#claim(asked)
    const end = timers.elapsedMs() + 1000 * asked.waitSeconds
    while (tickets.length === 0 && !asked.gone.aborted) {
      const left = end - timers.elapsedMs()
      if (left <= 0 || waiters.isClosed || waiters.size >= config.access.maxWaiters) break
      await waiters.wait(asked, left, asked.gone)
      // One that has gone could not take it.
      if (!asked.gone.aborted) tickets = await this.#claim(asked)
    }
    return { tickets, nextPoll: NEXT_POLL_SECONDS }
  }

  /** Lists the sessions of a scope, newest first. */
  list(scope: Scope, filter: AccessFilter): Promise<readonly AccessSession[]> {
    return this.#parts.storage.accessSessions.list(scope, filter)
  }

  /**
   * Ends a session of a scope; its relay cuts it within two seconds.
   * @throws Problem `not-found` unless it is live
   */
  async revoke(scope: Scope, id: string): Promise<AccessSession> {
    const { storage, clock } = this.#parts
    const session = await storage.accessSessions.revoke(scope, id, clock.statementTime())
    if (session !== undefined) return session
    throw new Problem('not-found', {
      detail: 'there is no such session under way: svc ssh sessions --active shows them',
    })
  }

  /**
   * Forgets the key of a host: the next one that it shows is kept.
   * @throws Problem `not-found`
   */
  async resetKey(host: AccessHost): Promise<void> {
    if (!(await this.#parts.storage.accessSessions.resetKey(host)))
      throw new Problem('not-found', { detail: 'the host was forgotten meanwhile' })
  }

  /** Ends sessions that never connected or that no relay reports. Returns the number. */
  sweep(): Promise<number> {
    const { storage, clock, config } = this.#parts
    return storage.accessSessions.sweep(config.access.tokenSeconds, clock.statementTime())
  }

  async #requireKey({ headers, modes, ...host }: PendingRequest): Promise<void> {
    const { storage, clock, config, metrics } = this.#parts
    const { agentKey: rule } = config.access
    const proof = checkProof(headers, host.fingerprint, clock.now())
    const now = clock.statementTime()
    const { accessSessions } = storage
    const isBad = proof === 'bad' && rule !== 'off'
    // Treat a bad proof as no proof, even on first contact.
    const verdict = await accessSessions.meet(
      host,
      typeof proof === 'string' ? undefined : proof,
      { rule: isBad ? 'require' : rule, modes },
      now,
    )
    if (verdict === 'unknown') throw new Problem('agent-not-owned')
    if (verdict === 'accepted' || verdict === 'pinned') return
    metrics.keyRefused()
    throw new Problem('agent-key-mismatch')
  }

  async #claim({ licenseId, fingerprint }: AccessHost): Promise<readonly AccessTicket[]> {
    const { storage, clock, ids } = this.#parts
    const jtis = Array.from({ length: MAX_DELIVERED }, () => ids.secret(JTI_BYTES))
    const host = { licenseId, fingerprint }
    const delivered = await storage.accessSessions.claim(host, jtis, clock.statementTime())
    return Promise.all(delivered.map(({ session, agentJti }) => this.#ticket(session, 'agent', agentJti)))
  }

  async #ticket(session: AccessSession, role: RelayRole, jti: string): Promise<AccessTicket> {
    const { relaySigner, clock, config } = this.#parts
    const { id: sid, relay, licenseId, fingerprint, mode } = session
    const { maxSeconds } = config.relay
    // A person who follows an app types nothing.
    const idleSeconds = mode === 'logs' ? maxSeconds : config.relay.idleSeconds
    const claims = relayClaims({
      sid,
      role,
      jti,
      relay,
      licenseId,
      fingerprint,
      mode,
      maxSeconds,
      idleSeconds,
      lifeSeconds: config.access.tokenSeconds,
      now: clock.now(),
    })
    const token = await relaySigner.signAsync(RELAY_TYP, claims)
    const expires = new Date(1000 * claims.exp)
    return { session, token, expires, relayUrl: `${relay}/relay/v1/${role}`, idleSeconds, maxSeconds }
  }
}

/** An agent that does not know a kind of sessions passes over those of that kind: nobody would hear of it. */
function requireMode({ hostname, fingerprint, accessModes }: Agent, mode: AccessMode): void {
  if (isShell(mode) || accessModes?.includes(mode)) return
  const name = hostname || agentId(fingerprint)
  throw new Problem('conflict', {
    detail: `the agent of ${name} is too old for sessions of mode ${mode}: upgrade it`,
  })
}

function requireReach({ fingerprint, lastHeartbeat }: Agent, now: Date): void {
  if (now.getTime() - (lastHeartbeat?.getTime() ?? 0) <= 1000 * REACH_SECONDS) return
  const id = agentId(fingerprint)
  const detail = `host ${id} is offline: svc fleet show ${id} says since when`
  throw new AccessRefusal('offline', detail, unixSeconds(lastHeartbeat))
}
