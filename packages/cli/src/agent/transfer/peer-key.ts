import { Problem, sameSecret, type verificationKeys } from '@svc/core'
import { peerDigest, readTransferKey, type TransferToken } from '@svc/core/adapters'

/** A host of a transfer, and the published keys of its plane. */
export interface OwnSide {
  readonly fingerprint: string
  readonly keys: ReturnType<typeof verificationKeys>
  readonly now: Date
}

/** The two ends of a connection. */
export type PeerRole = 'listens' | 'connects'

const REFUSALS = {
  invalid: 'the transfer key does not verify against the keys of the plane',
  'not-yet-valid': 'the transfer key is from the future: check the clock of this host',
  expired: 'the transfer key is expired: mint another one',
} as const

/**
 * Reads a transfer key without asking the plane, and checks that it is for this host in this role.
 * @throws Problem `forbidden`
 */
export function ownTransferKey(
  text: string,
  { fingerprint, keys, now }: OwnSide,
  role: PeerRole,
): TransferToken {
  const verdict = readTransferKey(text, { keys, now })
  if (!verdict.ok) throw new Problem('forbidden', { detail: REFUSALS[verdict.reason] })
  const { token } = verdict
  if (sameSecret(peerDigest(fingerprint), digestOfRole(token, role))) return token
  throw new Problem('forbidden', { detail: 'the transfer key is for another host, or for the other end' })
}

/** Whether a fingerprint is the other end's. */
export const isPeer = (token: TransferToken, role: PeerRole, fingerprint: string): boolean =>
  sameSecret(peerDigest(fingerprint), digestOfRole(token, role === 'listens' ? 'connects' : 'listens'))

const digestOfRole = ({ mode, source, target }: TransferToken, role: PeerRole): string =>
  (mode === 'pull') === (role === 'listens') ? source : target

/**
 * Returns the application that a session is about.
 * @throws Problem `forbidden` when the key is for another one, `invalid-input` when nobody names one
 */
export function appOfSession({ scope }: TransferToken, asked: unknown): string {
  const app = scope?.app ?? asked
  if (typeof app !== 'string') {
    throw new Problem('invalid-input', {
      detail: 'the transfer key names no application: name one with --app',
    })
  }
  if (asked === undefined || asked === app) return app
  throw new Problem('forbidden', { detail: 'the transfer key is for another application' })
}

/** @throws Problem `forbidden` when a release is larger than the key allows */
export function requireRoom({ scope }: TransferToken, bytes: number): void {
  if (bytes <= (scope?.max_bytes ?? Number.POSITIVE_INFINITY)) return
  throw new Problem('forbidden', { detail: `the release has ${bytes} bytes, more than the key is good for` })
}
