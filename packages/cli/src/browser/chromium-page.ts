import {
  type BrowserPage,
  type ElementFacts,
  type Extract,
  type ExtractOptions,
  type LoadState,
  type Navigation,
  PageFailure,
  type PageGuard,
  type PageOptions,
  type PagePhase,
  type PageStep,
  type RefusedCall,
  type Screenshot,
  type Snapshot,
} from '@svc/core/adapters'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { EgressLane } from './egress-lane.ts'
import { focusFacts, refFacts } from './element-facts.ts'
import { pictureOf } from './page-picture.ts'
import { PageWatch } from './page-watch.ts'
import { extractFrom } from './page-world.ts'

/** Parts of a page. */
export interface ChromiumPageParts {
  readonly context: BrowserContext
  readonly lane: EgressLane
  readonly guard: PageGuard
  readonly options: PageOptions
  /** Called once when the page has ended; `isHung`: it did not end by itself. */
  readonly over: (isHung: boolean) => Promise<void>
}

const STEP_MS = 5000
const SETTLE_MS = 1500
const LOOK_MS = 10_000
const CLOSE_MS = 5000
const WHEEL_PIXELS = 600
/** Time for a click to begin its effect. */
const BEGIN_MS = 50

/** The word for a page that has ended its own process. */
const CRASHED = 'ERR_PAGE_CRASHED'

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'ERR_CONNECTION_REFUSED',
  ECONNRESET: 'ERR_CONNECTION_RESET',
  ETIMEDOUT: 'ERR_CONNECTION_TIMED_OUT',
  EHOSTUNREACH: 'ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'ERR_ADDRESS_UNREACHABLE',
}

/** One page of Chromium, alone in its context. */
export class ChromiumPage implements BrowserPage {
  readonly #parts: ChromiumPageParts
  readonly #page: Page
  readonly #session: CDPSession
  readonly #watch: PageWatch
  #closed: Promise<void> | undefined

  private constructor(parts: ChromiumPageParts, made: { page: Page; session: CDPSession; watch: PageWatch }) {
    this.#parts = parts
    this.#page = made.page
    this.#session = made.session
    this.#watch = made.watch
    // Nothing moves any more: everything that waits for the page learns it now.
    parts.lane.full.addEventListener('abort', () => void this[Symbol.asyncDispose](), { once: true })
  }

  static async open(parts: ChromiumPageParts): Promise<ChromiumPage> {
    const page = await parts.context.newPage()
    const session = await parts.context.newCDPSession(page)
    const watch = new PageWatch(page, { ...parts, session })
    await watch.begin()
    return new ChromiumPage(parts, { page, session, watch })
  }

  get bytes(): number {
    return this.#parts.lane.bytes
  }

  get refusals(): readonly RefusedCall[] {
    return this.#parts.lane.refusals
  }

  get strayed(): boolean {
    return this.#watch.strayed
  }

  takeNotes(): readonly string[] {
    return this.#watch.takeNotes()
  }

  async navigate(url: string, state: LoadState, timeoutMs: number): Promise<Navigation> {
    const reason = this.#parts.guard.read(url)
    if (reason !== undefined) throw new PageFailure({ kind: 'refused', reason })
    const response = await this.#do('navigation', () =>
      this.#page.goto(url, { waitUntil: state, timeout: timeoutMs }),
    )
    this.#requireSite()
    return { url: this.#page.url(), status: response?.status() ?? 0 }
  }

  waitFor(selector: string, timeoutMs: number): Promise<void> {
    const found = () => this.#page.locator(`css=${selector}`).first()
    return this.#do('wait', () => found().waitFor({ state: 'attached', timeout: timeoutMs }))
  }

  async extract(options: ExtractOptions): Promise<Extract> {
    this.#requireSite()
    const found = await this.#do('extract', () => extractFrom(this.#session, options))
    this.#requireSite(found.url)
    return found
  }

  screenshot(fullPage: boolean): Promise<Screenshot> {
    const viewport = this.#page.viewportSize() ?? this.#parts.options.viewport
    return this.#do('extract', () => pictureOf(this.#session, viewport, fullPage))
  }

  async snapshot(): Promise<Snapshot> {
    const tree = await this.#do('extract', () => this.#page.ariaSnapshot({ mode: 'ai', timeout: LOOK_MS }))
    const title = await this.#do('extract', () => this.#page.title())
    return { url: this.#page.url(), title, tree }
  }

  facts(ref: string | undefined): Promise<ElementFacts> {
    const look = () => (ref === undefined ? focusFacts(this.#page) : refFacts(this.#page, ref, STEP_MS))
    return this.#do('act', look)
  }

  async act(step: PageStep): Promise<void> {
    if (step.type === 'navigate') {
      await this.navigate(step.url, 'load', LOOK_MS)
    } else {
      await this.#do('act', () => this.#take(step))
      await this.#settle()
    }
    if (!this.strayed) this.#requireSite()
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #take(step: Exclude<PageStep, { readonly type: 'navigate' }>): Promise<unknown> {
    const page = this.#page
    const options = { timeout: STEP_MS }
    switch (step.type) {
      case 'click':
        return page.getByRef(step.ref).click(options)
      case 'fill':
        await page.getByRef(step.ref).fill(step.value, options)
        return step.submit ? page.getByRef(step.ref).press('Enter', options) : undefined
      case 'select':
        return page.getByRef(step.ref).selectOption(step.value, options)
      case 'press':
        return page.keyboard.press(step.key)
      case 'scroll':
        return page.mouse.wheel(0, step.direction === 'down' ? WHEEL_PIXELS : -WHEEL_PIXELS)
      case 'wait':
        return page.waitForTimeout(step.ms)
      case 'back':
        return page.goBack({ timeout: LOOK_MS })
    }
  }

  /** Waits for the effects of a step; a page that never becomes quiet is as good. */
  async #settle(): Promise<void> {
    try {
      await this.#page.waitForTimeout(BEGIN_MS)
      await this.#page.waitForLoadState('networkidle', { timeout: SETTLE_MS })
    } catch (error) {
      if (this.#closed !== undefined) throw this.#failure(error, 'act')
    }
  }

  /** A page that was refused shows an error of Chromium. */
  #requireSite(url = this.#page.url()): void {
    if (!url.startsWith('chrome-error:')) return
    throw this.#failure(undefined, 'navigation')
  }

  async #do<T>(phase: PagePhase, work: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw this.#failure(undefined, phase)
    try {
      return await work()
    } catch (error) {
      throw error instanceof PageFailure ? error : this.#failure(error, phase)
    }
  }

  #failure(cause: unknown, phase: PagePhase): PageFailure {
    const { lane } = this.#parts
    const said = cause instanceof Error ? cause.message : ''
    const options = { cause }
    if (lane.full.aborted) return new PageFailure({ kind: 'too-large' }, options)
    if (this.#watch.isGone) return new PageFailure({ kind: 'navigation', reason: CRASHED }, options)
    if (this.#closed !== undefined) return new PageFailure({ kind: 'gone' }, options)
    if (cause instanceof Error && cause.name === 'TimeoutError')
      return new PageFailure({ kind: 'timeout', phase }, options)
    if (phase === 'wait') return new PageFailure({ kind: 'selector' }, options)
    if (phase !== 'navigation') return new PageFailure({ kind: 'element' }, options)
    const target = this.#watch.lastFailed
    const reason = target === undefined ? lane.refusals.at(-1)?.reason : lane.refusalOf(target)
    if (reason !== undefined) return new PageFailure({ kind: 'refused', reason }, options)
    const code = target === undefined ? undefined : lane.failureOf(target)
    const chromium = /net::(ERR_[A-Z_]+)/.exec(said)?.[1]
    const failed = (code === undefined ? undefined : CODES[code]) ?? chromium ?? 'ERR_FAILED'
    return new PageFailure({ kind: 'navigation', reason: failed }, options)
  }

  async #close(): Promise<void> {
    const { context, lane, over } = this.#parts
    const late = Promise.withResolvers<true>()
    const timer = setTimeout(() => late.resolve(true), CLOSE_MS)
    const closed = context.close().then(
      () => false,
      () => false,
    )
    const isHung = await Promise.race([closed, late.promise])
    clearTimeout(timer)
    lane[Symbol.dispose]()
    await over(isHung)
  }
}
