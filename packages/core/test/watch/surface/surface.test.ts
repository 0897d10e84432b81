import { describe, expect, it } from '@jest/globals'
import { nodeDnsClient, ofLicense, type Problem } from '@svc/core'
import { FakeClock, FakeTimers, type TestPlane, testPlane } from '@svc/testing'
import { loopbackDns } from '../../../../../test/support/dns-server.ts'

const DOMAIN = 'shop.example'
const SCANNING = { ATTACK_SURFACE_MAX_CONCURRENT: '2' }

/** A license that has proven its domain. */
async function proven(test: TestPlane): Promise<string> {
  const { id } = await test.license('acme')
  const { name, value } = test.plane.surface.challenge(id, DOMAIN)
  test.dns.answer(name, value)
  await test.plane.surface.add(id, DOMAIN)
  return id
}
const start = ({ plane }: TestPlane, licenseId: string) =>
  plane.surface.start(licenseId, { domain: DOMAIN, checks: ['ports'] })
const target = async ({ plane }: TestPlane, licenseId: string) =>
  plane.surface.find(ofLicense(licenseId), DOMAIN)

describe('the proof of a domain', () => {
  it('is looked up for each scan: servers that keep silent prove nothing, and take nothing away', async () => {
    await using test = testPlane()
    const licenseId = await proven(test)
    const { name } = test.plane.surface.challenge(licenseId, DOMAIN)
    test.dns.replies(name, { status: 'error', error: 'servfail' })
    expect(await start(test, licenseId)).toMatchObject({ outcome: 'unproven', reason: 'DNS: servfail' })
    expect(await target(test, licenseId)).toMatchObject({
      verifiedAt: expect.any(Date),
      reason: 'DNS: servfail',
    })
    for (const status of ['nxdomain', 'nodata'] as const) {
      test.dns.replies(name, { status })
      expect(await start(test, licenseId)).toMatchObject({ outcome: 'unproven', reason: 'no TXT record' })
    }
    expect(await target(test, licenseId)).toMatchObject({ verifiedAt: undefined })
  })

  it('is looked up once a day without a scan, and is lost with the record', async () => {
    await using test = testPlane()
    const licenseId = await proven(test)
    const { name } = test.plane.surface.challenge(licenseId, DOMAIN)
    test.dns.replies(name, { status: 'nxdomain' })
    test.clock.advance({ hours: 23 })
    await test.plane.scheduler.tick()
    expect(await target(test, licenseId)).toMatchObject({ verifiedAt: expect.any(Date) })
    test.clock.advance({ hours: 1 })
    await test.plane.scheduler.tick()
    expect(await target(test, licenseId)).toMatchObject({ verifiedAt: undefined, reason: 'no TXT record' })
  })

  it('may be made with an earlier secret of the list, and new records are made with the first', async () => {
    const [older, newer] = ['an older secret of 32 characters', 'a newer secret of 32 characters.']
    await using before = testPlane({ env: { ATTACK_SURFACE_SECRET: older } })
    await using after = testPlane({ env: { ATTACK_SURFACE_SECRET: `${newer},${older}` } })
    await using without = testPlane({ env: { ATTACK_SURFACE_SECRET: newer } })
    const { name, value } = before.plane.surface.challenge('lic_1', DOMAIN)
    for (const { dns } of [after, without]) dns.answer(name, value)
    const verified = async ({ plane }: TestPlane) =>
      (await plane.surface.add('lic_1', DOMAIN)).target.verifiedAt !== undefined
    expect([await verified(after), await verified(without)]).toEqual([true, false])
    const shown = after.plane.surface.challenge('lic_1', DOMAIN)
    expect(shown).toEqual(without.plane.surface.challenge('lic_1', DOMAIN))
    expect(shown.value).not.toBe(value)
  })

  it('is asked for over TCP when an answer is cut, and its pieces are joined', async () => {
    await using dns = await loopbackDns()
    const env = { ATTACK_SURFACE_DNS_SERVERS: dns.server }
    await using test = testPlane({ env, parts: { dns: nodeDnsClient() } })
    const { id } = await test.license('acme')
    const { name, value } = test.plane.surface.challenge(id, DOMAIN)
    dns.zone.set(name, {
      overTcp: [],
      TXT: [{ data: 'v=spf1 -all' }, { data: [value.slice(0, 20), value.slice(20)] }],
    })
    const { target: added } = await test.plane.surface.add(id, DOMAIN)
    expect(added).toMatchObject({ verifiedAt: expect.any(Date), reason: undefined })
    expect(dns.asked.tcp).toBeGreaterThan(0)
  })
})

describe('a scan', () => {
  it('whose time is over ends as partial, with what was there by then', async () => {
    const clock = new FakeClock()
    const timers = new FakeTimers(clock)
    await using test = testPlane({ clock, env: SCANNING, parts: { timers } })
    const licenseId = await proven(test)
    test.dns.replies(DOMAIN, 'silence')
    await start(test, licenseId)
    await test.plane.surface.runDue()
    for (let minute = 0; minute < 11; minute += 1)
      for (let third = 0; third < 3; third += 1) await timers.advance(20_000)
    await test.plane.surface.idle()
    expect(await test.plane.surface.last(await target(test, licenseId))).toMatchObject({
      scan: { state: 'partial', error: 'the time of a scan was over' },
    })
  })

  it('is not begun by a process that runs a single command', async () => {
    await using test = testPlane({ env: SCANNING })
    const licenseId = await proven(test)
    const answer = await start(test, licenseId)
    await test.plane.surface.idle()
    const id = answer.outcome === 'queued' ? answer.scan.id : ''
    expect((await test.plane.surface.scan(ofLicense(licenseId), id)).scan.state).toBe('queued')
  })

  it('that is refused tells operators the record, and the scan that runs', async () => {
    await using test = testPlane()
    const { id } = await test.license('acme')
    const run = (name: string, input: object) => test.plane.operations.run(name, input, 'ann')
    const refusal = async (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        ({ code, data }: Problem) => ({ code, detail: data.detail }),
      )
    await run('surface.add', { license: id, domain: DOMAIN })
    const { name, value } = test.plane.surface.challenge(id, DOMAIN)
    expect(await refusal(run('surface.scan', { domain: DOMAIN }))).toEqual({
      code: 'domain-not-proven',
      detail: `publish the TXT record ${name} "${value}", then scan again (no TXT record)`,
    })
    test.dns.answer(name, value)
    const { scan } = (await run('surface.scan', { domain: DOMAIN })) as unknown as { scan: { id: string } }
    expect(await refusal(run('surface.scan', { domain: DOMAIN }))).toEqual({
      code: 'conflict',
      detail: `the scan ${scan.id} of this domain has not ended`,
    })
  })
})

describe('addresses of heartbeats', () => {
  it('are written once an hour at most, and forgotten after a day', async () => {
    await using test = testPlane()
    const { plane, storage, clock } = test
    const known = () => storage.surfaceTargets.addresses('lic_1', 86_400, clock.now())
    const beat = (address: string | undefined) =>
      plane.surface.noteAddress?.('lic_1', { provenAddress: address })
    await beat('11.22.33.44')
    await beat(undefined)
    await beat('local')
    expect(await known()).toEqual(['11.22.33.44'])
    clock.advance({ minutes: 59 })
    await beat('11.22.33.44')
    clock.advance({ hours: 23, minutes: 1 })
    expect(await known()).toEqual([])
    await beat('11.22.33.44')
    expect(await known()).toEqual(['11.22.33.44'])
    clock.advance({ hours: 25 })
    await plane.surface.purge()
    expect(await storage.surfaceTargets.addresses('lic_1', 864_000, clock.now())).toEqual([])
  })
})
