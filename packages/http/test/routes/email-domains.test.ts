// Sending domains over HTTP, checked against a real DNS server on loopback.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type EmailDomainView, nodeDnsClient, PLATFORM } from '@svc/core'
import { FakeClock } from '@svc/testing'
import { type LoopbackDns, loopbackDns, type ZoneEntry } from '../../../../test/support/dns-server.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'

const PATH = '/api/v1/email/domains'
const RELAY = '203.0.113.5'
const clock = new FakeClock()
let dns: LoopbackDns
let served: Mounted

beforeAll(async () => {
  dns = await loopbackDns()
  const env = { EMAIL_SPF_INCLUDE: '_spf.svc.example', EMAIL_SPF_IPS: RELAY, EMAIL_DNS_SERVERS: dns.server }
  served = await mounted(undefined, { clock, env, parts: { dns: nodeDnsClient({ tryMs: 150 }) } })
  dns.zone.set('_spf.svc.example', txt(`v=spf1 ip4:${RELAY} -all`))
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

const txt = (...texts: (string | readonly string[])[]): ZoneEntry => ({
  TXT: texts.map((data) => ({ data })),
})
type RecordView = EmailDomainView['records'][number]
const recordOf = ({ records }: EmailDomainView, kind: string): RecordView => {
  const found = records.find(({ record, required }) => record === kind && (required || kind !== 'DKIM'))
  if (found === undefined) throw new Error(`no ${kind} record`)
  return found
}

let made = 0
/** A new domain of a license of its own, so that no limit of one license is in the way. */
async function added(): Promise<EmailDomainView> {
  made += 1
  const { id } = await served.license()
  const { domain } = await served.plane.emailDomains.add(id, `mail.d${made}.example.com`)
  return viewOf(domain.id)
}
async function viewOf(id: string): Promise<EmailDomainView> {
  const { domain } = await served.plane.operations.run('email-domains.show', { id }, 'ann')
  return domain as EmailDomainView
}
/** Publishes every record as it was asked for. */
function publish({ records }: EmailDomainView): void {
  for (const { name, value } of records) if (value !== undefined) dns.zone.set(name, txt(strings(value)))
}
interface Body {
  readonly domain: EmailDomainView
  readonly domains: readonly EmailDomainView[]
  readonly next_cursor?: string
}
const bodyOf = ({ body }: { readonly body: unknown }): Body => body as Body
const strings = (value: string): readonly string[] => value.match(/.{1,255}/g) ?? []
const verified = (id: string) => served.plane.emailDomains.verify(PLATFORM, id)
async function checked(domain: EmailDomainView): Promise<EmailDomainView> {
  await verified(domain.id)
  return viewOf(domain.id)
}

describe('Sending domains over HTTP', () => {
  it('a domain that was added says what to publish; published word for word, it verifies', async () => {
    const created = await served.post(PATH, { name: 'Mail.Example.com.' })
    expect(created.status).toBe(201)
    const { domain } = bodyOf(created)
    expect(domain).toMatchObject({
      name: 'mail.example.com',
      status: 'pending',
      verified_at: 0,
      checked_at: 0,
    })
    expect(domain.id).toMatch(/^dom_[0-9a-z]{26}$/)
    expect(domain.records.map(({ record, host, status }) => [record, host, status])).toEqual([
      ['DKIM', expect.stringMatching(/^svc[0-9a-f]{12}\._domainkey\.mail$/), 'pending'],
      ['SPF', 'mail', 'pending'],
      ['DMARC', '_dmarc.mail', 'pending'],
    ])
    expect(recordOf(domain, 'SPF').value).toBe('v=spf1 include:_spf.svc.example ~all')
    publish(domain)
    const answer = await served.post(`${PATH}/${domain.id}/verify`, {})
    expect(answer).toMatchObject({ status: 200, body: { verified: true, changed: true } })
    expect(bodyOf(answer).domain).toMatchObject({ status: 'verified', verified_at: expect.any(Number) })
    expect((await served.post(`${PATH}/${domain.id}/verify`)).body).toMatchObject({
      verified: true,
      changed: false,
    })
    const again = await served.post(PATH, { name: 'mail.example.com' })
    expect(again).toMatchObject({ status: 200, body: { domain: { id: domain.id } } })
    expect(bodyOf(await served.get(PATH)).domains).toHaveLength(1)
  })

  it('a list is read in pages', async () => {
    await served.post(PATH, { name: 'more.example.com' })
    const first = await served.get(`${PATH}?limit=1`)
    const { domains, next_cursor: cursor } = bodyOf(first)
    expect(domains).toHaveLength(1)
    const rest = await served.get(`${PATH}?limit=1&cursor=${cursor}`)
    expect(rest.body).toEqual({ domains: [expect.objectContaining({ name: 'more.example.com' })] })
    expect(await served.get(`${PATH}?cursor=x`)).toMatchObject({
      status: 400,
      body: { details: ['cursor: expected the next_cursor of an earlier answer'] },
    })
    expect(await served.get(`${PATH}?limit=101`)).toMatchObject({ status: 400 })
  })

  it.each([
    [{ name: 'co.uk' }, 'name: not a registrable domain'],
    [{ name: '192.0.2.1' }, 'name: not a registrable domain'],
    [{ name: 'a..b' }, 'name: not a registrable domain'],
    [{ name: '*.example.com' }, 'name: not a registrable domain'],
    [{ name: '' }, 'name: expected a string of 1 to 254 characters'],
    [{}, 'name: expected a string of 1 to 254 characters'],
  ])('refuses %j and stores nothing', async (body, detail) => {
    const before = bodyOf(await served.get(PATH)).domains
    expect(await served.post(PATH, body)).toMatchObject({
      status: 400,
      body: { error: 'invalid request body', details: [detail] },
    })
    expect(bodyOf(await served.get(PATH)).domains).toEqual(before)
    clock.advance({ minutes: 1 })
  })

  it('another license has a domain of the same name, with a key of its own, and sees no other', async () => {
    const other = await served.license()
    const headers = { authorization: `Bearer ${other.key}` }
    const { domain } = bodyOf(await served.post(PATH, { name: 'mail.example.com' }, headers))
    const [own = domain] = bodyOf(await served.get(PATH)).domains
    expect(domain.id).not.toBe(own.id)
    expect(recordOf(domain, 'DKIM').name).not.toBe(recordOf(own, 'DKIM').name)
    expect(await served.post(`${PATH}/${own.id}/verify`, {}, headers)).toMatchObject({
      status: 404,
      body: { error: 'not found' },
    })
  })

  it('a license has ten domains', async () => {
    const { id, key } = await served.license()
    for (let each = 0; each < 10; each += 1) {
      const name = `d${each}.example.org`
      const dkim = { selector: `sel${id.slice(-8)}${each}`, privateKey: 'v1:x', publicKey: 'x' }
      await served.storage.emailDomains.add({ id: served.ids.next('dom'), owner: id, name, key: dkim }, 10)
    }
    const headers = { authorization: `Bearer ${key}` }
    expect(await served.post(PATH, { name: 'd10.example.org' }, headers)).toMatchObject({
      status: 409,
      body: { error: 'domain limit reached' },
    })
    expect(await served.post(PATH, { name: 'd3.example.org' }, headers)).toMatchObject({ status: 200 })
  })

  it('is not served as an agent route', async () => {
    expect((await served.get('/v1/email/domains')).status).toBe(404)
    expect((await served.send({ method: 'DELETE', path: PATH })).status).toBe(405)
  })

  it('without a word on who sends, and without a key for secrets, nothing is added', async () => {
    await using none = await mounted(undefined, { env: { EMAIL_SPF_INCLUDE: undefined } })
    expect(await none.post(PATH, { name: 'mail.example.com' })).toMatchObject({
      status: 503,
      body: { error: 'email domains not configured' },
    })
    await using bad = await mounted(undefined, {
      env: { EMAIL_SPF_IPS: 'x', EMAIL_SPF_INCLUDE: 'spf.example.com' },
    })
    expect(await bad.post(PATH, { name: 'mail.example.com' })).toMatchObject({ status: 503 })
    expect((await bad.get('/api/v1/email/domains')).body).toEqual({ domains: [] })
  })
})

describe('The records of a domain', () => {
  it('a dropped semicolon, spaces, other tags and split strings are the same key', async () => {
    const domain = await added()
    publish(domain)
    const { name, value = '' } = recordOf(domain, 'DKIM')
    const p = value.slice(value.indexOf('p=') + 2)
    const spellings = [
      [`v=DKIM1; k=rsa; p=${p};`],
      [`p=${p}`],
      [`v=DKIM1;t=s;h=sha256;p=${p.slice(0, 50)} ${p.slice(50)}`],
    ]
    for (const spelling of spellings) {
      dns.zone.set(name, txt(spelling.flatMap((text) => text.match(/.{1,100}/g) ?? [])))
      expect(recordOf(await checked(domain), 'DKIM').status).toBe('verified')
    }
  })

  it('an alias of the selector is followed', async () => {
    const domain = await added()
    publish(domain)
    const { name, value = '' } = recordOf(domain, 'DKIM')
    dns.zone.set('key.elsewhere.example', txt(strings(value)))
    dns.zone.set(name, { CNAME: [{ domain: 'key.elsewhere.example' }] })
    expect(recordOf(await checked(domain), 'DKIM').status).toBe('verified')
  })

  it.each([
    ['two DKIM records', 'DKIM', (value: string) => txt([value.slice(0, 200)], strings(value)), 'conflict'],
    ['a revoked key', 'DKIM', () => txt('v=DKIM1; p='), 'mismatch'],
    ['another key', 'DKIM', () => txt('v=DKIM1; k=rsa; p=MIIBother'), 'mismatch'],
    ['no SPF record', 'SPF', () => txt('hello'), 'missing'],
    ['two SPF records', 'SPF', () => txt('v=spf1 -all', 'v=spf1 include:_spf.svc.example ~all'), 'conflict'],
    ['an SPF record of others', 'SPF', () => txt('v=spf1 ip4:198.51.100.1 -all'), 'mismatch'],
    ['an SPF record that lets all send', 'SPF', () => txt('v=spf1 +all'), 'insecure'],
    ['an SPF loop', 'SPF', () => txt('v=spf1 include:loop.example -all'), 'invalid'],
    ['two DMARC records', 'DMARC', () => txt('v=DMARC1; p=none', 'v=DMARC1; p=reject'), 'conflict'],
    ['a DMARC record without a policy', 'DMARC', () => txt('v=DMARC1; pct=3'), 'invalid'],
    ['texts of 48 KiB', 'SPF', () => txt(Array.from({ length: 190 }, () => 'x'.repeat(250))), 'missing'],
  ] as const)(
    '%s is told as such, and degrades a verified domain, which still sends',
    async (_, kind, zone, status) => {
      dns.zone.set('loop.example', txt('v=spf1 include:loop.example -all'))
      const domain = await added()
      publish(domain)
      expect((await checked(domain)).status).toBe('verified')
      const record = recordOf(domain, kind)
      dns.zone.set(record.name, zone(record.value ?? ''))
      const after = await checked(domain)
      expect(recordOf(after, kind)).toMatchObject({ status, detail: expect.stringMatching(/\w/) })
      for (const found of recordOf(after, kind).found ?? []) expect(found.length).toBeLessThanOrEqual(256)
      expect(after.status).toBe('degraded')
      publish(domain)
      expect((await checked(domain)).status).toBe('verified')
    },
  )

  it.each(['servfail', 'refused', 'silence'] as const)(
    'a name server that answers %s unverifies nothing, however long it lasts',
    async (fault) => {
      const domain = await added()
      publish(domain)
      await verified(domain.id)
      const names = domain.records.map(({ name }) => name)
      for (const name of names) dns.zone.set(name, fault)
      for (let day = 0; day < 5; day += 1) {
        clock.advance({ days: 1 })
        const result = await verified(domain.id)
        expect(result).toMatchObject({ verified: false, changed: false, domain: { status: 'verified' } })
      }
      const after = await viewOf(domain.id)
      expect(after.records.map(({ status }) => status)).toEqual(names.map(() => 'temporary_failure'))
      publish(domain)
    },
  )

  it('a policy of a domain above is enough, and no record is offered then', async () => {
    const domain = await added()
    publish(domain)
    dns.zone.delete(recordOf(domain, 'DMARC').name)
    const above = domain.name.replace('mail.', '_dmarc.')
    dns.zone.set(above, txt('v=DMARC1; p=reject'))
    const after = await checked(domain)
    expect(after.status).toBe('verified')
    const { value, detail, status } = recordOf(after, 'DMARC')
    expect({ value, detail, status }).toEqual({
      value: undefined,
      detail: `inherited from ${domain.name.replace('mail.', '')} (p=reject)`,
      status: 'verified',
    })
  })

  it('a record below itself is recognised as a mistake of the panel', async () => {
    const domain = await added()
    const { name, value = '' } = recordOf(domain, 'DKIM')
    const doubled = `${name}.example.com`
    dns.zone.set(doubled, txt(strings(value)))
    expect(recordOf(await checked(domain), 'DKIM')).toMatchObject({
      status: 'missing',
      detail: `published at ${doubled}: your DNS host appends the zone, use the host column`,
    })
  })

  it('a rotation publishes the next key beside the first, and signs with it when it is there', async () => {
    const domain = await added()
    publish(domain)
    await verified(domain.id)
    const first = await served.storage.emailDomains.find(PLATFORM, domain.id)
    await served.plane.emailDomains.rotate(domain.id)
    const rotating = await viewOf(domain.id)
    expect(rotating.records.map(({ record, required }) => [record, required])).toEqual([
      ['DKIM', true],
      ['DKIM', false],
      ['SPF', true],
      ['DMARC', true],
    ])
    await verified(domain.id)
    expect((await served.storage.emailDomains.find(PLATFORM, domain.id))?.key).toEqual(first?.key)
    publish(rotating)
    expect(await verified(domain.id)).toMatchObject({ verified: true, changed: false })
    const after = await served.storage.emailDomains.find(PLATFORM, domain.id)
    expect(after).toMatchObject({
      next: undefined,
      key: { selector: expect.not.stringMatching(first?.key.selector ?? '') },
    })
    expect((await viewOf(domain.id)).records).toHaveLength(3)
  })

  it('the tick checks what is due, and a domain that stays wrong fails after three days', async () => {
    const domain = await added()
    const status = async () => (await viewOf(domain.id)).status
    const ticked = async (time: { hours: number }) => {
      clock.advance(time)
      await served.plane.emailDomains.checkDue()
      return status()
    }
    expect(await ticked({ hours: 1 })).toBe('pending')
    publish(domain)
    expect(await ticked({ hours: 1 })).toBe('verified')
    dns.zone.delete(recordOf(domain, 'SPF').name)
    expect(await ticked({ hours: 23 })).toBe('verified')
    expect(await ticked({ hours: 1 })).toBe('degraded')
    expect(await ticked({ hours: 72 })).toBe('degraded')
    expect(await ticked({ hours: 1 })).toBe('failed')
    publish(domain)
    expect(await ticked({ hours: 1000 })).toBe('failed')
    expect(await verified(domain.id)).toMatchObject({
      verified: true,
      changed: true,
      domain: { status: 'verified' },
    })
  })

  it('two checks at once are one: the other is told so', async () => {
    const domain = await added()
    const results = await Promise.allSettled([verified(domain.id), verified(domain.id)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('no key lies open in the database', async () => {
    const domain = await added()
    const stored = await served.storage.emailDomains.find(PLATFORM, domain.id)
    expect(stored?.key.privateKey).toMatch(/^v1:test:/)
  })
})

it('checks are limited for each domain, not for all of a license', async () => {
  const { id, key } = await served.license()
  const headers = { authorization: `Bearer ${key}` }
  const ids = []
  for (const name of ['one', 'two'])
    ids.push((await served.plane.emailDomains.add(id, `${name}.limited.example.com`)).domain.id)
  const check = async (domain = '') => (await served.post(`${PATH}/${domain}/verify`, {}, headers)).status
  for (let sent = 0; sent < 6; sent += 1) expect(await check(ids[0])).toBe(200)
  expect(await check(ids[0])).toBe(429)
  expect(await check(ids[1])).toBe(200)
})
