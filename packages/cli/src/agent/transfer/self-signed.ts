import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
} from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../state/durable-file.ts'

/** The TLS key of a host, with a certificate that nobody but its pin vouches for. PEM. */
export interface TlsIdentity {
  readonly key: string
  readonly cert: string
  /** `sha256/<base64>` of the public key, for transfer keys. */
  readonly pin: string
}

/**
 * Returns the TLS key of a host, which is made once and kept in the state folder with mode 0600, with a new
 * certificate: peers look at the pin of the key alone.
 */
export async function tlsIdentity(stateDir: string): Promise<TlsIdentity> {
  const path = join(stateDir, 'transfer-key.pem')
  const kept = await readFile(path, 'utf8').catch(() => undefined)
  const key = kept ?? newKey()
  if (kept === undefined) await writeDurably(path, key)
  const privateKey = createPrivateKey(key)
  const publicKey = createPublicKey(privateKey)
  return { key, cert: certificateOf(privateKey, publicKey), pin: pinOf(publicKey) }
}

/** Returns the pin of a public key: `sha256/` and the base64 of the digest of its DER. */
export const pinOf = (publicKey: KeyObject): string =>
  `sha256/${hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64')}`

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const SEQUENCE = 0x30
const ECDSA_WITH_SHA256 = tlv(SEQUENCE, tlv(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
const NAME = tlv(
  SEQUENCE,
  tlv(0x31, tlv(SEQUENCE, tlv(0x06, Buffer.from('550403', 'hex')), tlv(0x0c, Buffer.from('svc agent')))),
)
// The dates mean nothing: the transfer key says how long it is good.
const DATES = tlv(SEQUENCE, ...['200101000000Z', '491231000000Z'].map((at) => tlv(0x17, Buffer.from(at))))

/** Returns an X.509 certificate, version 1, that the key signs for itself. */
function certificateOf(privateKey: KeyObject, publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const serial = tlv(0x02, Buffer.from([1]))
  const body = tlv(SEQUENCE, serial, ECDSA_WITH_SHA256, NAME, DATES, NAME, spki)
  const signature = tlv(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const lines =
    tlv(SEQUENCE, body, ECDSA_WITH_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
