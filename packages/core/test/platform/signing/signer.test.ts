import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../src/kernel/problem.ts'
import { verificationKeys } from '../../../src/platform/signing/json-web-key.ts'
import { signToken, verifyToken } from '../../../src/platform/signing/signed-token.ts'
import { Signer } from '../../../src/platform/signing/signer.ts'
import { generateSigningKey, parseSigningKey } from '../../../src/platform/signing/signing-key.ts'

const claims = { aud: 'svc-agent', exp: 1_760_000_600 }
const now = new Date(1_760_000_000_000)

function problemOf(act: () => unknown): Problem {
  try {
    act()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('a signer', () => {
  test.each([undefined, ''])(
    'without a key (%p) is unset, publishes nothing and refuses to sign',
    (privateKey) => {
      const signer = new Signer({ privateKey })
      expect([signer.status, signer.kid, signer.faults, signer.jwks()]).toEqual([
        'unset',
        undefined,
        [],
        { keys: [] },
      ])
      expect(problemOf(() => signer.sign('svc-act+jwt', claims)).code).toBe('signing-not-configured')
    },
  )

  test('with a key that cannot be read is unusable, says so without the text, and fails to sign', () => {
    const signer = new Signer({ privateKey: 'hunter2-is-no-key' })
    expect([signer.status, signer.kid]).toEqual(['unusable', undefined])
    expect(signer.faults).toEqual([expect.stringMatching(/^SERVICE_LICENSE_PRIVKEY: .*Ed25519/)])
    const problem = problemOf(() => signer.sign('svc-act+jwt', claims))
    expect(problem.code).toBe('signing-failed')
    expect(JSON.stringify([signer.faults, problem.data, problem.message])).not.toContain('hunter2')
  })

  test('with a key signs tokens that its published keys verify', () => {
    const made = generateSigningKey()
    const signer = new Signer({ privateKey: made.privateKey })
    expect([signer.status, signer.kid, signer.faults]).toEqual(['ready', made.kid, []])
    const keys = verificationKeys(signer.jwks())
    const token = signer.sign('svc-rfr+jwt', claims)
    expect(verifyToken(token, { keys, typ: 'svc-rfr+jwt', audience: 'svc-agent', now })).toEqual({
      ok: true,
      claims,
    })
  })

  test('that cannot sign these claims fails as signing does', () => {
    const signer = new Signer({ privateKey: generateSigningKey().privateKey })
    const problem = problemOf(() => signer.sign('svc-act+jwt', { aud: 'svc-agent', exp: Number.NaN }))
    expect(problem.code).toBe('signing-failed')
    expect(problem.cause).toBeInstanceOf(RangeError)
  })

  test.each([true, false])(
    'makes the same token apart from the event loop, on a thread or not (%p)',
    async (threads) => {
      const { privateKey } = generateSigningKey()
      const signer = new Signer({ privateKey, threads })
      expect(await signer.signAsync('svc-rfr+jwt', claims)).toBe(signer.sign('svc-rfr+jwt', claims))
      const badClaims = { ...claims, exp: 0.5 }
      await expect(signer.signAsync('svc-rfr+jwt', badClaims)).rejects.toMatchObject({
        code: 'signing-failed',
      })
      const unset = new Signer({ threads })
      await expect(unset.signAsync('svc-rfr+jwt', claims)).rejects.toMatchObject({
        code: 'signing-not-configured',
      })
    },
  )

  test('publishes retired keys after the current one, so that tokens from before a rotation still verify', () => {
    const [before, after] = [generateSigningKey(), generateSigningKey()]
    const token = signToken(parseSigningKey(before.privateKey), 'svc-act+jwt', claims)
    const signer = new Signer({ privateKey: after.privateKey, retiredPublicKeys: [before.publicKey] })
    expect(signer.jwks().keys.map((key) => key.kid)).toEqual([after.kid, before.kid])
    const keys = verificationKeys(signer.jwks())
    expect(verifyToken(token, { keys, typ: 'svc-act+jwt', audience: 'svc-agent', now }).ok).toBe(true)
  })

  test('passes over a retired key that cannot be read and names its place in the list', () => {
    const [current, retired] = [generateSigningKey(), generateSigningKey()]
    const signer = new Signer({ privateKey: current.privateKey, retiredPublicKeys: ['?', retired.publicKey] })
    expect(signer.status).toBe('ready')
    expect(signer.jwks().keys.map((key) => key.kid)).toEqual([current.kid, retired.kid])
    expect(signer.faults).toEqual([expect.stringMatching(/^SERVICE_LICENSE_PUBKEYS_RETIRED, entry 1: /)])
  })

  test('publishes no private key from the list of retired ones, with or without its prefix', () => {
    const [current, retired] = [generateSigningKey(), generateSigningKey()]
    const bare = (key: string) => key.slice('svcsk_'.length)
    const retiredPublicKeys = [
      bare(current.privateKey),
      bare(retired.privateKey),
      retired.publicKey,
      retired.privateKey,
    ]
    const signer = new Signer({ privateKey: current.privateKey, retiredPublicKeys })
    expect(signer.jwks().keys.map((key) => key.kid)).toEqual([current.kid, retired.kid])
    expect([...signer.faults].sort()).toEqual(
      [1, 2, 4].map((entry) => `SERVICE_LICENSE_PUBKEYS_RETIRED, entry ${entry}: this is a private key`),
    )
  })
})
