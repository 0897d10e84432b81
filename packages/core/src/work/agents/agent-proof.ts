import { createPublicKey, verify } from 'node:crypto'
import { decodeBase64 } from '../../platform/signing/key-text.ts'

/** Largest difference between the clocks of host and service, in milliseconds. */
export const PROOF_WINDOW_MS = 120_000

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const PROOF = /^t=(\d{1,15});sig=([A-Za-z0-9+/_=-]{1,128})$/

/** A key that a host has proved. */
export interface AgentKeyProof {
  /** The public key, raw, in base64url. */
  readonly key: string
  /** The time of the proof by the host's clock, in milliseconds. */
  readonly atMs: number
}

/** The request of a host for its sessions, as its proof names it. */
export const PENDING_REQUEST = 'GET\n/api/v1/access/pending'
/** The claim of a host under a key of its own, as its proof names it: a proof is for one claim alone. */
export const claimRequest = (claimKey: string): string => `POST\n/v1/jobs/claim\n${claimKey}`

/** Returns the bytes that a host signs for a request at `atMs` of its clock. */
export const proofBytes = (fingerprint: string, atMs: number, request = PENDING_REQUEST): Buffer =>
  Buffer.from(`${request}\n${fingerprint}\n${atMs}`)

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
  request = PENDING_REQUEST,
): AgentKeyProof | 'none' | 'bad' {
  if (key === undefined && proof === undefined) return 'none'
  const raw = decodeBase64(key ?? '')
  const [, time = '', signature = ''] = PROOF.exec(proof ?? '') ?? []
  const bytes = decodeBase64(signature)
  if (raw?.length !== KEY_BYTES || bytes?.length !== SIGNATURE_BYTES) return 'bad'
  const atMs = Number(time)
  if (Math.abs(atMs - now.getTime()) > PROOF_WINDOW_MS) return 'bad'
  const x = Buffer.from(raw).toString('base64url')
  const isGood = verify(null, proofBytes(fingerprint, atMs, request), publicKeyOf(x), bytes)
  return isGood ? { key: x, atMs } : 'bad'
}

const publicKeyOf = (x: string) => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
