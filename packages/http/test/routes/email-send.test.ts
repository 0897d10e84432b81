// Sending over HTTP. A real relay listens, and sees no connection for a message that is refused.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import type { EmailDomain } from '@svc/core/ports'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { verifiedDomain } from '../../../../test/support/sending-domain.ts'
import { type LoopbackSmtp, loopbackSmtp } from '../../../../test/support/smtp-server.ts'

const SEND = '/api/v1/email/send'
const KEYS = '/api/v1/email/keys'
const BODY = { from: 'ann@mail.example.com', to: 'bob@example.net', subject: 'hello', text: 'Good morning.' }
let relay: LoopbackSmtp
let served: Mounted
let domain: EmailDomain

beforeAll(async () => {
  relay = await loopbackSmtp()
  const env = { EMAIL_SMTP_URL: relay.url, EMAIL_SMTP_ALLOW_PLAINTEXT: 'true', EMAIL_DAILY_LIMIT: '200' }
  served = await mounted(undefined, { env })
  domain = await verifiedDomain(served.plane, served.licenseId, 'mail.example.com')
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await relay[Symbol.asyncDispose]()
})
afterEach(() => {
  served.clock.advance({ minutes: 1 })
})

const send = (body: object | string, headers: Record<string, string> = {}) => served.post(SEND, body, headers)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const queued = async () => (await served.plane.emails.list({ limit: 100 })).messages.length
async function keyOf(input: object = {}): Promise<{ id: string; token: string }> {
  const { body } = await served.post(KEYS, { name: 'app', ...input })
  const { key, token } = body as { key: { id: string }; token: string }
  return { id: key.id, token }
}

const many = (count: number) => Array.from({ length: count }, (_, at) => `r${at}@example.net`)
const file = (more: object = {}) => ({ filename: 'a.txt', content: 'YQ==', ...more })
/** Large bodies are made in their test. */
type Change = object | (() => object)
const BAD: readonly (readonly [title: string, body: Change, detail?: string])[] = [
  [
    'a recipient with a line end',
    { to: 'a@x.example\r\nRCPT TO:<b@x.example>' },
    'to: expected exactly one mailbox',
  ],
  ['two senders', { from: 'ann@mail.example.com, boss@bank.example' }, 'from: expected exactly one mailbox'],
  ['a subject with a line end', { subject: 'a\r\nBcc: z@x.example' }],
  ['a subject with a lone LF', { subject: 'a\nb' }],
  ['a subject with a bidi mark', { subject: 'a\u202eb' }],
  ['a header with a line end', { headers: { 'X-A': '1\r\nBcc: z@x.example' } }],
  ['a header name with a colon', { headers: { 'X-A: 1\r\nBcc': 'z@x.example' } }],
  ['a header that is ours', { headers: { Bcc: 'z@x.example' } }],
  ['a header that is ours, spelled otherwise', { headers: { 'dkim-signature': 'v=1' } }],
  ['one header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'headers: expected each name once'],
  ['too many headers', { headers: Object.fromEntries(many(21).map((_, at) => [`X-H${at}`, '1'])) }],
  ['a group', { to: 'Undisclosed: a@x.example, b@x.example;' }],
  ['a list in one text', { to: 'a@x.example, b@x.example' }],
  ['a quoted local-part', { to: '"a b"@x.example' }],
  ['a quoted local-part with a second address', { to: '"a@evil.example"@x.example' }],
  ['a domain literal', { to: 'a@[127.0.0.1]' }],
  ['an address literal', { to: 'a@127.0.0.1' }],
  ['a source route', { to: '<@hop.example:a@x.example>' }],
  ['two pairs of brackets', { to: 'A <a@x.example> <b@x.example>' }],
  ['a comment', { to: 'a@x.example (b@x.example)' }],
  ['a single label', { to: 'root@localhost' }],
  ['an empty label', { to: 'a@x..example' }],
  ['a name with an address in it', { from: '"boss@bank.example" <ann@mail.example.com>' }],
  ['an encoded word for a name', { from: '=?utf-8?q?boss?= <ann@mail.example.com>' }],
  ['a name in UTF-7 with a line end', { from: '+AA0ACg- <ann@mail.example.com>\r\n' }],
  ['a name with a bidi mark', { from: '\u202ellib <ann@mail.example.com>' }],
  ['a long name', { from: `${'n'.repeat(129)} <ann@mail.example.com>` }],
  ['a long local-part', { to: `${'a'.repeat(65)}@x.example` }],
  ['a recipient of 321 characters', { to: `a@${'b'.repeat(319)}` }],
  ['no recipient', { to: [] }],
  ['51 recipients', { to: many(51) }],
  [
    '51 recipients in three lists',
    { to: many(17), cc: many(17), bcc: many(17) },
    'to: expected at most 50 recipients in to, cc and bcc',
  ],
  ['a hundred thousand recipients', () => ({ to: many(100_000) })],
  ['six replies-to', { reply_to: many(6) }],
  ['a bad reply-to', { reply_to: 'x' }],
  ['no text', { text: undefined }, 'text or html is required'],
  ['an empty subject', { subject: '' }],
  ['a subject of 999 characters', { subject: 's'.repeat(999) }],
  ['a text of 512 KiB and one', () => ({ text: 't'.repeat(524_289) })],
  ['a path as a file name', { attachments: [file({ filename: '../etc/passwd' })] }],
  ['a backslash in a file name', { attachments: [file({ filename: 'a\\b.txt' })] }],
  ['a program', { attachments: [file({ filename: 'a.EXE' })] }],
  ['a program with a dot behind it', { attachments: [file({ filename: 'a.exe. ' })] }],
  ['a file name turned around', { attachments: [file({ filename: 'a\u202etxt.exe' })] }],
  ['base64 that is none', { attachments: [file({ content: '@@@@' })] }],
  ['base64 without its end', { attachments: [file({ content: 'YQ=' })] }],
  ['a file by its path', { attachments: [{ filename: 'a.txt', path: '/etc/passwd' }] }],
  ['a media type with a line end', { attachments: [file({ content_type: 'text/plain\r\nX-A: 1' })] }],
  ['eleven files', { attachments: Array.from({ length: 11 }, () => file()) }],
  ['files of more than 5 MiB', () => ({ attachments: [file({ content: 'A'.repeat(6_990_512) })] })],
  ['a tag with a blank', { tags: { 'a b': 'c' } }],
  ['eleven tags', { tags: Object.fromEntries(many(11).map((_, at) => [`t${at}`, 'v'])) }],
  ['an instant in the past', { send_at: 1 }, 'send_at: expected an instant from now to seven days from now'],
  ['an instant in eight days', { send_at: 4_000_000_000 }],
  ['an instant that is no number', { send_at: '2030-01-01' }],
  ['a number for a sender', { from: 5 }],
  ['null for a sender', { from: null }],
]

describe('A message', () => {
  // Each row is whole, since Jest would give a missing argument as its callback.
  it.each(BAD.map(([title, change, detail = '']) => [title, change, detail] as const))(
    'with %s is refused, and no byte of it leaves',
    async (_title, change, detail) => {
      const [messages, connections] = [await queued(), relay.seen.connections]
      const answer = await send({ ...BODY, ...(typeof change === 'function' ? change() : change) })
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid request body' } })
      if (detail !== '') expect(answer.body).toMatchObject({ details: expect.arrayContaining([detail]) })
      await served.plane.emails.deliver()
      expect([await queued(), relay.seen.connections]).toEqual([messages, connections])
    },
  )

  it('that is larger than 8 MiB is refused by its size', async () => {
    expect(await send({ ...BODY, extra: 'x'.repeat(8 * 1024 * 1024) })).toMatchObject({ status: 413 })
    expect(await send('{"from":')).toMatchObject({ status: 400, body: { error: 'invalid JSON body' } })
  })

  it('that is good is queued, with each recipient once', async () => {
    const answer = await send({
      ...BODY,
      to: ['Bob <bob@Example.NET>', 'bob@example.net'],
      cc: 'eve@example.net',
      bcc: ['bob@example.net', 'mallory@example.net'],
      constructor: 'is stripped',
    })
    expect(answer).toMatchObject({ status: 202, body: { state: 'queued', recipients: 3, suppressed: [] } })
    const { id } = answer.body as { id: string }
    expect(id).toMatch(/^em_[0-9a-z]{26}$/)
    const message = await served.plane.emails.find(id)
    expect(message.recipients.map(({ address, role }) => `${role} ${address}`)).toEqual([
      'to bob@example.net',
      'cc eve@example.net',
      'bcc mallory@example.net',
    ])
    expect((await served.storage.emailMessages.body(id))?.text).toMatch(/^v1:body:/)
  })

  it('from a domain that is unknown, unverified or of others is refused in one sentence', async () => {
    const { id } = await served.license()
    await verifiedDomain(served.plane, id, 'other.example.com')
    await served.plane.emailDomains.add(served.licenseId, 'new.example.com')
    for (const name of ['none.example.com', 'new.example.com', 'other.example.com', 'sub.mail.example.com'])
      expect(await send({ ...BODY, from: `ann@${name}` })).toMatchObject({
        status: 422,
        body: { error: 'sending domain not verified' },
      })
  })

  it('without a relay is refused, and nothing is queued', async () => {
    for (const env of [
      {},
      { EMAIL_SMTP_URL: 'http://relay.example' },
      { EMAIL_SMTP_URL: relay.url, EMAIL_DAILY_LIMIT: 'x' },
    ]) {
      await using closed = await mounted(undefined, { env })
      expect(await closed.post(SEND, BODY)).toMatchObject({
        status: 503,
        body: { error: 'email delivery not configured' },
      })
      expect(await closed.post('/api/v1/email/alerts/run', {})).toMatchObject({ status: 503 })
      expect((await closed.plane.emails.list({ limit: 1 })).messages).toEqual([])
    }
  })

  it('goes past suppressed addresses, and nowhere if all are', async () => {
    const bounced = { owner: served.licenseId, address: 'Gone@example.net', reason: 'no_mailbox', days: 30 }
    await served.storage.emailSuppressions.add(bounced, served.clock.now())
    const to = ['gone@example.net', 'bob@example.net']
    expect(await send({ ...BODY, to })).toMatchObject({
      status: 202,
      body: { recipients: 1, suppressed: ['gone@example.net'] },
    })
    expect(await send({ ...BODY, to: 'GONE@example.net' })).toMatchObject({
      status: 422,
      body: { error: 'all recipients suppressed' },
    })
    await served.plane.emails.unsuppress(served.licenseId, 'gone@example.net')
    expect(await send({ ...BODY, to: 'gone@example.net' })).toMatchObject({ status: 202 })
  })

  it('of a day beyond the quota is refused until midnight, over all keys', async () => {
    const { id, key } = await served.license()
    await verifiedDomain(served.plane, id, 'quota.example.com')
    const one = { ...BODY, from: 'a@quota.example.com' }
    for (let sent = 0; sent < 4; sent += 1)
      expect(await send({ ...one, to: many(50) }, bearer(key))).toMatchObject({ status: 202 })
    const answer = await send(one, bearer(key))
    expect(answer).toMatchObject({ status: 429, body: { error: 'daily email quota exceeded' } })
    const left = 86_400 - ((served.clock.now().getTime() / 1000) % 86_400)
    expect(Number(answer.headers['retry-after'])).toBe(Math.ceil(left))
    served.clock.advance({ days: 1 })
    expect(await send(one, bearer(key))).toMatchObject({ status: 202 })
  })
})

describe('An Idempotency-Key', () => {
  const once = (key: string, body: object = BODY) => send(body, { 'idempotency-key': key })

  it('of twenty requests at once is one message, and one answer', async () => {
    const before = await queued()
    const answers = await Promise.all(Array.from({ length: 20 }, () => once('twenty')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await queued()).toBe(before + 1)
  })

  it('with another body is refused, whatever the order of fields', async () => {
    const { text } = await once('order')
    const { subject, ...rest } = BODY
    expect((await once('order', { subject, ...rest })).text).toBe(text)
    expect(await once('order', { ...BODY, subject: 'other' })).toMatchObject({
      status: 409,
      body: { error: 'idempotency key reused with a different body' },
    })
  })

  it('counts for its license alone, and for a day', async () => {
    const { text } = await once('day')
    const { id, key } = await served.license()
    await verifiedDomain(served.plane, id, 'mail.example.com')
    expect((await send(BODY, { 'idempotency-key': 'day', ...bearer(key) })).text).not.toBe(text)
    served.clock.advance({ hours: 23 })
    expect((await once('day')).text).toBe(text)
    served.clock.advance({ hours: 1 })
    expect((await once('day')).text).not.toBe(text)
  })

  it('of a refused message remembers nothing', async () => {
    const refused = { ...BODY, from: 'ann@none.example.com' }
    expect(await once('refused', refused)).toMatchObject({ status: 422 })
    expect(await once('refused', BODY)).toMatchObject({ status: 202 })
  })

  it.each(['', 'x'.repeat(257), 'a\u00e9'])(
    'that is not 1 to 256 printable characters is refused: %j',
    async (key) => {
      expect(await once(key)).toMatchObject({
        status: 400,
        body: { details: ['Idempotency-Key: expected 1 to 256 printable ASCII characters'] },
      })
    },
  )
})

describe('A sending key', () => {
  it('is shown once, and lies in the database as a digest', async () => {
    const answer = await served.post(KEYS, { name: 'app', domain_id: domain.id })
    expect(answer).toMatchObject({
      status: 201,
      body: { key: { name: 'app', domain_id: domain.id, last_used_at: 0 } },
    })
    const { token, key } = answer.body as { token: string; key: { id: string; prefix: string } }
    expect(token).toMatch(/^svce_[0-9A-Za-z]{40}$/)
    expect(token.startsWith(key.prefix)).toBe(true)
    expect(key.prefix).toHaveLength(9)
    const shown = await served.get(`${KEYS}/${key.id}`)
    expect(shown.text).not.toContain(token.slice(9))
    expect(JSON.stringify(await served.storage.emailKeys.list(PLATFORM, { limit: 100 }))).not.toContain(
      token.slice(9),
    )
  })

  it('sends from its domain alone, opens nothing else, and ends at once', async () => {
    const { id, token } = await keyOf({ domain_id: domain.id })
    await verifiedDomain(served.plane, served.licenseId, 'second.example.com')
    expect(await send(BODY, bearer(token))).toMatchObject({ status: 202 })
    for (const from of ['ann@second.example.com', 'ann@none.example.com'])
      expect(await send({ ...BODY, from }, bearer(token))).toMatchObject({
        status: 403,
        body: { error: 'sending domain not allowed for this key' },
      })
    for (const path of [
      '/api/v1/email/domains',
      KEYS,
      `${KEYS}/${id}`,
      '/v1/fleet/servers',
      '/api/v1/fleet/alerts',
    ])
      expect(await served.get(path, bearer(token))).toMatchObject({ status: 401 })
    expect((await served.plane.emailKeys.find(PLATFORM, id)).lastUsedAt).toEqual(served.clock.now())
    expect(
      await served.send({ method: 'DELETE', path: `${KEYS}/${id}`, headers: bearer(served.key) }),
    ).toMatchObject({
      status: 200,
      body: { ok: true },
    })
    expect(await send(BODY, bearer(token))).toMatchObject({ status: 401 })
    expect(await served.get(`${KEYS}/${id}`)).toMatchObject({ status: 404 })
  })

  it('is no license in development either, where any text is one', async () => {
    await using open = await mounted(undefined, {
      env: { NODE_ENV: 'development', EMAIL_SMTP_URL: relay.url },
    })
    expect(await open.get('/v1/fleet/servers', bearer(`svce_${'a'.repeat(40)}`))).toMatchObject({
      status: 401,
    })
    expect(await open.get('/v1/fleet/servers', bearer('anything'))).toMatchObject({ status: 200 })
  })

  it('ends with its license, and with its time', async () => {
    const { id, key: license } = await served.license()
    await verifiedDomain(served.plane, id, 'ends.example.com')
    const expires_at = Math.floor(served.clock.now().getTime() / 1000) + 3600
    const made = await served.post(KEYS, { name: 'app', expires_at }, bearer(license))
    const { token } = made.body as { token: string }
    const mine = () => send({ ...BODY, from: 'a@ends.example.com' }, bearer(token))
    expect(await mine()).toMatchObject({ status: 202 })
    await served.plane.licenses.suspend(id)
    expect(await mine()).toMatchObject({ status: 401 })
    await served.plane.licenses.reinstate(id)
    expect(await mine()).toMatchObject({ status: 202 })
    served.clock.advance({ hours: 1 })
    expect(await mine()).toMatchObject({ status: 401 })
  })

  it.each([
    [{ name: '' }, 400],
    [{ name: 'a\u0007b' }, 400],
    [{ name: 'x'.repeat(65) }, 400],
    [{ name: 'app', expires_at: 1 }, 400],
    [{ name: 'app', expires_at: 4_102_444_800 }, 400],
    [{ name: 'app', domain_id: 'dom_00000000000000000000000000' }, 404],
  ])('is not made of %j', async (body, status) => {
    expect(await served.post(KEYS, body)).toMatchObject({ status })
  })

  it('of another license, and a domain of it, do not exist', async () => {
    const other = await served.license()
    const { id } = await keyOf()
    expect(await served.get(`${KEYS}/${id}`, bearer(other.key))).toMatchObject({ status: 404 })
    expect(await served.post(KEYS, { name: 'app', domain_id: domain.id }, bearer(other.key))).toMatchObject({
      status: 404,
    })
  })

  it('is one of at most twenty', async () => {
    const { key } = await served.license()
    for (let made = 0; made < 20; made += 1) await served.post(KEYS, { name: `k${made}` }, bearer(key))
    served.clock.advance({ minutes: 1 })
    expect(await served.post(KEYS, { name: 'more' }, bearer(key))).toMatchObject({
      status: 409,
      body: { error: 'key limit reached' },
    })
    const page = await served.get(`${KEYS}?limit=15`, bearer(key))
    expect((page.body as { keys: unknown[] }).keys).toHaveLength(15)
  })
})
