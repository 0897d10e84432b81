import { generateKeyPairSync, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** A self-signed certificate and its key, PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const utcTime = (text: string) => der(0x17, Buffer.from(text))

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = oid('550403')
const SUBJECT_ALT_NAME = oid('551d11')

function subjectAltName(host: string): Buffer {
  const isAddress = isIP(host) === 4
  return isAddress ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host))
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/**
 * Makes a certificate for host names and IPv4 addresses (RFC 5280, version 3, P-256); `until` is `YYMMDD`.
 */
export function makeCertificate(hosts: readonly string[], until = '491231'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('far side')))))
  const names = der(0x04, sequence(...hosts.map(subjectAltName)))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    sequence(utcTime('200101000000Z'), utcTime(`${until}000000Z`)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, names))),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const cert = toPem(sequence(body, ECDSA_SHA256, signature))
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
