import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import { buildHeartbeat, memoryStorage } from '@svc/testing'
import { type ConsoleFleet, consoleFleet } from '../../../../test/support/console-fleet.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { NAVIGATION } from '../../src/console/navigation.ts'
import { PAGES } from '../../src/console/pages.ts'
import { type Visitor, visitorOf } from './console-client.ts'

/** Pages of lists and of the system: those without an open part. */
const LISTS = PAGES.map(({ path }) => path).filter((path) => !path.includes('{') && path !== 'sign-out')

describe('the pages of the console', () => {
  let served: Mounted
  let fleet: ConsoleFleet
  let visitor: Visitor
  beforeAll(async () => {
    served = await mounted(undefined, { storage: memoryStorage() })
    fleet = await consoleFleet(served)
    visitor = visitorOf(served, (await served.plane.sessions.mint(fleet.admin)).cookie)
  }, 60_000)
  afterAll(async () => served[Symbol.asyncDispose]())

  it.each(LISTS)('shows %s, filled and with the way to it', async (path) => {
    const { status, page, text } = await visitor.get(path)
    expect(status).toBe(200)
    expect(page.querySelectorAll('h1')).toHaveLength(1)
    expect(page.querySelector('title')?.textContent).not.toBe(' · svc')
    expect(text).not.toMatch(/\[object |undefined|NaN/)
  })

  it('has every page of the navigation', () => {
    const pages = NAVIGATION.flatMap(({ entries }) => entries.map(({ page }) => page))
    expect(pages.filter((page) => !PAGES.some(({ path }) => path === page))).toEqual([])
    expect(new Set(pages).size).toBe(pages.length)
  })

  it('shows the answer of every operation that lists or shows, on a page', () => {
    const onPages = new Set(PAGES.map(({ operation }) => operation))
    const reads = OPERATIONS.filter(
      ({ changes, name }) => !changes && /\.(?:[a-z]+-)?(?:list|show)$/.test(name),
    )
    expect(reads.map(({ name }) => name).filter((name) => !onPages.has(name))).toEqual([])
  })

  it('has no link that leads nowhere', async () => {
    const seen = new Set<string>()
    const dead: string[] = []
    const waiting = ['']
    for (let path = waiting.shift(); path !== undefined && seen.size < 300; path = waiting.shift()) {
      if (seen.has(path)) continue
      seen.add(path)
      const { status, page } = await visitor.get(path)
      if (status !== 200) dead.push(`${status} ${path}`)
      for (const link of page.querySelectorAll('a[href]')) {
        const to = new URL(link.getAttribute('href') ?? '', `http://svc.example/console${path && `/${path}`}`)
        const own = to.pathname.replace(/^\/console\/?/, '')
        if (to.host !== 'svc.example' || to.hash !== '') continue
        expect(to.pathname).toMatch(/^\/console/)
        // One page of each kind is enough.
        const kind = own.replace(/(?:agt|job|lic|alr|app)_[^/]+/, '*')
        if (
          !seen.has(own) &&
          !waiting.some((each) => each.replace(/(?:agt|job|lic|alr|app)_[^/?]+/, '*') === kind)
        )
          waiting.push(own + to.search)
      }
    }
    expect(dead).toEqual([])
    expect(seen.size).toBeGreaterThan(60)
  }, 60_000)

  it('narrows a list by what the filter says, and keeps it', async () => {
    const { page } = await visitor.get('jobs?state=failed')
    expect(page.querySelectorAll('tbody tr')).toHaveLength(1)
    expect(page.querySelector('tbody')?.textContent).toContain('web.1 answered 500')
    expect(page.querySelector('select[name=state] option[selected]')?.textContent).toBe('failed')
    const none = await visitor.get('jobs?state=failed&app=nothing')
    expect(none.page.querySelector('.empty')?.textContent).toContain('Nothing matches')
  })

  it('leads to every entry of a narrowed list once, page after page', async () => {
    for (let jobs = 0; jobs < 230; jobs += 1) {
      const license = fleet.licenses.globex
      const kind = jobs % 2 === 0 ? 'prune' : 'backup'
      await served.plane.operations.run(
        'jobs.enqueue',
        { kind, license, run_at: '2027-01-01T00:00:00Z' },
        'test',
      )
    }
    const seen: string[] = []
    let path: string | undefined = 'jobs?kind=prune'
    for (let pages = 0; path !== undefined && pages < 5; pages += 1) {
      const { page } = await visitor.get(path)
      seen.push(
        ...page
          .querySelectorAll('tbody tr td:first-child a')
          .map((link) => String(link.getAttribute('href'))),
      )
      path = page
        .querySelector('a[rel=next]')
        ?.getAttribute('href')
        ?.replace('./', '')
        .replaceAll('&amp;', '&')
    }
    expect(seen).toHaveLength(115)
    expect(new Set(seen).size).toBe(115)
  })

  it('shows the log of a job with its colours, and why one waits', async () => {
    const failed = await visitor.get(`jobs/${fleet.jobs.failed}`)
    expect(failed.page.querySelectorAll('.log div')).toHaveLength(6)
    expect(failed.page.querySelector('.log .green')?.textContent).toBe('✓')
    const pending = await visitor.get(`jobs/${fleet.jobs.pending}`)
    expect(pending.text).toContain('Why it waits')
  })

  it('has no more than 500 rows, and says how many there are', async () => {
    const licenseId = fleet.licenses.globex
    for (let at = 1000; at < 1500; at += 1) {
      const beat = buildHeartbeat({ licenseId, fingerprint: `${at}-many`, hostname: `many-${at}` })
      await served.storage.agents.heartbeat(beat, served.clock.now())
    }
    const { page } = await visitor.get('hosts')
    expect(page.querySelectorAll('tbody tr')).toHaveLength(500)
    expect(page.querySelector('main')?.textContent).toContain('500 of 540.')
  })

  it('finds things by name, by id and by the end of an id', async () => {
    const to = async (text: string) => {
      const { status, headers } = await visitor.get(`search?q=${encodeURIComponent(text)}`)
      return [status, headers.location]
    }
    const { failed } = fleet.jobs
    expect(await to('web-4')).toEqual([303, './hosts/agt_0004-fingerp'])
    expect(await to(' shop ')).toEqual([303, expect.stringMatching(/^\.\/apps\/app_/)])
    expect(await to('acme production')).toEqual([303, `./licenses/${fleet.licenses.acme}`])
    expect(await to(failed)).toEqual([303, `./jobs/${failed}`])
    expect(await to(failed.slice(-8))).toEqual([303, `./jobs/${failed}`])
    const none = await visitor.get('search?q=nothing-of-the-kind')
    expect([none.status, none.page.querySelector('.empty')?.textContent]).toEqual([
      200,
      expect.stringContaining('nothing-of-the-kind'),
    ])
  })

  it('leads to each of several hosts of one name, and of one id', async () => {
    const named = { hostname: 'twin' }
    await fleet.beat(1002, named)
    await fleet.beat(1003, named)
    const { page, status } = await visitor.get('search?q=twin')
    const links = page.querySelectorAll('.hits a').map((each) => String(each.getAttribute('href')))
    expect([status, links.sort()]).toEqual([200, ['./hosts/agt_1002-fingerp', './hosts/agt_1003-fingerp']])
    for (const link of links) expect((await visitor.get(link.slice(2))).status).toBe(200)
    const { licenseId, plane, post } = served
    for (const end of ['a', 'b'])
      await post(
        '/v1/telemetry/heartbeat',
        buildHeartbeat({ fingerprint: `same-beginning-of-${end}`, hostname: end }),
      )
    const [host] = await plane.agents.list({ of: 'license', id: licenseId })
    const same = await visitor.get('search?q=agt_same-beginni')
    const ways = same.page.querySelectorAll('.hits a').map((each) => String(each.getAttribute('href')))
    expect([host?.hostname, ways.length]).toEqual(['a', 2])
    for (const way of ways) expect((await visitor.get(way.slice(2))).status).toBe(200)
  })

  it('shows the end of a long log first, and every line on one of its pages', async () => {
    const { licenseId, plane, post } = served
    const job = (await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })).job.id
    await post('/v1/jobs/claim', { fingerprint: 'fp' })
    const lines = Array.from({ length: 1234 }, (_, at) => ({ ts: 1, line: `line ${at + 1}.` }))
    for (const part of [lines.slice(0, 1000), lines.slice(1000)])
      expect((await post(`/v1/jobs/${job}/logs`, { fingerprint: 'fp', lines: part })).status).toBe(200)
    const read = async (query: string) => {
      const { page } = await visitor.get(`jobs/${job}${query}`)
      const shown = page.querySelectorAll('.log div').map((line) => [line.id, line.textContent])
      const links = page
        .querySelectorAll('.more a')
        .map((link) => [link.textContent, link.getAttribute('href')])
      return { shown, links: Object.fromEntries(links) as Readonly<Record<string, string>> }
    }
    const last = await read('')
    expect([last.shown.length, last.shown.at(0), last.shown.at(-1)]).toEqual([
      500,
      ['L735', 'line 735.'],
      ['L1234', 'line 1234.'],
    ])
    expect(last.links).toEqual({ First: '?from=0#log', Earlier: '?from=234#log' })
    const seen = new Set<string | undefined>()
    for (let to: string | undefined = '?from=0'; to !== undefined && seen.size < 2000; ) {
      const { shown, links } = await read(to.replace('#log', ''))
      for (const [id] of shown) seen.add(id)
      to = links.Later
    }
    expect(seen.size).toBe(1234)
  })

  it('has every line of a log whose lines are long', async () => {
    const { licenseId, plane, post } = served
    const job = (await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })).job.id
    await post('/v1/jobs/claim', { fingerprint: 'fp-2' })
    for (let part = 0; part < 6; part += 1) {
      const lines = Array.from({ length: 100 }, (_, at) => ({
        ts: 1,
        line: `${part * 100 + at + 1}:${'x'.repeat(5900)}`,
      }))
      expect((await post(`/v1/jobs/${job}/logs`, { fingerprint: 'fp-2', lines })).status).toBe(200)
    }
    const { page } = await visitor.get(`jobs/${job}`)
    const shown = page.querySelectorAll('.log div').map((line) => line.id)
    expect([shown.length, shown.at(0), shown.at(-1)]).toEqual([500, 'L101', 'L600'])
  })

  it('says what a path without a page, a thing and a refused value are', async () => {
    expect((await visitor.get('nothing')).status).toBe(404)
    expect((await visitor.get('jobs/job_00000000000000000000000000')).status).toBe(404)
    expect((await visitor.get('jobs?state=odd')).status).toBe(400)
    expect((await visitor.get('do/nothing.here')).status).toBe(404)
    const { status, page } = await visitor.get('jobs/job_00000000000000000000000000')
    expect([status, page.querySelector('h1')?.textContent]).toEqual([404, 'Not found'])
  })

  it('is served to nobody else, from nowhere else, and is kept by no browser', async () => {
    const { headers } = await visitor.get('jobs')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('sends files that a browser may keep for ever, compressed', async () => {
    const { page } = await visitor.get('jobs')
    const sources = page
      .querySelectorAll('link[rel=stylesheet],script')
      .map((each) => each.getAttribute('href') ?? each.getAttribute('src'))
    expect(sources).toHaveLength(3)
    for (const source of sources) {
      const path = String(source).replace('./', '/console/')
      const plain = await served.send({ path })
      expect(plain.status).toBe(200)
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
      const { headers, text } = await served.send({ path, headers: { 'accept-encoding': 'gzip, br' } })
      expect(headers['content-encoding']).toBe('br')
      expect(text).not.toBe(plain.text)
    }
    expect((await served.send({ path: '/console/assets/console-000000000000.css' })).status).toBe(404)
  })

  it('compresses pages for those who read them so', async () => {
    const { cookie } = await served.plane.sessions.mint(fleet.admin)
    const sized = async (coding: string) => {
      const answer = await served.send({
        path: '/console/jobs',
        headers: { cookie, 'accept-encoding': coding },
      })
      return [answer.headers['content-encoding'], answer.text.length]
    }
    const [, whole] = await sized('identity')
    const [coding, small] = await sized('gzip, deflate, br')
    expect(coding).toBe('br')
    expect(Number(small)).toBeLessThan(Number(whole) / 2)
    expect((await sized('x-br'))[0]).toBeUndefined()
  })
})
