import { readFile } from 'node:fs/promises'
import { Problem } from '@svc/core'
import type { Browser } from 'playwright-core'
import { CHROMIUM_ARGUMENTS } from './chromium-program.ts'

/** How a browser is started. */
export interface ChromiumParts {
  readonly program: string
  readonly sandbox: boolean
  /** Address of the proxy, the only way out. */
  readonly proxy: string
}

const LAUNCH_MS = 30_000
const CLOSE_MS = 3000
const PAGE_BYTES = 4096

/** One running browser with all its processes. */
export class ChromiumProcess {
  readonly browser: Browser
  /** Contexts that were opened, and those that are open. */
  opened = 0
  open = 0
  readonly #pid: number

  private constructor(browser: Browser, pid: number) {
    this.browser = browser
    this.#pid = pid
  }

  /** Starts a browser. It gets none of our environment, which holds secrets. */
  static async start({ program, sandbox, proxy }: ChromiumParts): Promise<ChromiumProcess> {
    // Loaded with the first page: it takes a quarter of a second.
    const { chromium } = await import('playwright-core')
    const browser = await chromium.launch({
      executablePath: program,
      args: [...CHROMIUM_ARGUMENTS],
      chromiumSandbox: sandbox,
      // The housekeeping of Chromium is in no context of ours, so it has no credential.
      proxy: { server: proxy },
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8' },
      // The process belongs to svc, which ends the browser itself.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: LAUNCH_MS,
    })
    try {
      const [main] = (await processesOf(browser)).filter(({ type }) => type === 'browser')
      if (main === undefined) throw new Problem('unavailable', { detail: 'the browser names no process' })
      return new ChromiumProcess(browser, main.id)
    } catch (error) {
      await browser.close()
      throw error
    }
  }

  /** Memory of all processes of the browser, in bytes; 0 if it cannot be read. */
  async residentBytes(): Promise<number> {
    try {
      const processes = await processesOf(this.browser)
      const pages = await Promise.all(processes.map(({ id }) => residentPages(id)))
      return PAGE_BYTES * pages.reduce((sum, each) => sum + each, 0)
    } catch {
      return 0
    }
  }

  /** Ends the browser; one that does not end by itself is killed with everything that it started. */
  async end(): Promise<void> {
    const closed = this.browser.close().then(
      () => true,
      () => false,
    )
    const late = Promise.withResolvers<false>()
    const timer = setTimeout(() => late.resolve(false), CLOSE_MS)
    const isClosed = await Promise.race([closed, late.promise])
    clearTimeout(timer)
    if (!isClosed) this.kill()
  }

  /** Kills the group of processes at once. */
  kill(): void {
    try {
      process.kill(-this.#pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

interface ProcessInfo {
  readonly id: number
  readonly type: string
}

async function processesOf(browser: Browser): Promise<readonly ProcessInfo[]> {
  const session = await browser.newBrowserCDPSession()
  try {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    return processInfo
  } finally {
    await session.detach()
  }
}

async function residentPages(pid: number): Promise<number> {
  try {
    return Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1] ?? 0)
  } catch {
    return 0
  }
}
