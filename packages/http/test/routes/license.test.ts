import { describe, expect, it } from '@jest/globals'
import { verificationKeys, verifyToken } from '@svc/core'
import { ACTIVATION_TYP, AGENT_AUDIENCE } from '@svc/core/ports'
import { serving } from '../support/serving.ts'

const PATH = '/v1/license/activate'
const refusal = (status: number, error: string) => ({ status, body: { error } })

describe('POST /v1/license/activate', () => {
  const served = serving()
  const activate = (body: unknown, headers = {}) =>
    served().send({ method: 'POST', path: PATH, body: JSON.stringify(body), headers })

  it('takes the key from the body and answers with exactly token, plan, features, expires', async () => {
    const { status, body } = await activate({ key: served().key })
    expect(status).toBe(200)
    expect(body).toEqual({
      token: expect.any(String),
      plan: 'business',
      features: ['deploy', 'db', 'mcp', 'clone', 'migrate'],
      expires: '2026-01-12T09:00:00.000Z',
    })
  })

  it('takes the key as bearer', async () => {
    expect(await activate({}, { authorization: `Bearer ${served().key}` })).toMatchObject({ status: 200 })
  })

  it('takes a bearer key without any body', async () => {
    const headers = { authorization: `bearer ${served().key}` }
    expect(await served().send({ method: 'POST', path: PATH, headers })).toMatchObject({ status: 200 })
  })

  it('prefers the key of the body to the bearer', async () => {
    const answer = await activate({ key: 'unknown' }, { authorization: `Bearer ${served().key}` })
    expect(answer).toMatchObject(refusal(403, 'license rejected'))
  })

  it('binds the token to the fingerprint when one was supplied, and an empty one counts as none', async () => {
    const keys = verificationKeys(served().plane.signer.jwks())
    const claimsOf = async (fingerprint: string) => {
      const { body } = await activate({ key: served().key, fingerprint })
      const { token } = body as { token: string }
      const now = served().clock.now()
      return verifyToken(token, { keys, typ: ACTIVATION_TYP, audience: AGENT_AUDIENCE, now })
    }
    expect(JSON.stringify(await claimsOf('fp-1'))).toContain('"fp":"fp-1"')
    expect(JSON.stringify(await claimsOf(''))).not.toContain('"fp"')
  })

  it.each([
    ['no key', {}, 400, { error: 'license key required' }],
    ['an unknown key', { key: 'unknown' }, 403, { error: 'license rejected' }],
    [
      'an empty key',
      { key: '' },
      400,
      { error: 'invalid request body', details: ['key: expected a string of 1 to 512 characters'] },
    ],
    [
      'a key of 513 characters',
      { key: 'k'.repeat(513) },
      400,
      { error: 'invalid request body', details: ['key: expected a string of 1 to 512 characters'] },
    ],
    [
      'null instead of absent',
      { key: null },
      400,
      { error: 'invalid request body', details: ['key: expected a string of 1 to 512 characters'] },
    ],
    [
      'a hostname of 256 characters',
      { hostname: 'h'.repeat(256) },
      400,
      { error: 'invalid request body', details: ['hostname: expected a string of at most 255 characters'] },
    ],
  ])('refuses %s', async (_, body, status, expected) => {
    expect(await activate(body)).toMatchObject({ status, body: expected })
  })

  it('refuses a suspended, a revoked and an expired license with 403', async () => {
    const { plane, clock } = served()
    const { license, key } = await plane.licenses.issue({})
    await plane.licenses.suspend(license.id)
    expect(await activate({ key })).toMatchObject(refusal(403, 'license rejected'))
    await plane.licenses.reinstate(license.id)
    expect(await activate({ key })).toMatchObject({ status: 200 })
    await plane.licenses.revoke(license.id)
    expect(await activate({ key })).toMatchObject(refusal(403, 'license rejected'))
    const brief = await plane.licenses.issue({ expiresAt: new Date(clock.now().getTime() + 1000) })
    clock.advance({ seconds: 1 })
    expect(await activate({ key: brief.key })).toMatchObject(refusal(403, 'license rejected'))
  })

  it('never writes a key into its answer or the log', async () => {
    await activate({ key: 'very-unknown-key' })
    await activate({ key: 5, hostname: 'very-unknown-key'.repeat(30) })
    expect(served().log.text()).not.toContain('very-unknown-key')
  })
})

describe('activation without a signing key', () => {
  const served = serving({ env: { SERVICE_LICENSE_PRIVKEY: undefined } })
  it('is 503, after the key was checked', async () => {
    const { post, key } = served()
    const none = { authorization: '' }
    expect(await post(PATH, {}, none)).toMatchObject(refusal(400, 'license key required'))
    expect(await post(PATH, { key: 'unknown' })).toMatchObject(refusal(403, 'license rejected'))
    expect(await post(PATH, { key })).toMatchObject(refusal(503, 'control plane signing key not configured'))
  })
})

describe('activation with an unusable signing key', () => {
  const served = serving({ env: { SERVICE_LICENSE_PRIVKEY: 'no key at all' } })
  it('is 500 and says nothing of the key', async () => {
    const { post, key, log } = served()
    expect(await post(PATH, { key })).toMatchObject(refusal(500, 'could not mint license token'))
    expect(log.messages('error')).toEqual(['request fault'])
    expect(log.text()).not.toContain('no key at all')
  })
})
