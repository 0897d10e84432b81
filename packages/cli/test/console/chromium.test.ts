// The console in a real browser: every page in light, dark and on a telephone, without script, by keyboard.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { type ConsoleFleet, consoleFleet, FLEET_PASSWORD } from '../../../../test/support/console-fleet.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { PAGES } from '../../../http/src/console/pages.ts'

const PROGRAM = '/usr/bin/chromium'
const withChromium = existsSync(PROGRAM) ? describe : describe.skip

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  narrow: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
} as const

/** The folder of the pictures; none are made without it. */
const PICTURES = process.env.SVC_TEST_PICTURES

withChromium('the console in Chromium', () => {
  let served: Mounted
  let fleet: ConsoleFleet
  let browser: Browser
  beforeAll(async () => {
    served = await mounted()
    fleet = await consoleFleet(served)
    browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
    if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await served?.[Symbol.asyncDispose]()
  })

  const address = (path: string) => `http://127.0.0.1:${served.port}/console${path && `/${path}`}`

  async function signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options)
    const [name = '', value = ''] = (await served.plane.sessions.mint(fleet.admin)).cookie.split('=')
    await context.addCookies([{ name, value, url: address('') }])
    return context
  }

  /**
   * Pages of the fleet: those without open parts, and one of each kind of thing. The page of the API is drawn
   * by others: `api.test.ts` beside this looks at it.
   */
  const paths = (): readonly string[] => {
    const things: Readonly<Record<string, string>> = {
      host: 'web-2',
      app: 'shop',
      job: fleet.jobs.failed,
      license: fleet.licenses.acme,
      operation: 'users.add',
      things: 'hosts',
    }
    return PAGES.map(({ path }) => path)
      .filter((path) => path !== 'sign-out' && path !== 'api')
      .map((path) => path.replace(/\{(\w+)\}/, (whole, name) => things[name] ?? whole))
      .filter((path) => !path.includes('{'))
  }

  /** Opens a page and collects what the browser complains about. */
  async function opened(
    page: Page,
    path: string,
  ): Promise<{ status: number | undefined; complaints: string[] }> {
    const complaints: string[] = []
    const note = (text: string) => complaints.push(`${path}: ${text}`)
    page.on('pageerror', (error) => note(error.message))
    page.on('console', (message) => message.type() === 'error' && note(message.text()))
    const answer = await page.goto(address(path))
    return { status: answer?.status(), complaints }
  }

  async function violations(page: Page): Promise<readonly string[]> {
    await page.evaluate(axe)
    return page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html + ' ' + nodes[0].failureSummary))`,
    )
  }

  it.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])(
    'has no page that axe, the policy or a narrow screen find fault with: %s',
    async (look) => {
      await using context = await signedIn(LOOKS[look])
      const faults: string[] = []
      for (const path of paths()) {
        const page = await context.newPage()
        const { status, complaints } = await opened(page, path)
        faults.push(...complaints, ...(await violations(page)).map((each) => `${path}: ${each}`))
        if (status !== 200) faults.push(`${path}: ${status}`)
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
        if (wide > LOOKS[look].viewport.width) faults.push(`${path}: ${wide} pixels wide`)
        if (PICTURES !== undefined) {
          const name = `${path.replaceAll(/[^\w-]/g, '_') || 'overview'}-${look}.png`
          await page.screenshot({ path: join(PICTURES, name) })
        }
        await page.close()
      }
      expect(faults).toEqual([])
    },
    240_000,
  )

  it('works without script: from the sign-in to a job that is retried', async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(address(`jobs/${fleet.jobs.failed}`))
    await page.fill('#email', fleet.admin.email)
    await page.fill('#password', FLEET_PASSWORD)
    await page.click('text=Sign in >> nth=-1')
    expect(await page.textContent('h1')).toBe('stop shop')
    await page.click('button:has-text("Retry")')
    expect(page.url()).toMatch(/\/console\/jobs\/job_\w+$/)
    expect(page.url()).not.toContain(fleet.jobs.failed)
    expect(await page.textContent('.state')).toBe('pending')
    await page.click('text=Sign out')
    expect(await page.title()).toBe('Sign in · svc')
  }, 60_000)

  /** Time until a page shows a line of a log, and another change, in ms; a busy machine adds to it. */
  const LINE_MS = 300
  const CHANGE_MS = 1000
  const SLACK_MS = 1000

  const live = async (path: string, context: BrowserContext): Promise<Page> => {
    const before = served.plane.livePages.size
    const page = await context.newPage()
    const reread = page.waitForRequest(
      (request) => request.url() === address(path) && !request.isNavigationRequest(),
    )
    await page.goto(address(path))
    // A page is read anew when its stream is open.
    await reread
    expect(served.plane.livePages.size).toBe(before + 1)
    return page
  }
  const seen = (page: Page, selector: string, ms: number) =>
    page.waitForSelector(selector, { timeout: ms + SLACK_MS })
  const enqueue = async (app: string) => {
    const license = fleet.licenses.globex
    const answer = await served.plane.operations.run(
      'jobs.enqueue',
      { kind: 'stop', license, payload: { app } },
      'test',
    )
    return (answer.job as { readonly id: string }).id
  }
  const hide = (page: Page, isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
      document.dispatchEvent(new Event('visibilitychange'))`)
  const gone = async () => {
    for (let tries = 0; served.plane.livePages.size > 0 && tries < 100; tries += 1)
      await new Promise((done) => setTimeout(done, 20))
    expect(served.plane.livePages.size).toBe(0)
  }

  it('shows the lines of a job that runs, and its end, without being asked', async () => {
    await using context = await signedIn()
    const page = await live(`jobs/${fleet.jobs.running}`, context)
    for (const line of ['a line that comes later', 'another line']) {
      await fleet.log(fleet.jobs.running, line)
      await seen(page, `.log div:last-child:has-text("${line}")`, LINE_MS)
    }
    await fleet.end(fleet.jobs.running)
    await seen(page, '.facts .state.good:has-text("succeeded")', CHANGE_MS)
    // A text that somebody marks stays marked: the page waits.
    await page.evaluate('getSelection().selectAllChildren(document.querySelector("h1"))')
    expect(await page.evaluate('String(getSelection())')).toBe('stop api')
  }, 60_000)

  it('shows a change within a second, also one that came while a text was marked', async () => {
    await gone()
    await using context = await signedIn()
    const page = await live('jobs', context)
    await seen(page, `a[href$="${await enqueue('one')}"]`, CHANGE_MS)
    await page.evaluate('getSelection().selectAllChildren(document.querySelector("h1"))')
    const marked = await enqueue('two')
    await page.waitForTimeout(CHANGE_MS + SLACK_MS)
    expect(await page.$(`a[href$="${marked}"]`)).toBeNull()
    await page.evaluate('getSelection().removeAllRanges()')
    await seen(page, `a[href$="${marked}"]`, CHANGE_MS)
  }, 60_000)

  it('has no stream while it is hidden, and is read anew when it is seen', async () => {
    await gone()
    await using context = await signedIn()
    const page = await live('jobs', context)
    await hide(page, true)
    await gone()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const job = await enqueue('three')
    await page.waitForTimeout(CHANGE_MS + SLACK_MS)
    expect(asked).toEqual([])
    await hide(page, false)
    await seen(page, `a[href$="${job}"]`, CHANGE_MS)
    await seen(page, `a[href$="${await enqueue('four')}"]`, CHANGE_MS)
  }, 60_000)

  it('says that the connection is lost, and shows what happened meanwhile when it is back', async () => {
    await gone()
    await using context = await signedIn()
    const page = await live('jobs', context)
    const store = served.storage.live as { versions: typeof served.storage.live.versions }
    const { versions } = store
    store.versions = async () => {
      throw new Error('the database is away')
    }
    await page.waitForSelector('.lost:text-matches("connection is lost|Not live")', { timeout: 10_000 })
    const job = await enqueue('five')
    store.versions = versions
    await page.waitForSelector(`a[href$="${job}"]`, { timeout: 20_000 })
    await page.waitForSelector('.lost:empty', { state: 'attached', timeout: 20_000 })
    await seen(page, `a[href$="${await enqueue('six')}"]`, CHANGE_MS)
  }, 60_000)

  it('is not live when too many pages are open, says so, and is read anew all the same', async () => {
    await gone()
    await using context = await signedIn()
    for (let pages = 0; pages < 5; pages += 1) await live('hosts', context)
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(address('jobs'))
    await page.waitForSelector('.lost:has-text("Not live")', { timeout: 10_000 })
    const job = await enqueue('seven')
    await page.clock.runFor(15_000)
    await seen(page, `a[href$="${job}"]`, CHANGE_MS)
    await context.pages()[0]?.close()
    await page.clock.runFor(15_000)
    await page.waitForSelector('.lost:empty', { state: 'attached', timeout: 10_000 })
  }, 60_000)

  it('copies a secret, and keeps nothing of it on the next page', async () => {
    await using context = await signedIn({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(address('do/licenses.issue?back=licenses'))
    await page.click('form.run button')
    const secret = await page.textContent('code[data-copy]')
    // Somebody who comes back from another tab still finds it.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await page.waitForTimeout(500)
    expect(await page.textContent('code[data-copy]')).toBe(secret)
    await page.click('text=Copy')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
    await page.click('text=Back')
    expect(await page.content()).not.toContain(secret)
  }, 60_000)

  it('asks no more when nobody is there, so that the session ends, and goes on when somebody comes', async () => {
    await using context = await signedIn()
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(address('jobs'))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const minutes = async (count: number) => {
      for (let steps = 0; steps < count * 6; steps += 1) {
        await page.clock.runFor(10_000)
        await page.waitForTimeout(20)
      }
      return asked.splice(0).length
    }
    expect(await minutes(2)).toBeGreaterThan(1)
    expect(served.plane.livePages.size).toBeGreaterThan(0)
    await page.clock.fastForward(30 * 60_000)
    await minutes(1)
    expect(await minutes(2)).toBe(0)
    await gone()
    expect(await page.textContent('.lost')).toContain('Paused')
    await page.mouse.move(10, 10)
    await page.waitForTimeout(500)
    expect(asked.length).toBeGreaterThan(1)
    expect(served.plane.livePages.size).toBe(1)
  }, 60_000)

  it('offers the hosts with the text that is typed, and takes the one that is chosen', async () => {
    await using context = await signedIn()
    const page = await context.newPage()
    const { complaints } = await opened(page, 'do/fleet.drain')
    const field = page.locator('#f-host')
    const offered = (value: string) => page.locator(`#c-f-host option[value="${value}"]`)
    await field.pressSequentially('web-1')
    await offered('web-10').waitFor({ state: 'attached' })
    expect(await page.locator('#c-f-host option').count()).toBeGreaterThan(1)
    expect(await offered('web-2').count()).toBe(0)
    await field.fill('no such host')
    await page.locator('#c-f-host:empty').waitFor({ state: 'attached' })
    await field.fill('web-2')
    await offered('web-2').waitFor({ state: 'attached' })
    expect(await field.getAttribute('list')).toBe('c-f-host')
    expect(complaints).toEqual([])
  })

  it('leads to the search with a slash', async () => {
    await using context = await signedIn()
    const page = await context.newPage()
    await page.goto(address('jobs'))
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.name')).toBe('q')
  }, 60_000)

  it('works by keyboard alone: to the search, over the navigation, into a row', async () => {
    await using context = await signedIn()
    const page = await context.newPage()
    await page.goto(address('hosts'))
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement?.id')).toBe('main')
    for (let steps = 0; steps < 10; steps += 1) {
      await page.keyboard.press('Tab')
      const href = await page.evaluate('document.activeElement?.getAttribute("href")')
      if (String(href).startsWith('./hosts/')) break
    }
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/hosts/agt_*')
  }, 60_000)
})
