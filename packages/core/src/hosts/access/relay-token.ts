import { hash } from 'node:crypto'
import { Problem } from '../../kernel/problem.ts'
import type { Config } from '../../platform/config/config.ts'
import type { VerificationKeys } from '../../platform/signing/json-web-key.ts'
import { type TokenClaims, verifyToken } from '../../platform/signing/signed-token.ts'
import { Signer } from '../../platform/signing/signer.ts'
import { ACCESS_MODES, type AccessMode, RELAY_ROLES, type RelayRole } from './access-session.ts'

/** The signer of relay tokens: with a key of its own, or with the other tokens' key. */
export function relaySignerOf({ relay, signing }: Config): Signer {
  const { privateKey } = relay
  if (privateKey === undefined) return new Signer(signing)
  return new Signer({ ...signing, privateKey, setting: 'SERVICE_RELAY_PRIVKEY' })
}

/** The type of tokens that open a connection to a relay. */
export const RELAY_TYP = 'svc-relay+jwt'
const VERSION = 1
/** Longest token that a relay reads. */
const MAX_CHARS = 4096

/** The content of a token: which side of which session may connect where. */
export interface RelayTicket {
  readonly sid: string
  readonly role: RelayRole
  readonly jti: string
  readonly licenseId: string
  readonly fingerprint: string
  readonly mode: AccessMode
  readonly maxSeconds: number
  readonly idleSeconds: number
}

/** A ticket with its place and its lifetime. */
export interface NewTicket extends RelayTicket {
  /** Base URL of the relay. */
  readonly relay: string
  readonly now: Date
  readonly lifeSeconds: number
}

/** Returns the audience of a relay: the origin of its address. */
export const audienceOf = (relay: string): string => new URL(relay).origin

/** Returns the claims of a ticket. The fingerprint goes in as its digest: a relay needs no more. */
export function relayClaims(ticket: NewTicket): TokenClaims {
  const iat = Math.floor(ticket.now.getTime() / 1000)
  return {
    v: VERSION,
    aud: audienceOf(ticket.relay),
    sid: ticket.sid,
    role: ticket.role,
    jti: ticket.jti,
    lic: ticket.licenseId,
    fp: hash('sha256', ticket.fingerprint, 'base64url'),
    mode: ticket.mode,
    max_s: ticket.maxSeconds,
    idle_s: ticket.idleSeconds,
    iat,
    exp: iat + ticket.lifeSeconds,
  }
}

/** Claims that a relay has checked. */
export type CheckedTicket = Omit<RelayTicket, 'licenseId' | 'fingerprint'>

/** Why a relay does not take a token. */
export type TicketRefusal = 'token invalid' | 'token expired'

/** The expectations of a relay on a token. */
export interface TicketExpectation {
  readonly keys: VerificationKeys
  /** Origins under which the relay is reached. */
  readonly audiences: readonly string[]
  readonly role: RelayRole
  readonly now: Date
}

/**
 * Checks a token: length, form, type, key, signature, audience, lifetime to the second, and last its content.
 * The side that it names must be the one that it is shown for.
 */
export function checkTicket(token: string, expected: TicketExpectation): CheckedTicket | TicketRefusal {
  const { audiences, role } = expected
  if (token.length > MAX_CHARS) return 'token invalid'
  const rest = { ...expected, typ: RELAY_TYP, leewaySeconds: 0 } as const
  let verdict = verifyToken(token, { ...rest, audience: audiences[0] ?? '' })
  for (const audience of audiences.slice(1)) {
    if (verdict.ok || verdict.reason !== 'wrong-audience') break
    verdict = verifyToken(token, { ...rest, audience })
  }
  if (!verdict.ok) return verdict.reason === 'expired' ? 'token expired' : 'token invalid'
  const ticket = ticketOf(verdict.claims)
  return ticket === undefined || ticket.role !== role ? 'token invalid' : ticket
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
const isOneOf = <T extends string>(words: readonly T[], value: unknown): value is T =>
  (words as readonly unknown[]).includes(value)

function ticketOf(claims: TokenClaims): CheckedTicket | undefined {
  const { v, sid, role, jti, mode, max_s: maxSeconds, idle_s: idleSeconds } = claims
  if (v !== VERSION || !isText(sid) || !isText(jti)) return undefined
  if (!isOneOf(RELAY_ROLES, role) || !isOneOf(ACCESS_MODES, mode)) return undefined
  if (!isSeconds(maxSeconds) || !isSeconds(idleSeconds)) return undefined
  return { sid, role, jti, mode, maxSeconds, idleSeconds }
}

/** Returns the refusal of sessions while no relay is configured, for any caller. */
export const noRelay = (): Problem =>
  new Problem('relay-not-configured', {
    detail: 'sessions on hosts need a relay: set RELAY_MODE, RELAY_URL and a signing key',
  })
