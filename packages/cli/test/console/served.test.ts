// The console of the real programs in a real browser: `svc serve` on PostgreSQL and `svc up`, from the first
// administrator to the end of the process.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import { type Browser, chromium, type Page } from 'playwright-core'
import { PAGES } from '../../../http/src/console/pages.ts'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'

const PROGRAM = '/usr/bin/chromium'
const withChromium = existsSync(PROGRAM) ? describe : describe.skip
const PASSWORD = 'correct horse battery staple'
const EMAIL = 'ada@svc.example'
const PATIENCE_MS = 180_000

withChromium('the console of a process', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(() => browser?.close())

  let cwd: string
  let database: TestDatabase
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'svc-console-'))
    database = await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  })
  afterEach(async () => {
    await database[Symbol.asyncDispose]()
    await rm(cwd, { recursive: true, force: true })
  })

  /** Makes the first administrator, who is then signed in. */
  async function settle(page: Page, url: string, code: string): Promise<void> {
    await page.goto(`${url}/console/first`)
    await page.fill('#code', code)
    await page.fill('#email', EMAIL)
    await page.fill('#password', PASSWORD)
    await page.click('text=Make my account')
    await page.waitForLoadState()
    expect(await page.locator('[role=alert]').allTextContents()).toEqual([])
    await page.waitForSelector('h1:has-text("Overview")')
  }

  /** Opens every page without open parts. Returns what the browser complained of, and pages that are none. */
  async function walked(page: Page, url: string): Promise<readonly string[]> {
    const faults: string[] = []
    let path = ''
    page.on('pageerror', (error) => faults.push(`${path}: ${error.message}`))
    page.on('console', (said) => said.type() === 'error' && faults.push(`${path}: ${said.text()}`))
    for (const { path: each } of PAGES) {
      if (each.includes('{') || each === 'sign-out') continue
      path = each
      const answer = await page.goto(`${url}/console${each && `/${each}`}`)
      if (answer?.status() !== 200) faults.push(`${path}: ${answer?.status()}`)
    }
    return faults
  }

  it(
    'leads from the code of svc users first-code to a job, stays live, and says when svc serve has ended',
    async () => {
      const env = {
        DATABASE_URL: database.url,
        SERVICE_SESSION_SECRET: 'a-session-secret-of-this-test-alone',
      }
      await using serve = new SvcProcess(['serve', '--port', '0'], { cwd, env })
      const url = await serve.serving()
      const { code } = await jsonHere<{ code: string }>(['users', 'first-code'], { cwd, env })
      await using context = await browser.newContext()
      const page = await context.newPage()
      await settle(page, url, code)
      expect(await walked(page, url)).toEqual([])

      // Forms, their answers, and the rows that come of them.
      await page.goto(`${url}/console/do/licenses.issue?back=licenses`)
      await page.click('main summary')
      await page.fill('#f-label', 'shop')
      await page.click('main button:has-text("Issue")')
      const key = await page.locator('.secret').first().textContent()
      expect(key).toContain('svc')
      const { licenses } = await jsonHere<{ licenses: { id: string }[] }>(['licenses', 'list'], { cwd, env })
      await page.goto(`${url}/console/do/jobs.enqueue?license=${licenses[0]?.id}`)
      await page.selectOption('#f-kind', 'prune')
      await page.click('main button:has-text("Enqueue")')
      await page.waitForSelector('.state:has-text("pending")')
      const job = page.url().split('/').at(-1) ?? ''

      // Another program cancels the job: the page that is open shows it.
      expect(await runSvc(['jobs', 'cancel', job], { cwd, env })).toMatchObject({ code: 0 })
      await page.waitForSelector('.state:has-text("failed")', { timeout: 10_000 })

      // The process ends in time, though a page is open, and the page says so.
      serve.kill('SIGTERM')
      const begun = performance.now()
      expect(await serve.end()).toBe(0)
      expect(performance.now() - begun).toBeLessThan(15_000)
      await page.waitForSelector('.lost:has-text("connection is lost"), .lost:has-text("No answer")', {
        timeout: 20_000,
      })
    },
    PATIENCE_MS,
  )

  it(
    'has no code and no session from a process that does not know the secret of the service',
    async () => {
      const env = { DATABASE_URL: database.url }
      const words = ['--role', 'support', '--password-stdin']
      const added = await runSvc(['users', 'add', EMAIL, ...words], { cwd, env, input: `${PASSWORD}\n` })
      expect(added).toMatchObject({ code: 0 })
      for (const args of [
        ['users', 'first-code'],
        ['sessions', 'mint', EMAIL],
      ]) {
        const { code, out, err } = await runSvc(args, { cwd, env })
        expect([code, out, err]).toEqual([3, '', expect.stringContaining('set SERVICE_SESSION_SECRET')])
      }
    },
    PATIENCE_MS,
  )

  it(
    'opens with the code that svc up prints, and shows the application that the trial deploys',
    async () => {
      await using up = new SvcProcess(['up', '--port', '0'], { cwd })
      await up.until('out', 'Ctrl-C ends it')
      const url = /address +(\S+)/.exec(up.out.text)?.[1] ?? ''
      await using context = await browser.newContext()
      const page = await context.newPage()
      await settle(page, url, /^ +(\S+) +makes your account/m.exec(up.out.text)?.[1] ?? '')
      expect(await walked(page, url)).toEqual([])
      await page.goto(`${url}/console/apps`)
      await page.click('tbody a:has-text("hello")')
      await page.click('a:has-text("Deploy"), button:has-text("Deploy")')
      await page.waitForSelector('form.run')
      await page.goto(`${url}/console/hosts`)
      expect(await page.locator('tbody tr').count()).toBe(1)
      up.kill('SIGINT')
      await up.end()
    },
    PATIENCE_MS,
  )
})
