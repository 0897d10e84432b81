// A terminal in a real browser, over a real relay, to the shell of a real agent.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import '../../../../test/support/standard-input.ts'
import { SshScene, SVC, sleep } from '../support/ssh-scene.ts'
import { SvcProcess } from '../support/svc-process.ts'

const PROGRAM = '/usr/bin/chromium'
const withChromium = existsSync(PROGRAM) ? describe : describe.skip
const PICTURES = process.env.SVC_TEST_PICTURES
const OPERATOR = 'ada@svc.example'
const MIB = 1024 * 1024

/** Notes when each frame of a page's socket was sent and came. */
const NOTE_FRAMES = `
  window.frames_ = []
  const note = (way, data) => typeof data !== 'string' &&
    window.frames_.push({ way, at: performance.now(), bytes: data.byteLength })
  const { send } = WebSocket.prototype
  WebSocket.prototype.send = function (data) { note('sent', data); return send.call(this, data) }
  const Own = WebSocket
  window.WebSocket = class extends Own {
    constructor(...all) { super(...all); this.addEventListener('message', ({ data }) => note('came', data)) }
  }`

withChromium('a terminal in Chromium', () => {
  let scene: SshScene
  let browser: Browser
  beforeAll(async () => {
    scene = await SshScene.open(22, { SERVICE_SESSION_SECRET: 's'.repeat(40) })
    await scene.here('users', 'add', OPERATOR, '--role', 'super_admin')
    const args = ['--no-sandbox']
    browser = await chromium.launch({ executablePath: PROGRAM, args })
    if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  const url = () => `${scene.env.SERVICE_PUBLIC_URL}/console`

  async function signedIn(
    options: Parameters<Browser['newContext']>[0] = {},
    email = OPERATOR,
  ): Promise<BrowserContext> {
    const context = await browser.newContext(options)
    const { cookie } = JSON.parse(await scene.here('sessions', 'mint', email, '--json')) as { cookie: string }
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url: url() }])
    return context
  }

  /** Opens a terminal, and collects the complaints of the browser. */
  async function opened(context: BrowserContext): Promise<{ page: Page; complaints: string[] }> {
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goto(`${url()}/hosts/${scene.host}/terminal`)
    await page.click('text=Open a terminal')
    await page.waitForSelector('#terminal[data-state=connected]', { timeout: 20_000 })
    await shows(page, '# ')
    return { page, complaints }
  }

  const rows = (page: Page) => page.locator('.xterm-rows').innerText()
  async function shows(page: Page, wanted: string | RegExp, patienceMs = 20_000): Promise<string> {
    const end = performance.now() + patienceMs
    for (;;) {
      const text = (await rows(page)).replaceAll('\u00a0', ' ')
      if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) return text
      if (performance.now() > end) throw new Error(`no ${wanted} in: ${text}`)
      await sleep(50)
    }
  }
  const type = async (page: Page, line: string) => {
    await page.keyboard.type(`${line}\n`)
  }

  it('types, draws colours, follows the size of the window, and no policy is broken', async () => {
    await using context = await signedIn()
    const { page, complaints } = await opened(context)
    await type(page, 'printf "\\033[31mred\\033[0m \\033[38;2;10;200;30mmixed\\033[0m π"; echo $((40+2))')
    await shows(page, 'red mixed π42')
    const colour = (word: string) =>
      page.evaluate(
        `getComputedStyle([...document.querySelectorAll('.xterm-rows span')].filter((each) => each.textContent === '${word}').at(-1)).color`,
      )
    expect(await colour('mixed')).toBe('rgb(10, 200, 30)')
    expect(await colour('red')).not.toBe(await colour('mixed'))
    await type(page, 'clear; stty size')
    const [, rowsBefore, colsBefore] = /(\d+) (\d+)/.exec(await shows(page, /\d+ \d+/)) ?? []
    await page.setViewportSize({ width: 700, height: 500 })
    await sleep(500)
    await type(page, 'clear; stty size')
    await sleep(500)
    const [, rowsAfter, colsAfter] = /(\d+) (\d+)/.exec(await shows(page, /\d+ \d+/)) ?? []
    expect(Number(colsBefore)).toBeGreaterThan(Number(colsAfter))
    expect(Number(rowsBefore)).toBeGreaterThan(Number(rowsAfter))
    expect(complaints).toEqual([])
    if (PICTURES !== undefined) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await type(page, 'PS1="# "; clear; ls --color=always -l /usr; free -h; uptime')
      await sleep(500)
      await page.screenshot({ path: join(PICTURES, 'terminal.png') })
    }
  }, 60_000)

  it('the ticket leaves the page, and the end of the shell is said with a way to another', async () => {
    await using context = await signedIn()
    const { page } = await opened(context)
    expect(await page.content()).not.toContain('data-ticket')
    await type(page, 'exit 3')
    await page.waitForSelector('#terminal[data-state=ended]')
    expect(await page.textContent('#terminal-state')).toBe('The shell has ended, with code 3.')
    expect(await scene.over()).toMatchObject({
      state: 'ended',
      mode: 'shell',
      exit_code: 3,
      operator: OPERATOR,
    })
    await page.click('text=Open another')
    await page.waitForSelector('#terminal[data-state=connected]')
    await page.click('text=End the session')
    expect(await scene.over()).toMatchObject({ end_reason: 'closed' })
  }, 60_000)

  it('a session that is revoked closes the terminal, and says why', async () => {
    await using context = await signedIn()
    const { page } = await opened(context)
    const [session] = await scene.sessionsOf(['ssh', 'sessions', '--active'])
    await scene.here('ssh', 'revoke', String(session?.id))
    await page.waitForSelector('#terminal[data-state=ended]', { timeout: 10_000 })
    expect(await page.textContent('#terminal-state')).toContain('Somebody revoked the session')
    await page.keyboard.type('x')
  }, 60_000)

  it('copies what is marked, and pastes lines', async () => {
    await using context = await signedIn({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = await opened(context)
    await type(page, 'clear; echo copied-$((1+1))')
    await shows(page, 'copied-2')
    await page.evaluate('document.querySelector(".xterm-helper-textarea").focus()')
    const line = await page.locator('.xterm-rows > div', { hasText: 'copied-2' }).last().boundingBox()
    await page.mouse.click((line?.x ?? 0) + 20, (line?.y ?? 0) + 5, { clickCount: 3 })
    await page.keyboard.press('Control+Shift+C')
    await sleep(300)
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('copied-2')
    await page.locator('.xterm-helper-textarea').focus()
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.setData('text/plain', 'echo pasted-$((2+2))')
      document.querySelector('.xterm-helper-textarea').dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })()`)
    await page.keyboard.press('Enter')
    await shows(page, 'pasted-4')
    await page.keyboard.press('Control+F6')
    expect(await page.evaluate('document.activeElement.id')).toBe('terminal-end')
  }, 60_000)

  it('an editor draws, and 10 MB of output hold', async () => {
    await using context = await signedIn()
    const { page, complaints } = await opened(context)
    const file = join(scene.folder, 'lines.txt')
    writeFileSync(file, Array.from({ length: 500 }, (_, n) => `line ${n + 1} of the file`).join('\n'))
    const editor = ['/usr/bin/vim', '/usr/bin/vi', '/usr/bin/less'].find((path) => existsSync(path))
    if (editor !== undefined) {
      await type(page, `TERM=xterm-256color ${editor} ${file}`)
      await shows(page, 'line 1 of the file')
      await page.keyboard.type('G')
      const end = await shows(page, 'line 500 of the file')
      expect(end).not.toContain('line 1 of the file')
      await page.keyboard.type(editor.endsWith('less') ? 'q' : ':q!\n')
      await shows(page, '# ')
    }
    await type(page, `clear; head -c ${10 * MIB} /dev/zero | tr '\\0' 'x' | fold -w 79; echo "all-$((6*7))"`)
    const began = performance.now()
    await shows(page, 'all-42', 60_000)
    const seconds = (performance.now() - began) / 1000
    await type(page, 'clear; echo still-$((1+2))')
    await shows(page, 'still-3')
    process.stdout.write(`a terminal in a browser: 10 MB in ${seconds.toFixed(1)} s\n`)
    expect(seconds).toBeLessThan(60)
    expect(complaints).toEqual([])
  }, 120_000)

  it('a key takes about as long as with svc ssh', async () => {
    const KEYS = 60
    const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
    await using context = await signedIn()
    await context.addInitScript(NOTE_FRAMES)
    const { page } = await opened(context)
    await sleep(500)
    await page.evaluate('window.frames_.length = 0')
    for (let key = 0; key < KEYS; key += 1) {
      await page.keyboard.type('x')
      await sleep(20)
    }
    const frames = (await page.evaluate('window.frames_')) as { way: string; at: number }[]
    const inBrowser = frames.flatMap(({ way, at }, place) => {
      const answer = frames.slice(place).find((each) => each.way === 'came')
      return way === 'sent' && answer !== undefined ? [answer.at - at] : []
    })
    await using svc = new SvcProcess([], {
      ...scene.parts,
      typed: true,
      through: () => ['script', '-qfec', `${SVC} ssh ${scene.host}`, '/dev/null'],
    })
    await svc.until('out', '# ')
    await sleep(500)
    const inTerminal: number[] = []
    for (let key = 0; key < KEYS; key += 1) {
      const before = svc.out.text.length
      const began = performance.now()
      svc.press('x')
      while (svc.out.text.length === before) await new Promise((resolve) => setImmediate(resolve))
      inTerminal.push(performance.now() - began)
      await sleep(20)
    }
    svc.press('\x15')
    svc.type('exit')
    await svc.end()
    expect(inBrowser.length).toBeGreaterThan(KEYS * 0.9)
    const [own, other] = [median(inBrowser), median(inTerminal)]
    process.stdout.write(
      `latency of a key: ${own.toFixed(2)} ms in a browser, ${other.toFixed(2)} ms with svc ssh\n`,
    )
    expect(own).toBeLessThan(Math.max(1.5 * other, 5))
  }, 60_000)

  it('a tenant’s person sees no terminal of another tenant’s host, and no difference to none', async () => {
    await scene.here('tenants', 'add', 'acme')
    await scene.here('users', 'add', 'eve@acme.example', '--role', 'owner', '--tenant', 'acme')
    await using context = await signedIn({}, 'eve@acme.example')
    const page = await context.newPage()
    const asked = async (host: string) => {
      const answer = await page.goto(`${url()}/hosts/${host}/terminal`)
      return [answer?.status(), (await page.textContent('main'))?.replaceAll(host, 'HOST')]
    }
    const theirs = await asked(scene.host)
    expect(theirs[0]).toBe(404)
    expect(theirs).toEqual(await asked('no-such-host'))
    const before = (await scene.sessionsOf()).length
    await page.goto(`${url()}/apps`)
    const token = await page.getAttribute('form.person input[name=form]', 'value')
    const sent = await context.request.post(`${url()}/hosts/${scene.host}/terminal`, {
      form: { form: token ?? '' },
      headers: { origin: String(scene.env.SERVICE_PUBLIC_URL) },
    })
    expect(sent.status()).toBe(404)
    expect(await scene.sessionsOf()).toHaveLength(before)
  }, 60_000)
})
