import { createHmac } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { SIGNERS, standardSigned } from '../../../../../test/support/git-payloads/signed.ts'
import { isSigned, knowsSecret, type SentDelivery } from '../../../src/work/git/webhook-credentials.ts'

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
const OLD = 'an-old-secret-of-ours'
const NOW = new Date('2026-01-05T09:00:00Z')
const BODY = Buffer.from('{"ref":"refs/heads/main"}')

function sent(headers: Readonly<Record<string, string>>, body = BODY): SentDelivery {
  const [, bearer] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
  return { headers, bearer, body }
}
const knows = (headers: Readonly<Record<string, string>>, body = BODY, secrets = [OLD, SECRET]) =>
  knowsSecret(sent(headers, body), secrets, NOW)

describe.each(Object.entries(SIGNERS))('a credential as of %s', (_, sign) => {
  it('is good under each secret, and under no other', () => {
    expect(knows(sign(SECRET, BODY))).toBe(true)
    expect(knows(sign(OLD, BODY))).toBe(true)
    expect(knows(sign('another-secret-of-ours', BODY))).toBe(false)
    expect(knows(sign(SECRET, BODY), BODY, [])).toBe(false)
    expect(knows(sign('', BODY), BODY, [''])).toBe(false)
  })
})

describe('a signature', () => {
  it.each(['github', 'gitea', 'forgejo', 'bitbucket'] as const)(
    'of %s covers every bit of the body',
    (name) => {
      for (const at of [0, 5, BODY.length - 1]) {
        const changed = Buffer.from(BODY)
        changed[at] = (changed[at] ?? 0) ^ 1
        expect(knows(SIGNERS[name](SECRET, BODY), changed)).toBe(false)
      }
    },
  )

  it('covers bytes that are no text', () => {
    const odd = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])
    expect(knows(SIGNERS.github(SECRET, odd), odd)).toBe(true)
    expect(knows(SIGNERS.github(SECRET, odd.toString('utf8')), odd)).toBe(false)
  })

  it.each([
    [
      'by SHA-1 alone',
      { 'x-hub-signature': `sha1=${createHmac('sha1', SECRET).update(BODY).digest('hex')}` },
    ],
    [
      'of wrong length',
      { 'x-hub-signature-256': SIGNERS.github(SECRET, BODY)['x-hub-signature-256'].slice(0, -2) },
    ],
    [
      'with more behind it',
      { 'x-hub-signature-256': `${SIGNERS.github(SECRET, BODY)['x-hub-signature-256']}00` },
    ],
    ['without its prefix', { 'x-hub-signature-256': SIGNERS.gitea(SECRET, BODY)['x-gitea-signature'] }],
    ['that is no hex', { 'x-gitea-signature': 'z'.repeat(64) }],
    ['that is empty', { 'x-hub-signature-256': '' }],
    ['behind the prefix alone', { 'x-hub-signature-256': 'sha256=' }],
    [
      'that was sent twice',
      { 'x-gitea-signature': `${SIGNERS.gitea(SECRET, BODY)['x-gitea-signature']}, x` },
    ],
  ])('%s is none', (_, headers) => {
    expect(knows(headers)).toBe(false)
  })

  it('that is wrong is not made good by a weaker credential or by another signature', () => {
    const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
    expect(isSigned(sent(wrong))).toBe(true)
    for (const weaker of [SIGNERS.bearer(SECRET), SIGNERS.gitlabToken(SECRET), SIGNERS.basic(SECRET)])
      expect(knows({ ...weaker, ...wrong })).toBe(false)
    expect(knows({ ...SIGNERS.bitbucket(SECRET, BODY), ...wrong })).toBe(false)
    expect(knows({ ...standardSigned(SECRET, BODY, { at: NOW }), ...wrong })).toBe(false)
    expect(knows({ ...SIGNERS.github(SECRET, BODY), 'webhook-signature': 'v1,x' })).toBe(false)
  })

  it('by SHA-1 beside a good one does no harm', () => {
    const good = SIGNERS.github(SECRET, BODY)
    expect(knows({ ...good, 'x-hub-signature': `sha1=${'0'.repeat(40)}` })).toBe(true)
    expect(isSigned(sent({ 'x-hub-signature': `sha1=${'0'.repeat(40)}` }))).toBe(false)
  })
})

describe('a signature of Standard Webhooks', () => {
  const good = standardSigned(SECRET, BODY, { at: NOW })
  const at = (seconds: number) =>
    standardSigned(SECRET, BODY, { at: new Date(NOW.getTime() + seconds * 1000) })

  it('is good for five minutes in both directions', () => {
    expect([-300, 0, 300].map((seconds) => knows(at(seconds)))).toEqual([true, true, true])
    expect([-301, 301].map((seconds) => knows(at(seconds)))).toEqual([false, false])
  })

  it('covers name, time and body', () => {
    expect(knows({ ...good, 'webhook-id': 'msg_2' })).toBe(false)
    expect(knows({ ...good, 'webhook-timestamp': String(NOW.getTime() / 1000 - 1) })).toBe(false)
    expect(knows(good, Buffer.from('{}'))).toBe(false)
    for (const name of ['webhook-id', 'webhook-timestamp']) {
      const { [name]: _, ...rest } = good
      expect(knows(rest)).toBe(false)
    }
  })

  it('may be one of several, and of a version that nobody knows', () => {
    const signature = good['webhook-signature']
    expect(knows({ ...good, 'webhook-signature': `v1,AAAA v1a,xyz ${signature}` })).toBe(true)
    expect(knows({ ...good, 'webhook-signature': signature?.replace('v1,', 'v2,') ?? '' })).toBe(false)
  })

  it('needs a secret of its own form', () => {
    const own = 'not-of-the-form-at-all'
    const key = Buffer.from(own, 'base64').toString('base64')
    expect(knows(standardSigned(`whsec_${key}`, BODY, { at: NOW }), BODY, [own])).toBe(false)
    expect(knows(standardSigned('whsec_', BODY, { at: NOW }), BODY, ['whsec_'])).toBe(false)
  })
})

describe('a credential', () => {
  it.each([
    { authorization: 'Basic !!!' },
    { authorization: `Basic ${Buffer.from(SECRET).toString('base64')}` },
    { authorization: `Bearer ${SECRET}x` },
    { 'x-gitlab-token': '' },
    { 'x-secret': SECRET },
    {},
  ])('%j is none', (headers) => {
    expect(knows(headers as Readonly<Record<string, string>>)).toBe(false)
  })
})
