import { isWithinDomains, type PageOptions } from '@svc/core/adapters'
import type { BrowserContext, CDPSession, Page, Request, Route } from 'playwright-core'
import type { EgressLane } from './egress-lane.ts'
import { openGate } from './page-gate.ts'

/** The context that is watched, and its rules. */
export interface PageWatchParts {
  readonly context: BrowserContext
  /** DevTools of the page. */
  readonly session: CDPSession
  readonly lane: EgressLane
  readonly options: PageOptions
}

const MAX_NOTES = 20
const MAX_NOTE_CHARS = 200
const ALLOWED = /^(?:https?:|about:blank$)/

/** Looks after a page: its navigations, its requests, and the windows that it opens. */
export class PageWatch {
  readonly #page: Page
  readonly #parts: PageWatchParts
  #notes: string[] = []
  #isGone = false
  #strayed = false
  #lastFailed: string | undefined

  constructor(page: Page, parts: PageWatchParts) {
    this.#page = page
    this.#parts = parts
  }

  /** Whether the page has crashed. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** Whether the page went, or tried to go, where it may not go. */
  get strayed(): boolean {
    return this.#strayed
  }

  /** The last address that the page itself could not be loaded from. */
  get lastFailed(): string | undefined {
    return this.#lastFailed
  }

  async begin(): Promise<void> {
    const { context, session, lane } = this.#parts
    const page = this.#page
    page.on('crash', () => {
      this.#isGone = true
    })
    page.on('dialog', (dialog) => {
      this.#note(`dismissed a dialog (${dialog.type()}): ${dialog.message()}`)
      dialog.dismiss().catch(() => {})
    })
    context.on('page', (other) => {
      if (other === page) return
      this.#note('closed a window')
      other.close().catch(() => {})
    })
    page.on('requestfailed', (request) => {
      if (this.#isOfPage(request)) this.#lastFailed = request.url()
    })
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame() && !this.#mayShow(frame.url())) this.#strayed = true
    })
    await context.route('**/*', (route) => this.#route(route).catch(() => {}))
    await openGate({
      session,
      lane,
      mayGo: (url) => this.#mayGo(url),
      stopped: (url) => {
        this.#strayed = true
        lane.refuse(url, 'domain')
      },
    })
  }

  takeNotes(): readonly string[] {
    const notes = this.#notes
    this.#notes = []
    return notes
  }

  async #route(route: Route): Promise<void> {
    const request = route.request()
    const isUnwanted = this.#parts.options.block.some((type) => type === request.resourceType())
    if (isUnwanted || this.#isOfOtherWindow(request)) await route.abort('blockedbyclient')
    else await route.continue()
  }

  #mayShow(url: string): boolean {
    return url.startsWith('chrome-error:') || this.#mayGo(url)
  }

  #mayGo(url: string): boolean {
    const { domains } = this.#parts.options
    const parsed = URL.parse(url)
    if (parsed === null || !ALLOWED.test(url)) return false
    return domains === undefined || url === 'about:blank' || isWithinDomains(parsed.hostname, domains)
  }

  /** Other windows are closed; their requests must not leave before. */
  #isOfOtherWindow(request: Request): boolean {
    try {
      return request.isNavigationRequest() && request.frame().page() !== this.#page
    } catch {
      // The first request of another window has no frame yet.
      return true
    }
  }

  #isOfPage(request: Request): boolean {
    try {
      return request.isNavigationRequest() && request.frame() === this.#page.mainFrame()
    } catch {
      // The first request of another window has no frame yet.
      return false
    }
  }

  #note(text: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(text.slice(0, MAX_NOTE_CHARS))
  }
}
