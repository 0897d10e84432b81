import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { counted } from '../../../../test/support/counted.ts'
import { serving } from '../support/serving.ts'

const PATH = '/api/v1/attack-surface'
const SCAN = `${PATH}/scan`
const DOMAIN = 'shop.example'

const served = serving({ env: { ATTACK_SURFACE_MAX_CONCURRENT: '2', SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })

type Target = { readonly challenge: { readonly type: string; readonly name: string; readonly value: string } }
const challengeIn = (body: unknown) => (body as { readonly target: Target }).target.challenge

/** Adds the domain and publishes its record. */
async function proven(domain = DOMAIN): Promise<void> {
  const { name, value } = challengeIn((await served().post(PATH, { domain })).body)
  served().dns.answer(name, value)
}
const start = (more: object = {}, headers?: Record<string, string>) =>
  served().post(SCAN, { domain: DOMAIN, checks: ['ports'], ...more }, headers)
const addresses = () =>
  served().plane.storage.surfaceTargets.addresses(served().licenseId, 60, served().clock.now())

describe('the targets of a license', () => {
  it('are added with the record to publish, the same one at each call, and proven when it is there', async () => {
    const added = await served().post(PATH, { domain: 'Shop.Example.' })
    expect(added.status).toBe(201)
    const challenge = challengeIn(added.body)
    expect(challenge).toEqual({
      type: 'TXT',
      name: '_svc-challenge.shop.example',
      value: expect.stringMatching(/^svc-site-verification=[\w-]{43}$/),
    })
    expect(added.body).toMatchObject({ target: { domain: DOMAIN, verified: false, reason: 'no TXT record' } })
    served().dns.answer(challenge.name, 'v=spf1 -all', challenge.value)
    const again = await served().post(PATH, { domain: DOMAIN })
    expect([again.status, challengeIn(again.body)]).toEqual([200, challenge])
    expect(again.body).toMatchObject({ target: { verified: true, verified_at: expect.any(Number) } })
    const listed = await served().get(`${PATH}?domain=${DOMAIN}`)
    expect(listed.body).toMatchObject({ targets: [{ domain: DOMAIN, verified: true }] })
    expect((await served().get(`${PATH}?domain=other.example`)).body).toEqual({ targets: [] })
    expect((await served().get(`${PATH}?domain=co.uk`)).status).toBe(400)
  })

  it('are names that somebody can own, and nothing is stored for others', async () => {
    const bad = [
      'co.uk',
      'localhost',
      '10.0.0.1',
      '*.shop.example',
      'github.io',
      '',
      'a'.repeat(254),
      '[::1]',
    ]
    for (const domain of bad) {
      const { status, body } = await served().post(PATH, { domain })
      expect([domain, status, body]).toEqual([
        domain,
        400,
        expect.objectContaining({ error: 'invalid request body' }),
      ])
    }
    for (const body of [{}, { domain: null }, { domain: 7 }, { domain: ['a.example'] }])
      expect((await served().post(PATH, body)).status).toBe(400)
    expect((await served().get(PATH)).body).toEqual({ targets: [] })
  })

  it('belong to license keys, and to no one else', async () => {
    for (const headers of [{ authorization: '' }, { authorization: 'Bearer nobody' }])
      for (const path of [PATH, SCAN])
        expect((await served().post(path, { domain: DOMAIN }, headers)).status).toBe(401)
    await proven()
    const { key } = await served().plane.licenses.issue({ label: 'other' })
    const asOther = { authorization: `Bearer ${key}` }
    expect((await start({}, asOther)).body).toMatchObject({ error: 'domain ownership not proven' })
    const { scan } = (await start()).body as { scan: { id: string } }
    expect((await served().get(`${SCAN}?id=${scan.id}`, asOther)).status).toBe(404)
  })
})

describe('a scan', () => {
  it('is refused with the record to publish, waits once it is there, and is one at a time', async () => {
    const refused = await start()
    expect(refused).toMatchObject({
      status: 403,
      body: {
        error: 'domain ownership not proven',
        challenge: { type: 'TXT', name: `_svc-challenge.${DOMAIN}`, value: expect.any(String) },
      },
    })
    await proven()
    const queued = await start()
    expect(queued).toMatchObject({
      status: 202,
      body: { ok: true, scan: { domain: DOMAIN, state: 'queued' } },
    })
    const { scan } = queued.body as { scan: { id: string } }
    expect(scan.id).toMatch(/^scn_[0-9a-z]{26}$/)
    expect(await start()).toEqual(
      expect.objectContaining({
        status: 409,
        body: { error: 'scan already running', scan: { id: scan.id } },
      }),
    )
    const read = await served().get(`${SCAN}?id=${scan.id}`)
    expect(read.body).toMatchObject({
      scan: { id: scan.id, state: 'queued', progress: 0, hosts: [], findings: [] },
    })
    for (const query of ['', '?id=', '?id=scn_none'])
      expect((await served().get(`${SCAN}${query}`)).status).toBe(query === '?id=scn_none' ? 404 : 400)
  })

  it.each([
    ['a check that does not exist', { checks: ['nuclei'] }],
    ['a host of somebody else', { hosts: ['victim.com'] }],
    ['an address as a host', { hosts: ['10.0.0.1'] }],
    ['a path as a host', { hosts: ['../../etc/passwd'] }],
    ['a host whose end is like the domain', { hosts: ['notshop.example'] }],
    ['too many hosts', { hosts: Array.from({ length: 21 }, (_, n) => `h${n}.shop.example`) }],
    ['port 0', { ports: [0] }],
    ['a port beyond the last', { ports: [65_536] }],
    ['half a port', { ports: [80.5] }],
    ['too many ports', { ports: Array.from({ length: 201 }, (_, n) => n + 1) }],
    ['a list of ports that does not exist', { ports: 'all' }],
    ['no domain', { domain: undefined }],
    ['a suffix', { domain: 'co.uk' }],
  ])('with %s is refused, and nothing waits', async (_, more) => {
    await proven()
    expect((await start(more)).status).toBe(400)
    expect(await served().plane.storage.surfaceScans.last(served().licenseId, DOMAIN)).toBeUndefined()
  })

  it('is refused when the seventh is asked for within an hour, with the time to wait', async () => {
    await proven()
    for (let count = 0; count < 6; count += 1) {
      const { scan } = (await start()).body as { scan: { id: string } }
      await served().plane.surface.abort(PLATFORM, scan.id)
      served().clock.advance({ minutes: 2 })
    }
    const refused = await start()
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, String(48 * 60)])
    served().clock.advance({ minutes: 48 })
    expect((await start()).status).toBe(202)
  })

  it('begins at the next tick, and ends although no name has an address', async () => {
    await proven()
    const { scan } = (await start()).body as { scan: { id: string } }
    await served().plane.scheduler.tick()
    await served().plane.surface.idle()
    const read = await served().get(`${SCAN}?id=${scan.id}`)
    expect(read.body).toMatchObject({
      scan: { state: 'done', progress: 1, hosts: [], findings: [], errors: [] },
    })
    expect(await counted(served().plane, 'svc_surface_scans_total')).toEqual({ '{state="done"}': 1 })
    const last = { id: scan.id, state: 'done', open_findings: { high: 0, medium: 0, low: 0, info: 0 } }
    expect((await served().get(PATH)).body).toMatchObject({ targets: [{ last_scan: last }] })
  })

  it('goes on waiting when the process stops, and begins in the next one', async () => {
    await proven()
    const { scan } = (await start()).body as { scan: { id: string } }
    served().dns.replies(`www.${DOMAIN}`, 'silence')
    await served().plane.scheduler.tick()
    served().plane.health.drain()
    await served().plane.surface.idle()
    const { state, attempts } = (await served().plane.surface.scan(PLATFORM, scan.id)).scan
    expect([state, attempts]).toEqual(['queued', 0])
  })
})

describe('scans that are turned off', () => {
  it.each([
    ['without a secret', { ATTACK_SURFACE_SECRET: undefined }],
    ['with a secret that is too short', { ATTACK_SURFACE_SECRET: 'short' }],
    ['by their switch', { ATTACK_SURFACE_ENABLED: '0' }],
  ])('%s are answered 503, whatever is asked', async (_, env) => {
    await using off = await (await import('../../../../test/support/mounted.ts')).mounted(undefined, { env })
    const answers = [
      await off.post(PATH, { domain: 'co.uk' }),
      await off.post(SCAN, {}),
      await off.get(PATH),
      await off.get(`${SCAN}?id=scn_1`),
    ]
    for (const { status, body } of answers)
      expect([status, body]).toEqual([503, { error: 'attack surface scanning not configured' }])
  })
})

describe('the address of a heartbeat', () => {
  const beat = (headers?: Record<string, string>) =>
    served().post('/v1/telemetry/heartbeat', { fingerprint: 'fp' }, headers)

  it('is noted as the proxy beside the service reports it', async () => {
    await beat({ 'x-forwarded-for': '6.6.6.6, 11.22.33.44' })
    expect(await addresses()).toEqual(['11.22.33.44'])
    await beat()
    expect(await addresses()).toEqual(['11.22.33.44', '127.0.0.1'])
  })

  it('is not noted of a heartbeat that is refused', async () => {
    await beat({ 'x-forwarded-for': '11.22.33.44', authorization: 'Bearer nobody' })
    await served().post('/v1/telemetry/heartbeat', { fingerprint: 7 }, { 'x-forwarded-for': '11.22.33.44' })
    expect(await addresses()).toEqual([])
  })
})
