import { hash } from 'node:crypto'
import type { TransferScope } from './transfer-fields.ts'

/** The ways to connect. `pull`: the target fetches from the source. `drop`: the source brings to it. */
export const TRANSFER_MODES = ['pull', 'drop'] as const
export type TransferMode = (typeof TRANSFER_MODES)[number]

/** Most sessions that one key opens (spec, Transfer key). */
export const MAX_USES = 8
/** Wrong PINs after which a key is locked for good. */
export const PIN_TRIES = 5
/** Lifetime of a key that does not say, in seconds. */
export const TRANSFER_TTL_SECONDS = 900

/** The states of a key: only an active one opens a session. */
export const TRANSFER_KEY_STATES = ['active', 'used_up', 'expired', 'revoked', 'locked'] as const
export type TransferKeyState = (typeof TRANSFER_KEY_STATES)[number]

/** The pin of a key: none, the pin of the listening peer's TLS key, or a secret that it asks for. */
export const PIN_KINDS = ['none', 'spki', 'secret'] as const
export type PinKind = (typeof PIN_KINDS)[number]

/** A key that lets one host get data from another. The key itself is never stored. */
export interface TransferKey {
  readonly id: string
  readonly licenseId: string
  /** SHA-256 of the key, in hex. */
  readonly keyDigest: string
  readonly sourceFingerprint: string
  readonly targetFingerprint: string
  readonly mode: TransferMode
  readonly maxUses: number
  readonly uses: number
  readonly pinKind: PinKind
  /** `sha256/<base64>` of the TLS key of the peer that listens. */
  readonly pinSpki: string | undefined
  /** The hash of a secret PIN, as `Passwords` writes it. */
  readonly pinHash: string | undefined
  readonly pinFails: number
  readonly scope: TransferScope | undefined
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly lastUsedAt: Date | undefined
  readonly revokedAt: Date | undefined
}

/** Returns the state of a key. A revocation comes before a lock, a lock before the uses, then the end. */
export function transferKeyState(
  key: Pick<TransferKey, 'uses' | 'maxUses' | 'pinFails' | 'expiresAt' | 'revokedAt'>,
  now: Date,
): TransferKeyState {
  if (key.revokedAt !== undefined) return 'revoked'
  if (key.pinFails >= PIN_TRIES) return 'locked'
  if (key.uses >= key.maxUses) return 'used_up'
  return key.expiresAt > now ? 'active' : 'expired'
}

/** Returns the text that stands for a host in a key: it fences without telling the fingerprint. */
export const peerDigest = (fingerprint: string): string => hash('sha256', fingerprint, 'base64url')

/** The peer that listens, and so asks for the redemption of a key. */
export const listenerOf = <T>(mode: TransferMode, { source, target }: { source: T; target: T }): T =>
  mode === 'pull' ? source : target

const SPKI_BASE64 = /^sha256\/([A-Za-z0-9+/]{43}=)$/
const SPKI_HEX = /^sha256:([0-9a-f]{64})$/i

/** Returns a pin of a TLS key as `sha256/<base64>`; undefined for any other text, which is a secret PIN. */
export function spkiPin(pin: string): string | undefined {
  const [, base64] = SPKI_BASE64.exec(pin) ?? []
  const [, hex] = SPKI_HEX.exec(pin) ?? []
  if (hex !== undefined) return `sha256/${Buffer.from(hex, 'hex').toString('base64')}`
  const bytes = Buffer.from(base64 ?? '', 'base64')
  return bytes.length === 32 && bytes.toString('base64') === base64 ? pin : undefined
}
