import type { Scope } from '@svc/core'
import {
  type AccessEnd,
  type AccessHost,
  type AccessLimits,
  type AccessSession,
  type AccessSessionsStore,
  type Admission,
  type AgentKeyProof,
  type ApiToken,
  DEPLOY_MODES,
  type HoldingRoles,
  type HostMeeting,
  isLive,
  isUsable,
  type NewAccessSession,
  REDELIVER_SECONDS,
  RELAY_LOST_SECONDS,
  type RelayRole,
  SEEN_SECONDS,
  type User,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import type { MemoryToken } from '../../people/api-tokens/memory-tokens.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import { agentKey } from '../../work/agents/agents-store-memory.ts'
import { meet, resetKey } from './agent-key-memory.ts'

/** A session as the fake stores it. */
interface Kept extends AccessSession {
  readonly operatorJti: string
  readonly agentJti: string | undefined
  readonly operatorAt: Date | undefined
  readonly agentAt: Date | undefined
  readonly seenAt: Date | undefined
}

const shown = ({ operatorJti: _, agentJti: __, operatorAt, agentAt, seenAt, ...session }: Kept) =>
  session as AccessSession

const isOlder = (instant: Date | undefined, seconds: number, now: Date): boolean =>
  instant !== undefined && instant.getTime() < now.getTime() - 1000 * seconds

const oldestFirst = (one: Kept, other: Kept): number =>
  one.createdAt.getTime() - other.createdAt.getTime() || byBytes(one.id, other.id)

const isDue = ({ state, agentAt, claimedAt, expiresAt }: Kept, now: Date): boolean =>
  expiresAt > now &&
  (state === 'pending' ||
    (state === 'claimed' && agentAt === undefined && isOlder(claimedAt, REDELIVER_SECONDS, now)))

/** Sessions on hosts in memory. */
export function memoryAccessSessionsStore(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): AccessSessionsStore {
  const sessions = tables.of<Kept>('accessSessions')
  const within = (scope: Scope) => sessions.all().filter((session) => isWithin(tables, scope, session))
  const put = (session: Kept) => {
    sessions.put(session.id, session)
    return shown(session)
  }
  const live = () => sessions.all().filter(({ state }) => isLive(state))
  return {
    open: (session: NewAccessSession, limits: AccessLimits, now = time()) =>
      run(() => {
        const { operatorJti, pendingSeconds, ...given } = session
        const others = live()
        const ofHost = others.filter((each) => isOf(session, each))
        if (others.length >= limits.total || ofHost.length >= limits.perHost) return undefined
        const ofTenants = others.filter((each) => isOfTenant(tables, each))
        const ofLicense = ofTenants.filter((each) => each.licenseId === session.licenseId)
        const { perLicense, total } = limits.ofTenants ?? NO_LIMITS
        if (ofLicense.length >= perLicense || ofTenants.length >= total) return undefined
        if (sessions.get(given.id) !== undefined) throw new Error('there is a session with this id already')
        const expiresAt = new Date(now.getTime() + 1000 * pendingSeconds)
        return put({ ...given, operatorJti, createdAt: now, expiresAt, ...UNBEGUN })
      }),
    claim: (host: AccessHost, jtis: readonly string[], now = time()) =>
      run(() =>
        live()
          .filter((each) => isOf(host, each) && isDue(each, now))
          .sort(oldestFirst)
          .slice(0, jtis.length)
          .map((each, place) => {
            const agentJti = jtis[place] ?? ''
            return { session: put({ ...each, state: 'claimed', claimedAt: now, agentJti }), agentJti }
          }),
      ),
    due: (now = time()) =>
      run(() => {
        const hosts = live()
          .filter((each) => isDue(each, now))
          .map(({ licenseId, fingerprint }) => ({ licenseId, fingerprint }))
        const byKey = new Map(hosts.map((host) => [agentKey(host.licenseId, host.fingerprint), host]))
        return [...byKey.values()].sort(
          (one, other) =>
            byBytes(one.licenseId, other.licenseId) || byBytes(one.fingerprint, other.fingerprint),
        )
      }),
    admit: (id: string, role: RelayRole, jti: string, now = time()) =>
      run((): Admission => {
        const session = sessions.get(id)
        if (session === undefined) return { refusal: 'unknown' }
        if (!isLive(session.state)) return { refusal: 'ended' }
        const isAgent = role === 'agent'
        const [good, used] = isAgent
          ? [session.agentJti, session.agentAt]
          : [session.operatorJti, session.operatorAt]
        if (session.state === 'connected' || good !== jti || used !== undefined)
          return { refusal: 'consumed' }
        const taken = isAgent ? { agentAt: now } : { operatorAt: now }
        return { session: put({ ...session, ...taken, seenAt: now }) }
      }),
    connected: (id: string, now = time()) =>
      run(() => {
        const session = sessions.get(id)
        if (session?.state !== 'claimed' || !session.agentAt || !session.operatorAt) return false
        put({ ...session, state: 'connected', connectedAt: now, seenAt: now })
        return true
      }),
    end: (id: string, end: AccessEnd, now = time()) =>
      run(() => {
        const session = sessions.get(id)
        if (session === undefined) return undefined
        const { reason, ...figures } = end
        const isUntold = session.bytesIn + session.bytesOut === 0 && end.bytesIn + end.bytesOut > 0
        if (!isLive(session.state) && !(session.state === 'revoked' && isUntold)) return undefined
        const state = isLive(session.state) ? endState(session, reason) : session.state
        const { endReason = reason, endedAt = now } = session
        return put({ ...session, ...figures, command: undefined, state, endReason, endedAt })
      }),
    revoke: (scope, id, now = time()) =>
      run(() => {
        const session = within(scope).find((each) => each.id === id)
        if (session === undefined || !isLive(session.state)) return undefined
        return put({ ...session, ...revoked('revoked', now) })
      }),
    over: (ids: readonly string[], roles: HoldingRoles, now = time()) =>
      run(() => {
        for (const session of live().filter(({ id }) => ids.includes(id))) {
          if (isBarred(tables, session, roles, now)) put({ ...session, ...revoked('barred', now) })
          else if (session.seenAt === undefined || isOlder(session.seenAt, SEEN_SECONDS, now))
            put({ ...session, seenAt: now })
        }
        return ids.filter((id) => !isLive(sessions.get(id)?.state ?? 'ended')).sort(byBytes)
      }),
    sweep: (tokenSeconds: number, now = time()) =>
      run(() => {
        const swept = live().filter(
          ({ state, seenAt, claimedAt, expiresAt }) =>
            (seenAt === undefined || isOlder(seenAt, RELAY_LOST_SECONDS, now)) &&
            (state === 'connected' ||
              (expiresAt <= now && (claimedAt === undefined || isOlder(claimedAt, tokenSeconds, now)))),
        )
        for (const session of swept) {
          const wasConnected = session.state === 'connected'
          const [state, endReason] = wasConnected
            ? (['ended', 'relay_lost'] as const)
            : (['expired', 'expired'] as const)
          put({ ...session, command: undefined, endedAt: now, state, endReason })
        }
        return swept.length
      }),
    get: (scope, id) =>
      run(() => {
        const session = within(scope).find((each) => each.id === id)
        return session === undefined ? undefined : shown(session)
      }),
    list: (scope, { fingerprint, active, limit }) =>
      run(() =>
        within(scope)
          .filter((each) => fingerprint === undefined || each.fingerprint === fingerprint)
          .filter(({ state }) => !active || isLive(state))
          .sort((one, other) => oldestFirst(other, one))
          .slice(0, limit)
          .map(shown),
      ),
    meet: (host: AccessHost, proof: AgentKeyProof | undefined, meeting: HostMeeting, now = time()) =>
      run(() => meet(tables, host, proof, meeting, now)),
    resetKey: (host: AccessHost) => run(() => resetKey(tables, host)),
  }
}

const UNBEGUN = {
  state: 'pending' as const,
  agentJti: undefined,
  claimedAt: undefined,
  operatorAt: undefined,
  agentAt: undefined,
  connectedAt: undefined,
  seenAt: undefined,
  endedAt: undefined,
  endReason: undefined,
  exitCode: undefined,
  bytesIn: 0,
  bytesOut: 0,
}

const isOf = (host: AccessHost, session: AccessHost): boolean =>
  session.licenseId === host.licenseId && session.fingerprint === host.fingerprint

const NO_LIMITS = { perLicense: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }

function isOfTenant(tables: MemoryTables, { operatorKind, operatorId = '' }: Kept): boolean {
  if (operatorKind === 'machine') return false
  const holders = operatorKind === 'user' ? tables.of<User>('users') : tables.of<ApiToken>('apiTokens')
  return holders.get(operatorId)?.tenantId !== undefined
}

/** Whether an API token is good still. */
function isGood(tables: MemoryTables, id: string, now: Date): boolean {
  const token = tables.of<MemoryToken>('apiTokens').get(id)
  if (token === undefined || token.revokedAt !== undefined) return false
  return token.expiresAt === undefined || token.expiresAt > now
}

const endState = ({ connectedAt }: Kept, reason: string) =>
  connectedAt === undefined && reason === 'no_peer' ? ('expired' as const) : ('ended' as const)

const revoked = (endReason: string, endedAt: Date) =>
  ({ state: 'revoked', endReason, endedAt, command: undefined }) as const

function isBarred(tables: MemoryTables, session: Kept, roles: HoldingRoles, now: Date): boolean {
  const license = tables.licenses.get(session.licenseId)
  if (license !== undefined && !isUsable(license, now)) return true
  if (session.operatorKind === 'machine') return false
  if (session.operatorKind === 'token') return !isGood(tables, session.operatorId ?? '', now)
  const user = tables.of<User>('users').get(session.operatorId ?? '')
  if (user === undefined || user.disabledAt !== undefined) return true
  const { staff, tenant } = DEPLOY_MODES.includes(session.mode) ? roles.logs : roles
  return !(user.tenantId === undefined ? staff : tenant).includes(user.role)
}
