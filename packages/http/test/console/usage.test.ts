import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ConsoleFleet, consoleFleet } from '../../../../test/support/console-fleet.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { type Visitor, visitorOf } from './console-client.ts'

describe('charts of a host', () => {
  let served: Mounted
  let fleet: ConsoleFleet
  let ada: Visitor
  let cookie: string
  beforeAll(async () => {
    served = await mounted()
    fleet = await consoleFleet(served)
    ;({ cookie } = await served.plane.sessions.mint(fleet.admin))
    ada = visitorOf(served, cookie)
  }, 60_000)
  afterAll(() => served[Symbol.asyncDispose]())

  it('have a line for each figure, and say in words and in numbers the same', async () => {
    const { page } = await ada.get('hosts/web-2/charts')
    const charts = page.querySelectorAll('svg.usage')
    expect(charts.map((each) => each.getAttribute('role'))).toEqual(['img', 'img'])
    for (const chart of charts) {
      const named = (chart.getAttribute('aria-labelledby') ?? '')
        .split(' ')
        .map((id) => page.querySelector(`#${id}`))
      expect(named.map((each) => each?.rawTagName)).toEqual(['title', 'desc'])
      expect(named[1]?.textContent).toMatch(
        /^Processor: mean 14 %, most 14 %\. Memory: mean 42 %, most 42 %\./,
      )
      expect(chart.querySelectorAll('path').map((each) => each.getAttribute('class'))).toEqual([
        'grid',
        'cpu_pct',
        'mem_pct',
        'disk_pct',
      ])
      expect(chart.querySelector('.cpu_pct')?.getAttribute('d')).toMatch(/^M\d+ 86h0/)
    }
    const rows = page.querySelectorAll('.charts details tbody tr').map((row) => row.textContent)
    expect(rows).toEqual([expect.stringMatching(/14\.0 %42\.0 %40\.0 %$/), expect.stringMatching(/14\.0 %/)])
  })

  it('have a gap where a host said nothing', async () => {
    const beat = (cpu_pct: number) => fleet.beat(6, { cpu_pct, mem_pct: undefined, disk_pct: undefined })
    await beat(10)
    served.clock.advance({ minutes: 5 })
    await beat(20)
    served.clock.advance({ minutes: 15 })
    await beat(30)
    const { page } = await ada.get('hosts/web-6/charts')
    const path = page.querySelector('svg.usage .cpu_pct')?.getAttribute('d') ?? ''
    expect(path.match(/M/g)).toHaveLength(2)
    expect(path).toMatch(/L287 80|L\d+ 80M287 70h0$/)
  })

  it('of a host that never told are not drawn', async () => {
    await fleet.beat(98, { cpu_pct: undefined, mem_pct: undefined, disk_pct: undefined })
    const { page } = await ada.get('hosts/web-98/charts')
    expect(page.querySelectorAll('svg.usage')).toHaveLength(0)
    expect(page.querySelector('main')?.textContent).toContain('No heartbeat with figures yet.')
  })

  it('of a whole month leave the page small', async () => {
    const { hostUsage } = served.plane
    const { licenseId, fingerprint } = await served.plane.agents.resolve({ of: 'platform' }, 'web-8')
    for (let hour = 0; hour < 24 * 31; hour += 1) {
      for (let beat = 0; beat < 12; beat += 1) {
        const wave = (period: number) => Math.round(50 + 45 * Math.sin((hour + beat / 12) / period))
        const figures = {
          cpuPct: (wave(3) + beat * 17 + hour * 31) % 100,
          memPct: wave(9),
          diskPct: wave(99),
        }
        hostUsage.note({ licenseId, fingerprint }, figures)
        served.clock.advance({ minutes: 5 })
      }
      await hostUsage.stop()
    }
    cookie = (await served.plane.sessions.mint(fleet.admin)).cookie
    const asked = (headers: object = {}) =>
      served.send({
        path: '/console/hosts/web-8/charts',
        headers: { accept: 'text/html', cookie, ...headers },
      })
    const packed = await asked({ 'accept-encoding': 'br' })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(Number(packed.headers['content-length'])).toBeLessThan(15 * 1024)
    const { text } = await asked()
    expect(text).not.toMatch(/ style=/)
    expect(text.match(/<tr/g)?.length).toBeLessThan(100)
    expect(text.match(/L\d/g)?.length).toBeGreaterThan(1500)
  }, 60_000)

  it('are asked for like the host: another tenant learns nothing', async () => {
    const { cookie: hers } = await served.plane.sessions.mint(fleet.owner)
    const asked = async (host: string) =>
      served.send({
        method: 'POST',
        path: '/api/v1/operations/fleet.usage',
        headers: { cookie: hers },
        body: JSON.stringify({ host }),
      })
    const own = await asked('web-2')
    expect(own.status).toBe(200)
    const [theirs, nobodys] = [await asked('db-3'), await asked('db-999')]
    expect(theirs.status).toBe(404)
    expect(JSON.stringify(theirs.body).replaceAll('db-3', 'db-999')).toBe(JSON.stringify(nobodys.body))
  })
})
