import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createLocalJWKSet, errors, importJWK, jwtVerify, SignJWT } from 'jose'
import { publicJwk, verificationKeys } from '../../../src/platform/signing/json-web-key.ts'
import { verifyToken } from '../../../src/platform/signing/signed-token.ts'
import { Signer } from '../../../src/platform/signing/signer.ts'
import { generateSigningKey, parseSigningKey } from '../../../src/platform/signing/signing-key.ts'

const made = generateSigningKey()
const signer = new Signer({
  privateKey: made.privateKey,
  retiredPublicKeys: [generateSigningKey().publicKey],
})
const claims = { iss: 'svc', aud: 'svc-agent', sub: 'lic_1', iat: 1_760_000_000, exp: 1_760_000_600 }
const token = signer.sign('svc-act+jwt', claims)
const now = new Date(claims.iat * 1000)

describe('an independent JOSE library', () => {
  const options = { currentDate: now, audience: 'svc-agent', typ: 'svc-act+jwt', algorithms: ['EdDSA'] }
  const keySet = createLocalJWKSet({ keys: signer.jwks().keys.map((key) => ({ ...key })) })

  test('verifies our token against our key set', async () => {
    const { payload, protectedHeader } = await jwtVerify(token, keySet, options)
    expect(payload).toEqual(claims)
    expect(protectedHeader.kid).toBe(made.kid)
  })

  test('refuses a refresh in place of an activation token', async () => {
    const refresh = signer.sign('svc-rfr+jwt', claims)
    await expect(jwtVerify(refresh, keySet, options)).rejects.toThrow(errors.JWTClaimValidationFailed)
  })

  test('makes tokens that we verify', async () => {
    const jwk = publicJwk(parseSigningKey(made.privateKey).publicKey)
    const key = await importJWK({ ...jwk, d: made.privateKey.replace('svcsk_', '') }, 'EdDSA')
    const header = { alg: 'EdDSA', typ: 'svc-act+jwt', kid: made.kid }
    const theirs = await new SignJWT(claims).setProtectedHeader(header).sign(key)
    const keys = verificationKeys(signer.jwks())
    const verdict = verifyToken(theirs, { keys, typ: 'svc-act+jwt', audience: 'svc-agent', now })
    expect(verdict).toEqual({ ok: true, claims })
  })
})

// LibreSSL, and OpenSSL before 1.1.1, do not support raw Ed25519 input.
const found = spawnSync('openssl', ['version']).stdout?.toString() ?? ''
const withOpenssl = /^OpenSSL (1\.1\.1|[3-9])/.test(found) ? describe : describe.skip

withOpenssl('the openssl command', () => {
  let folder = ''
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-openssl-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function verifies(signedText: string, signature: string): boolean {
    const { kty, crv, x } = publicJwk(parseSigningKey(made.privateKey).publicKey)
    const pem = createPublicKey({ key: { kty, crv, x }, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    const key = file('public.pem', pem.toString())
    const sig = file('signature', Buffer.from(signature, 'base64url'))
    const text = file('signed', signedText)
    const options = ['-verify', '-rawin', '-pubin', '-inkey', key, '-sigfile', sig, '-in', text]
    return spawnSync('openssl', ['pkeyutl', ...options]).status === 0
  }

  test('verifies the signature of our token, and not that of a changed one', () => {
    const [head, body, signature = ''] = token.split('.')
    expect(verifies(`${head}.${body}`, signature)).toBe(true)
    expect(verifies(`${head}.${body}x`, signature)).toBe(false)
  })

  test('makes a key, PEM or DER, that we take', () => {
    const pem = execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519'])
    const der = execFileSync('openssl', ['pkey', '-outform', 'DER'], { input: pem })
    const spki = execFileSync('openssl', ['pkey', '-pubout', '-outform', 'DER'], { input: pem })
    const key = parseSigningKey(pem.toString())
    expect(Buffer.from(key.publicKey).toString('hex')).toBe(spki.subarray(-32).toString('hex'))
    expect(parseSigningKey(der.toString('base64')).kid).toBe(key.kid)
  })
})
