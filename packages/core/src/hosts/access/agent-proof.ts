import { createPublicKey, verify } from 'node:crypto'
import { decodeBase64 } from '../../platform/signing/key-text.ts'
import type { AgentKeyProof } from './access-sessions-store.ts'

/** Largest difference between the clocks of host and service, in milliseconds. */
export const PROOF_WINDOW_MS = 120_000

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const PROOF = /^t=(\d{1,15});sig=([A-Za-z0-9+/_=-]{1,128})$/

/** Returns the bytes that a host signs to ask for its sessions at `atMs` of its clock. */
export const proofBytes = (fingerprint: string, atMs: number): Buffer =>
  Buffer.from(`GET\n/api/v1/access/pending\n${fingerprint}\n${atMs}`)

/** The headers that prove a host's key. */
export interface ProofHeaders {
  /** `X-Agent-Key`: the raw Ed25519 public key in base64. */
  readonly key: string | undefined
  /** `X-Agent-Proof`: `t=<milliseconds>;sig=<base64>`. */
  readonly proof: string | undefined
}

/**
 * Checks the proof of a host. `none`: the host shows no key. `bad`: it does not prove the one it shows, or
 * not for now.
 */
export function checkProof(
  { key, proof }: ProofHeaders,
  fingerprint: string,
  now: Date,
): AgentKeyProof | 'none' | 'bad' {
  if (key === undefined && proof === undefined) return 'none'
  const raw = decodeBase64(key ?? '')
  const [, time = '', signature = ''] = PROOF.exec(proof ?? '') ?? []
  const bytes = decodeBase64(signature)
  if (raw?.length !== KEY_BYTES || bytes?.length !== SIGNATURE_BYTES) return 'bad'
  const atMs = Number(time)
  if (Math.abs(atMs - now.getTime()) > PROOF_WINDOW_MS) return 'bad'
  const x = Buffer.from(raw).toString('base64url')
  const isGood = verify(null, proofBytes(fingerprint, atMs), publicKeyOf(x), bytes)
  return isGood ? { key: x, atMs } : 'bad'
}

const publicKeyOf = (x: string) => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
