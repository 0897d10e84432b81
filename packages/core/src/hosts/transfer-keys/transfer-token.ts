import { is, optional } from 'superstruct'
import { present } from '../../kernel/present.ts'
import { oneOf, openShape, text, whole } from '../../kernel/validation.ts'
import type { VerificationKeys } from '../../platform/signing/json-web-key.ts'
import { verifySmallToken } from '../../platform/signing/small-token.ts'
import { transferScope } from './transfer-fields.ts'
import { peerDigest, type TransferKey } from './transfer-key.ts'

/** The beginning of every transfer key, with the version of its form (spec, Transfer key). */
export const TRANSFER_PREFIX = 'svct_v1'
/** The audience of transfer keys. */
export const TRANSFER_AUDIENCE = 'svc-transfer'

const word = text(1, 128)
const claims = openShape({
  jti: word,
  lic: word,
  src: word,
  dst: word,
  mode: oneOf(['pull', 'drop']),
  max: whole(1, 8),
  iat: whole(0, Number.MAX_SAFE_INTEGER),
  scope: optional(transferScope),
})

/** The content of a transfer key, for its bearer and for the peer; times in unix seconds. */
export interface TransferToken {
  readonly id: string
  readonly licenseId: string
  /** Digests of the fingerprints, as `peerDigest` makes them. */
  readonly source: string
  readonly target: string
  readonly mode: TransferKey['mode']
  readonly maxUses: number
  /** The pin of the TLS key of the peer that listens. */
  readonly spki: string | undefined
  /** Whether the peer that listens asks for a PIN. */
  readonly asksPin: boolean
  readonly scope: TransferKey['scope']
  readonly expiresAt: number
}

/** The verdict on a transfer key, without asking anybody: an expired one is still read. */
export type TransferTokenVerdict =
  | { readonly ok: true; readonly token: TransferToken }
  | { readonly ok: false; readonly reason: 'invalid' | 'not-yet-valid' | 'expired' }

/** Returns the payload of the key, but for its `kid`. It holds no PIN and nothing to guess one by. */
export function transferPayload(key: TransferKey, at: Date): object {
  const { pinKind, pinSpki: spki, scope } = key
  const iat = Math.floor(at.getTime() / 1000)
  return {
    v: 1,
    aud: TRANSFER_AUDIENCE,
    jti: key.id,
    lic: key.licenseId,
    src: peerDigest(key.sourceFingerprint),
    dst: peerDigest(key.targetFingerprint),
    mode: key.mode,
    max: key.maxUses,
    ...(pinKind === 'none' ? {} : { pin: pinKind === 'spki' ? { spki } : { ask: true } }),
    ...present('scope', scope),
    iat,
    nbf: iat,
    exp: Math.floor(key.expiresAt.getTime() / 1000),
  }
}

/** Verifies a transfer key with the published keys of its plane. */
export function readTransferKey(
  text: string,
  { keys, now }: { readonly keys: VerificationKeys; readonly now: Date },
): TransferTokenVerdict {
  const verdict = verifySmallToken(text, { prefix: TRANSFER_PREFIX, keys, aud: TRANSFER_AUDIENCE, now })
  if (!verdict.ok) return verdict
  const facts: unknown = verdict.payload
  const { spki, ask } = (verdict.payload.pin ?? {}) as { readonly spki?: unknown; readonly ask?: unknown }
  const isPinned = spki === undefined || typeof spki === 'string'
  if (!is(facts, claims) || !isPinned) return { ok: false, reason: 'invalid' }
  return {
    ok: true,
    token: {
      id: facts.jti,
      licenseId: facts.lic,
      source: facts.src,
      target: facts.dst,
      mode: facts.mode,
      maxUses: facts.max,
      spki,
      asksPin: ask === true,
      scope: facts.scope,
      expiresAt: verdict.payload.exp,
    },
  }
}
