import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { BrowserEngine, BrowserEngineTools } from '@svc/core'
import { type BrowserPage, PageFailure, type PageOptions } from '@svc/core/adapters'
import { ChromiumPage } from './chromium-page.ts'
import { ChromiumProcess } from './chromium-process.ts'
import { chromiumLack, chromiumProgram } from './chromium-program.ts'
import { EgressProxy } from './egress-proxy.ts'

/** Contexts after which a browser is replaced, and the memory above which it is. */
const MAX_CONTEXTS = 100
const MAX_RESIDENT_BYTES = 1_500_000_000
const LOOK_EVERY = 10
/** How long a browser runs without a page. */
const IDLE_MS = 60_000

/** Makes the browser of a plane: Debian's Chromium, behind a proxy of our own. */
export const chromiumEngine = (tools: BrowserEngineTools): ChromiumEngine => new ChromiumEngine(tools)

/** Chromium, started with the first page and replaced now and then. Its calls go through one proxy. */
export class ChromiumEngine implements BrowserEngine {
  readonly #tools: BrowserEngineTools
  readonly #proxy: EgressProxy
  readonly #running = new Set<ChromiumProcess>()
  #current: Promise<ChromiumProcess> | undefined
  #listening: Promise<string> | undefined
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(tools: BrowserEngineTools) {
    this.#tools = tools
    this.#proxy = new EgressProxy({ guard: tools.guard, secret: (bytes) => tools.ids.secret(bytes) })
  }

  get lack(): string | undefined {
    return chromiumLack(this.#tools.config)
  }

  async open(options: PageOptions): Promise<BrowserPage> {
    clearTimeout(this.#idle)
    const { guard, config } = this.#tools
    const chromium = await this.#chromium()
    const server = await this.#address()
    const lane = this.#proxy.open({ maxBytes: config.browser.maxTransferBytes })
    chromium.opened += 1
    chromium.open += 1
    try {
      const { username, password } = lane
      const context = await chromium.browser.newContext({
        proxy: { server, username, password },
        viewport: options.viewport,
        ...(options.locale === undefined ? {} : { locale: options.locale }),
        ...(options.userAgent === undefined ? {} : { userAgent: options.userAgent }),
        serviceWorkers: 'block',
        acceptDownloads: false,
        permissions: [],
        bypassCSP: false,
      })
      const over = (isHung: boolean) => this.#over(chromium, isHung)
      return await ChromiumPage.open({ context, lane, guard, options, over })
    } catch (error) {
      lane[Symbol.dispose]()
      await this.#over(chromium, true)
      throw new PageFailure({ kind: 'gone' }, { cause: error })
    }
  }

  /** Bytes of memory of all browsers, for benchmarks. */
  async residentBytes(): Promise<number> {
    const each = await Promise.all([...this.#running].map((chromium) => chromium.residentBytes()))
    return each.reduce((sum, bytes) => sum + bytes, 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await this.#current?.catch(() => {})
    await Promise.all([...this.#running].map((chromium) => this.#end(chromium)))
    if (this.#listening === undefined) return
    const closed = once(this.#proxy.server, 'close')
    this.#proxy.server.close()
    this.#proxy.server.closeAllConnections()
    await closed
  }

  /** Returns the browser that runs, or starts one. Pages that ask at once share it. */
  #chromium(): Promise<ChromiumProcess> {
    if (this.#isClosed) throw new PageFailure({ kind: 'gone' })
    this.#current ??= this.#start()
    return this.#current
  }

  async #start(): Promise<ChromiumProcess> {
    const { config, log } = this.#tools
    try {
      const program = chromiumProgram(config) ?? ''
      const sandbox = config.browser.noSandbox !== '1'
      if (!sandbox)
        log.warn({}, 'Chromium runs without its sandbox: a page that breaks it has the rights of the service')
      const chromium = await ChromiumProcess.start({ program, sandbox, proxy: await this.#address() })
      this.#running.add(chromium)
      chromium.browser.on('disconnected', () => {
        this.#running.delete(chromium)
        if (this.#latest === chromium) this.#forget()
        chromium.kill()
      })
      this.#latest = chromium
      return chromium
    } catch (error) {
      this.#forget()
      log.error({ fault: error instanceof Error ? error.name : 'unknown' }, 'Chromium did not start')
      throw new PageFailure({ kind: 'gone' }, { cause: error })
    }
  }

  #latest: ChromiumProcess | undefined

  #forget(): void {
    this.#current = undefined
    this.#latest = undefined
  }

  /** A page has ended. A browser that hung, or has done its part, takes no further page. */
  async #over(chromium: ChromiumProcess, isHung: boolean): Promise<void> {
    chromium.open -= 1
    if (isHung) {
      chromium.kill()
      return
    }
    const isDue = chromium.opened % LOOK_EVERY === 0 && (await chromium.residentBytes()) > MAX_RESIDENT_BYTES
    if ((isDue || chromium.opened >= MAX_CONTEXTS) && this.#latest === chromium) this.#forget()
    if (chromium.open > 0) return
    if (this.#latest !== chromium) await this.#end(chromium)
    else this.#idle = setTimeout(() => void this.#rest(chromium), IDLE_MS).unref()
  }

  async #rest(chromium: ChromiumProcess): Promise<void> {
    if (chromium.open > 0 || this.#latest !== chromium) return
    this.#forget()
    await this.#end(chromium)
  }

  async #end(chromium: ChromiumProcess): Promise<void> {
    await chromium.end()
    this.#running.delete(chromium)
  }

  #address(): Promise<string> {
    this.#listening ??= this.#listen()
    return this.#listening
  }

  async #listen(): Promise<string> {
    const { server } = this.#proxy
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
}
