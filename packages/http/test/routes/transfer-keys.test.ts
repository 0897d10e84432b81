import { createPublicKey, verify } from 'node:crypto'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildHeartbeat } from '@svc/testing'
import { counted } from '../../../../test/support/counted.ts'
import { serving } from '../support/serving.ts'

const PATH = '/api/v1/transfer/keys'
const INVALID = { status: 401, body: { error: 'transfer key invalid' } }
const ended = (end: string) => ({ status: 410, body: { error: `transfer key ${end}` } })

type Minted = { readonly key: string; readonly id: string; readonly expires: string }

const attach = async (licenseId: string, ...fingerprints: string[]) => {
  for (const fingerprint of fingerprints) {
    const beat = buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint })
    await served().plane.agents.heartbeat({ ...beat, jobs: [] })
  }
}
const served = serving()

beforeEach(() => attach(served().licenseId, 'fp-src', 'fp-dst', 'fp-third'))

const ask = (body: object, headers?: Record<string, string>) => served().post(PATH, body, headers)
const mint = (fields: object = {}) =>
  ask({ source_fingerprint: 'fp-src', target_fingerprint: 'fp-dst', ...fields })
const minted = async (fields: object = {}) => {
  const { status, body } = await mint(fields)
  if (status !== 201) throw new Error(`minting is ${status}: ${JSON.stringify(body)}`)
  return body as Minted
}
const redeem = (key: string, fields: object = {}, headers?: Record<string, string>) =>
  ask({ action: 'redeem', key, fingerprint: 'fp-src', peer_fingerprint: 'fp-dst', ...fields }, headers)
const stored = (id: string) => served().plane.transferKeys.get(PLATFORM, id)

const payloadOf = (key: string) => JSON.parse(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString())
/** The key with another payload and the old signature. */
const edited = (key: string, change: object) => {
  const [head, , tail] = key.split('.')
  const body = Buffer.from(JSON.stringify({ ...payloadOf(key), ...change })).toString('base64url')
  return [head, body, tail].join('.')
}

describe('minting a transfer key', () => {
  it('gives svct_v1 and two parts, signed over the prefix too, with no fingerprint and no PIN inside', async () => {
    const { key, ...rest } = await minted({ mode: 'drop', max_uses: 2, pin: '4711', scope: { app: 'shop' } })
    expect(rest).toEqual({
      id: expect.stringMatching(/^xfr_[0-9a-z]{26}$/),
      expires: expect.stringMatching(/^\d{4}-.*Z$/),
      mode: 'drop',
      max_uses: 2,
      uses_left: 2,
      pin_required: true,
    })
    const [head, body, tail = '', ...more] = key.split('.')
    expect([head, more]).toEqual(['svct_v1', []])
    const { keys } = (await served().get('/.well-known/jwks.json')).body as { keys: [{ kid: string }] }
    const publicKey = createPublicKey({ key: keys[0], format: 'jwk' })
    expect(verify(null, Buffer.from(`svct_v1.${body}`), publicKey, Buffer.from(tail, 'base64url'))).toBe(true)
    const payload = payloadOf(key)
    expect(payload).toMatchObject({
      v: 1,
      kid: keys[0].kid,
      aud: 'svc-transfer',
      jti: rest.id,
      lic: served().licenseId,
      mode: 'drop',
      max: 2,
      pin: { ask: true },
      scope: { app: 'shop' },
    })
    expect(payload.exp - payload.iat).toBe(900)
    expect(JSON.stringify(payload)).not.toMatch(/fp-src|fp-dst|4711|scrypt/)
    expect(JSON.stringify(await stored(rest.id))).not.toContain(key.slice(8))
  })

  it.each([0, 9, 1.5, '2', null, -1])('for %j uses is refused', async (max_uses) => {
    expect(await mint({ max_uses })).toMatchObject({
      status: 400,
      body: { details: ['max_uses: expected a whole number from 1 to 8'] },
    })
  })

  it.each<[string, object]>([
    ['source_fingerprint', { source_fingerprint: '' }],
    ['target_fingerprint', { target_fingerprint: 'x'.repeat(513) }],
    ['mode', { mode: 'push' }],
    ['pin', { pin: '123' }],
    ['pin', { pin: 'p'.repeat(129) }],
    ['ttl_s', { ttl_s: 59 }],
    ['ttl_s', { ttl_s: 86_401 }],
    ['scope.app', { scope: { app: '' } }],
    ['scope.image_checksum', { scope: { image_checksum: '../../etc' } }],
    ['scope.paths', { scope: { paths: Array.from({ length: 21 }, () => 'p') } }],
    ['scope.max_bytes', { scope: { max_bytes: -1 } }],
    ['action', { action: 'steal' }],
  ])('with a bad %s is refused without repeating it: %#', async (field, bad) => {
    const answer = await mint(bad)
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid request body' } })
    expect((answer.body as { details: string[] }).details[0]).toMatch(new RegExp(`^${field}: expected `))
    expect(await served().plane.transferKeys.list(PLATFORM, 9)).toEqual([])
  })

  it('8 uses are taken; a scope that makes the key too long is not', async () => {
    expect(await mint({ max_uses: 8 })).toMatchObject({ status: 201 })
    const paths = Array.from({ length: 20 }, () => '\u00fc'.repeat(128))
    expect(await mint({ scope: { paths } })).toMatchObject({ status: 400 })
  })

  it('is between two known hosts of the license', async () => {
    const refused = { status: 404, body: { error: 'agent not found / not owned' } }
    expect(await mint({ source_fingerprint: 'fp-none' })).toMatchObject(refused)
    const { license, key } = await served().plane.licenses.issue({ label: 'foreign' })
    await attach(license.id, 'fp-foreign')
    expect(await mint({ target_fingerprint: 'fp-foreign' })).toMatchObject(refused)
    const headers = { authorization: `Bearer ${key}` }
    expect(await ask({ source_fingerprint: 'fp-src', target_fingerprint: 'fp-dst' }, headers)).toMatchObject(
      refused,
    )
    expect(await mint({ target_fingerprint: 'fp-src' })).toMatchObject({
      status: 409,
      body: { error: 'source and target are the same host' },
    })
  })

  it('carries the pin of a TLS key in one spelling, and asks for no PIN then', async () => {
    const hex = 'ab'.repeat(32)
    const base64 = Buffer.from(hex, 'hex').toString('base64')
    for (const pin of [`sha256:${hex}`, `sha256:${hex.toUpperCase()}`, `sha256/${base64}`]) {
      const answer = await minted({ pin })
      expect(answer).toMatchObject({ pin_required: false })
      expect(payloadOf(answer.key).pin).toEqual({ spki: `sha256/${base64}` })
    }
    expect(await minted({ pin: `sha256/${base64.slice(0, -2)}` })).toMatchObject({ pin_required: true })
  })
})

describe('redeeming a transfer key', () => {
  it('opens a session for the peer that listens, and notes it', async () => {
    const { key, id } = await minted({ max_uses: 2, scope: { app: 'shop', max_bytes: 1e6 } })
    const answer = await redeem(key)
    expect(answer).toMatchObject({
      status: 200,
      body: { ok: true, id, mode: 'pull', uses_left: 1, scope: { app: 'shop', max_bytes: 1e6 } },
    })
    const { transfer_id } = answer.body as { transfer_id: string }
    expect(await served().plane.transferKeys.uses(id)).toMatchObject([
      { id: transfer_id, callerFingerprint: 'fp-src', peerFingerprint: 'fp-dst' },
    ])
  })

  it('in drop mode it is the target that listens', async () => {
    const { key } = await minted({ mode: 'drop' })
    const other = { status: 403, body: { error: 'transfer key not for this host' } }
    expect(await redeem(key)).toMatchObject(other)
    expect(await redeem(key, { fingerprint: 'fp-dst', peer_fingerprint: 'fp-src' })).toMatchObject({
      status: 200,
    })
  })

  it('is for its two hosts alone, and for its license alone', async () => {
    const { key, id } = await minted()
    const other = { status: 403, body: { error: 'transfer key not for this host' } }
    expect(await redeem(key, { fingerprint: 'fp-third' })).toMatchObject(other)
    expect(await redeem(key, { peer_fingerprint: 'fp-third' })).toMatchObject(other)
    expect(await redeem(key, { fingerprint: 'fp-dst', peer_fingerprint: 'fp-src' })).toMatchObject(other)
    expect(await redeem(key, { fingerprint: 'fp-none' })).toMatchObject({ status: 404 })
    const { license, key: bearer } = await served().plane.licenses.issue({ label: 'foreign' })
    await attach(license.id, 'fp-src', 'fp-dst')
    const headers = { authorization: `Bearer ${bearer}` }
    expect(await redeem(key, {}, headers)).toMatchObject(INVALID)
    expect(await stored(id)).toMatchObject({ uses: 0 })
  })

  it('fails when any byte of it was changed, when it is cut, and when it is another kind of token', async () => {
    const { key, id } = await minted()
    const [head = '', body = '', tail = ''] = key.split('.')
    const flipped = (text: string, at: number) =>
      `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
    const activation = await served().post('/v1/license/activate', { fingerprint: 'fp-src' })
    const { token } = activation.body as { token: string }
    const bad = [
      ...Array.from({ length: key.length }, (_, at) => flipped(key, at)).filter((_, at) => at % 23 === 0),
      flipped(key, key.length - 1),
      `${head}.${body}`,
      `${head}.${body}.`,
      `${head}..${tail}`,
      `${key}.x`,
      `${key}=`,
      ` ${key}`,
      key.replace('svct_v1', 'svct_v2'),
      edited(key, { max: 8 }),
      edited(key, { src: payloadOf(key).dst, dst: payloadOf(key).src }),
      edited(key, { lic: 'lic_other' }),
      edited(key, { exp: payloadOf(key).exp + 9 }),
      token,
      `svct_v1.${token.split('.').slice(1).join('.')}`,
      `svct_v1.${token}`,
      'x',
    ]
    for (const text of bad) {
      const { plane } = served()
      const answer = await plane.transferKeys.redeem(served().licenseId, {
        key: text,
        fingerprint: 'fp-src',
        peer_fingerprint: 'fp-dst',
      })
      expect([text, answer]).toEqual([text, { outcome: 'invalid' }])
    }
    expect(await redeem(bad[0] ?? '')).toMatchObject(INVALID)
    expect(await redeem(token)).toMatchObject(INVALID)
    expect(await redeem('k'.repeat(5 * 1024))).toMatchObject({
      status: 400,
      body: { details: ['key: expected a string of 1 to 4096 characters'] },
    })
    expect(await stored(id)).toMatchObject({ uses: 0 })
    expect(await redeem(key)).toMatchObject({ status: 200 })
  })

  it('works once, also when twenty ask at once', async () => {
    const { key } = await minted()
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(key)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(19)
    expect(await redeem(key)).toMatchObject(ended('used up'))
  })

  it('three uses of a hundred at once are three', async () => {
    const { key, id } = await minted({ max_uses: 3 })
    const given = { key, fingerprint: 'fp-src', peer_fingerprint: 'fp-dst' }
    const { plane, licenseId } = served()
    const asked = Array.from({ length: 100 }, () => plane.transferKeys.redeem(licenseId, given))
    const opened = (await Promise.all(asked)).filter(({ outcome }) => outcome === 'redeemed')
    expect(opened).toHaveLength(3)
    expect(await plane.transferKeys.uses(id)).toHaveLength(3)
  })

  it('ends to the second, and when it is revoked', async () => {
    const [one, two] = [await minted({ ttl_s: 60 }), await minted()]
    served().clock.advance({ seconds: 59 })
    expect(await ask({ action: 'revoke', id: two.id })).toMatchObject({ status: 200, body: { ok: true } })
    expect(await redeem(two.key)).toMatchObject(ended('revoked'))
    served().clock.advance({ seconds: 1 })
    expect(await redeem(one.key)).toMatchObject(ended('expired'))
    expect(await ask({ action: 'revoke', id: two.id })).toMatchObject({ status: 200 })
    expect(await ask({ action: 'revoke', id: 'xfr_none' })).toMatchObject({ status: 404 })
    const { key: bearer } = await served().plane.licenses.issue({ label: 'foreign' })
    const headers = { authorization: `Bearer ${bearer}` }
    expect(await ask({ action: 'revoke', id: one.id }, headers)).toMatchObject({ status: 404 })
  })

  it('a PIN is right or wrong; five wrong ones lock the key for good and count no use', async () => {
    const { key, id } = await minted({ pin: '4711', max_uses: 2 })
    const rejected = (attempts_left: number) => ({
      status: 403,
      body: { error: 'pin rejected', attempts_left },
    })
    expect(await redeem(key)).toMatchObject(rejected(5))
    expect(await redeem(key, { pin: '0000' })).toMatchObject(rejected(4))
    // A request without a PIN is no guess, and hears how many are left.
    expect(await redeem(key)).toMatchObject(rejected(4))
    expect(await redeem(key, { pin: '4711' })).toMatchObject({ status: 200, body: { uses_left: 1 } })
    for (const left of [3, 2, 1]) expect(await redeem(key, { pin: '47110' })).toMatchObject(rejected(left))
    expect(await redeem(key, { pin: ' 4711' })).toMatchObject(ended('locked'))
    expect(await redeem(key, { pin: '4711' })).toMatchObject(ended('locked'))
    expect(await redeem(key)).toMatchObject(ended('locked'))
    expect(await stored(id)).toMatchObject({ uses: 1, pinFails: 5 })
    expect(await counted(served().plane, 'svc_transfer_keys_minted_total')).toEqual({ '': 1 })
    expect(await counted(served().plane, 'svc_transfer_redemptions_total')).toEqual({
      '{outcome="redeemed"}': 1,
      '{outcome="pin-rejected"}': 6,
      '{outcome="ended"}': 3,
    })
  })

  it('a crowd of guesses gets five, and a crowd with the right PIN is not locked out', async () => {
    const [one, two] = [
      await minted({ pin: '4711', max_uses: 8 }),
      await minted({ pin: '4711', max_uses: 8 }),
    ]
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, at) => redeem(one.key, { pin: String(4706 + at) })),
    )
    expect(guesses.filter(({ status }) => status === 403)).toHaveLength(4)
    expect(guesses.filter(({ status }) => status === 200)).toHaveLength(0)
    const right = await Promise.all(Array.from({ length: 8 }, () => redeem(two.key, { pin: '4711' })))
    expect(right.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  })
})

describe('the route of transfer keys', () => {
  it('is at its path under /api alone, and counts each action by itself', async () => {
    expect(await served().post('/v1/transfer/keys', {})).toMatchObject({ status: 404 })
    for (let asked = 0; asked < 30; asked += 1)
      expect(await ask({ action: 'revoke', id: 'xfr_none' })).toMatchObject({ status: 404 })
    expect(await ask({ action: 'revoke', id: 'xfr_none' })).toMatchObject({
      status: 429,
      body: { error: 'rate limit exceeded' },
    })
    expect(await mint()).toMatchObject({ status: 201 })
  })

  it('refuses a license’s fifty-first active key', async () => {
    const { plane, licenseId } = served()
    const given = { source_fingerprint: 'fp-src', target_fingerprint: 'fp-dst', mode: 'pull' } as const
    for (let made = 0; made < 50; made += 1)
      await plane.transferKeys.mint(licenseId, { ...given, max_uses: 1, ttl_s: 900 })
    expect(await mint()).toMatchObject({
      status: 409,
      body: { error: 'too many active transfer keys for this license' },
    })
  })
})

describe('a plane without a signing key', () => {
  const unsigned = serving({ env: { SERVICE_LICENSE_PRIVKEY: '' } })

  it('says so before it reads the body', async () => {
    const refused = { status: 503, body: { error: 'control plane signing key not configured' } }
    for (const body of [{}, { action: 'redeem' }, { action: 'revoke' }])
      expect(await unsigned().post(PATH, body)).toMatchObject(refused)
  })
})
