import { createHmac, timingSafeEqual } from 'node:crypto'
import { sameSecret } from '../../platform/signing/same-secret.ts'
import type { PushHeaders } from './push/read-push.ts'

/** The parts of a delivery that prove its sender. */
export interface SentDelivery {
  /** By names in lower case; an absent and an empty header are the same. */
  readonly headers: PushHeaders
  /** The credential of `Authorization: Bearer`. */
  readonly bearer: string | undefined
  readonly body: Buffer
}

/** How far the clock of a signer may differ, in seconds. */
export const SIGNED_SECONDS = 300

const HEX = /^[0-9a-f]{64}$/i
const PREFIX = 'sha256='

const hmac = (key: string | Buffer, ...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((digest, part) => digest.update(part), createHmac('sha256', key)).digest()

/** Headers with a signature of the body in hex, under the secret as it is shown. */
const HEX_HEADERS: readonly (readonly [name: string, prefix: string])[] = [
  ['x-hub-signature-256', PREFIX],
  ['x-gitea-signature', ''],
  ['x-forgejo-signature', ''],
  ['x-gogs-signature', ''],
  ['x-hub-signature', PREFIX],
]

/** Signatures of Standard Webhooks. */
const STANDARD = 'webhook-signature'

/**
 * Whether a sender knows one of the secrets. Every signature that is there has to be right; without any, a
 * bearer, a GitLab token or a Basic password that equals a secret suffices. A signature by SHA-1, which
 * GitHub and Gitea send beside the other, counts for nothing. Every comparison takes a constant time.
 */
export function knowsSecret(sent: SentDelivery, stored: readonly string[], now: Date): boolean {
  // An unset secret is known to everybody.
  const secrets = stored.filter((secret) => secret !== '')
  const verdicts = signatureVerdicts(sent, secrets, now)
  if (verdicts.length > 0) return verdicts.every(Boolean)
  const given = [sent.bearer, sent.headers['x-gitlab-token'], basicPassword(sent.headers.authorization)]
  return given.map((each = '') => someSecret(each, secrets)).some(Boolean)
}

/** Whether a sender signed, rightly or not. */
export const isSigned = ({ headers }: SentDelivery): boolean =>
  (headers[STANDARD] ?? '') !== '' || hexSignatures(headers).length > 0

const someSecret = (given: string, secrets: readonly string[]): boolean =>
  secrets.map((secret) => sameSecret(given, secret)).some(Boolean)

function signatureVerdicts(sent: SentDelivery, secrets: readonly string[], now: Date): readonly boolean[] {
  const standard = sent.headers[STANDARD] ?? ''
  const hex = hexSignatures(sent.headers)
  const digests = hex.length === 0 ? [] : secrets.map((secret) => hmac(secret, sent.body))
  return [
    ...(standard === '' ? [] : [isStandard(standard, sent, secrets, now)]),
    ...hex.map((signature) => digests.map((digest) => isHex(signature, digest)).some(Boolean)),
  ]
}

/** The hex signatures that were sent, without prefix. Bitbucket's header has a prefix of SHA-1 elsewhere. */
function hexSignatures(headers: PushHeaders): readonly string[] {
  return HEX_HEADERS.flatMap(([name, prefix]) => {
    const value = headers[name] ?? ''
    if (value === '' || (name === 'x-hub-signature' && !value.startsWith(PREFIX))) return []
    return [value.startsWith(prefix) ? value.slice(prefix.length) : '']
  })
}

const isHex = (signature: string, digest: Buffer): boolean =>
  HEX.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), digest)

function isStandard(
  signatures: string,
  { headers, body }: SentDelivery,
  secrets: readonly string[],
  now: Date,
): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds = '' } = headers
  if (id === '' || !/^\d{1,12}$/.test(seconds)) return false
  if (Math.abs(now.getTime() / 1000 - Number(seconds)) > SIGNED_SECONDS) return false
  const keys = secrets.map(signingKey).filter((key) => key !== undefined)
  const digests = keys.map((key) => hmac(key, `${id}.${seconds}.`, body))
  const given = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice(3)] : []))
  return given.flatMap((each) => digests.map((digest) => isBase64(each, digest))).some(Boolean)
}

function isBase64(given: string, digest: Buffer): boolean {
  const bytes = Buffer.from(given, 'base64')
  return bytes.length === digest.length && timingSafeEqual(bytes, digest)
}

/** The key of `whsec_<base64>`; a secret of another form signs nothing in this way. */
function signingKey(secret: string): Buffer | undefined {
  const [, text] = /^whsec_([A-Za-z0-9+/]{16,}={0,2})$/.exec(secret) ?? []
  return text === undefined ? undefined : Buffer.from(text, 'base64')
}

function basicPassword(authorization: string | undefined): string | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=]{1,1024})$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon === -1 ? undefined : text.slice(colon + 1)
}
