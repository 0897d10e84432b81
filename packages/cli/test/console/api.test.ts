// The page of the API in a real browser, with its policy: drawn by Redoc from files of the service alone.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { type ConsoleFleet, consoleFleet } from '../../../../test/support/console-fleet.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'

const PROGRAM = '/usr/bin/chromium'
const withChromium = existsSync(PROGRAM) ? describe : describe.skip

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Redoc has a main part of its own, and headings that leave a level out. */
const OF_REDOC = [
  'heading-order',
  'landmark-main-is-top-level',
  'landmark-no-duplicate-main',
  'landmark-unique',
]

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  narrow: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
} as const
const PAPER = { light: 'rgb(255, 255, 255)', dark: 'rgb(22, 24, 29)', narrow: 'rgb(255, 255, 255)' }

/** Most time until all operations are drawn, in ms: some 2 s on an idle machine, and tests share theirs. */
const DRAWN_MS = 20_000

/** The folder of the pictures; none are made without it. */
const PICTURES = process.env.SVC_TEST_PICTURES

withChromium('the page of the API in Chromium', () => {
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

  const address = () => `http://127.0.0.1:${served.port}/console/api`

  async function signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options)
    const [name = '', value = ''] = (await served.plane.sessions.mint(fleet.admin)).cookie.split('=')
    await context.addCookies([{ name, value, url: address() }])
    return context
  }

  /** Opens the page and waits until it is drawn. Complaints are of the browser, or foreign addresses. */
  async function drawn(context: BrowserContext, hash = ''): Promise<{ page: Page; complaints: string[] }> {
    const complaints: string[] = []
    const page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== new URL(address()).origin) complaints.push(request.url())
    })
    await page.goto(`${address()}${hash}`)
    await page.waitForSelector('#api h1, #api h2', { timeout: DRAWN_MS })
    return { page, complaints }
  }

  it.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])(
    'is drawn without a complaint, in the look of the console: %s',
    async (look) => {
      await using context = await signedIn(LOOKS[look])
      const { page, complaints } = await drawn(context, '#/jobs/jobs.enqueue')
      await page.waitForSelector('#api h2:has-text("Give the hosts of a license a job.")')
      await page.evaluate(axe)
      const rules = JSON.stringify(Object.fromEntries(OF_REDOC.map((rule) => [rule, { enabled: false }])))
      const faults = await page.evaluate(
        `axe.run({ rules: ${rules} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html + ' ' + nodes[0].failureSummary))`,
      )
      expect([...complaints, ...(faults as string[])]).toEqual([])
      const [wide, paper] = (await page.evaluate(
        `[document.documentElement.scrollWidth, getComputedStyle(document.documentElement).getPropertyValue('--bg-color') && getComputedStyle(document.querySelector('.menu-content') ?? document.body).backgroundColor]`,
      )) as [number, string]
      expect(wide).toBeLessThanOrEqual(LOOKS[look].viewport.width)
      if (look !== 'narrow') expect(paper).toBe(PAPER[look])
      if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `api-${look}.png`) })
    },
    60_000,
  )

  it('finds an operation by its name, and leads to its shapes', async () => {
    await using context = await signedIn(LOOKS.light)
    const { page, complaints } = await drawn(context)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('jobs.enqueue')
    await page.click('a:has-text("/api/v1/operations/jobs.enqueue"), [role=option]:has-text("jobs.enqueue")')
    await page.waitForSelector('#api h2:has-text("Give the hosts of a license a job.")')
    expect(page.url()).toContain('#/jobs/jobs.enqueue')
    expect(complaints).toEqual([])
  }, 60_000)

  it('has every noun of the document in its list, and the address of this service', async () => {
    await using context = await signedIn(LOOKS.light)
    const { page } = await drawn(context)
    const document = await context.request.get(address().replace(/api$/, 'openapi.json'))
    const { tags } = (await document.json()) as { readonly tags: readonly { readonly name: string }[] }
    const listed = await page.locator('#api .menu-content li').allTextContents()
    expect(listed).toEqual(expect.arrayContaining(tags.map(({ name }) => name)))
    expect(await page.textContent('#api')).toContain(new URL(address()).origin)
  }, 60_000)

  it('says that the document cannot be shown when there is none, and names it without script', async () => {
    await using context = await signedIn(LOOKS.light)
    await context.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '' }))
    const page = await context.newPage()
    await page.goto(address())
    await page.waitForSelector('#api:has-text("the service answered 503")')
    await using plain = await signedIn({ javaScriptEnabled: false })
    const unscripted = await plain.newPage()
    await unscripted.goto(address())
    expect(await unscripted.textContent('noscript p, main p.empty >> nth=-1')).toContain('openapi.json')
  }, 60_000)
})
