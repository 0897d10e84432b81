import { describe, expect, it } from '@jest/globals'
import { verificationKeys, verifyToken } from '@svc/core'
import { ACTIVATION_TYP } from '@svc/core/ports'
import { testPlane } from '@svc/testing'

const START_S = 1_767_603_600

describe('an activation token', () => {
  const activated = async (env: Record<string, string>, fingerprint?: string) => {
    await using test = testPlane({ env: { SERVICE_PUBLIC_URL: 'https://svc.example', ...env } })
    test.clock.advance({ ms: 999 })
    const { id, key } = await test.license()
    const { token, expires } = await test.plane.licenses.activate({ key, fingerprint })
    const keys = verificationKeys(test.plane.signer.jwks())
    const now = test.clock.now()
    const verdict = verifyToken(token, { keys, typ: ACTIVATION_TYP, audience: 'svc-agent', now })
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
    expect(header).toEqual({ alg: 'EdDSA', typ: 'svc-act+jwt', kid: test.plane.signer.kid })
    return { claims: verdict.ok ? verdict.claims : undefined, expires, licenseId: id }
  }

  it('says for whom it is, from when, for seven days, and what the license may', async () => {
    const { claims, expires, licenseId } = await activated({})
    expect(claims).toEqual({
      iss: 'https://svc.example',
      aud: 'svc-agent',
      sub: licenseId,
      jti: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
      iat: START_S,
      nbf: START_S,
      exp: START_S + 604_800,
      plan: 'business',
      features: ['deploy', 'db', 'mcp', 'clone', 'migrate'],
    })
    expect(expires).toBe(new Date((START_S + 604_800) * 1000).toISOString())
  })

  it('is bound to the fingerprint that was supplied, and lasts as long as the settings say', async () => {
    const { claims } = await activated({ SERVICE_LICENSE_TTL_DAYS: '1' }, 'fp-1')
    expect(claims).toMatchObject({ fp: 'fp-1', exp: START_S + 86_400 })
  })
})
