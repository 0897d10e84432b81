import { type EgressLane, isWithinDomains, type PageOptions } from '@svc/core/adapters'
import type { BrowserContext, Page, Request, Route } from 'playwright-core'

/** The context that is watched, and its rules. */
export interface PageWatchParts {
  readonly context: BrowserContext
  readonly lane: EgressLane
  readonly options: PageOptions
}

const MAX_NOTES = 20
const MAX_NOTE_CHARS = 200
const ALLOWED = /^(?:https?:|about:blank$|chrome-error:)/

/** Looks after a page: where it goes, what it loads, and what it opens beside itself. */
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

  /** The last address at which the page itself could not be loaded. */
  get lastFailed(): string | undefined {
    return this.#lastFailed
  }

  async begin(): Promise<void> {
    const { context, options } = this.#parts
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
    page.on('request', (request) => this.#see(request))
    page.on('requestfailed', (request) => {
      if (this.#isOfPage(request)) this.#lastFailed = request.url()
    })
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame() && !ALLOWED.test(frame.url())) this.#strayed = true
    })
    if (options.block.length > 0 || options.domains !== undefined)
      await context.route('**/*', (route) => this.#route(route).catch(() => {}))
  }

  takeNotes(): readonly string[] {
    const notes = this.#notes
    this.#notes = []
    return notes
  }

  // Redirects do not come by `route`: the proxy judges their addresses, and here their domains are noticed.
  #see(request: Request): void {
    if (!this.#isOfPage(request) || this.#mayGo(request.url())) return
    this.#strayed = true
    this.#parts.lane.refuse(request.url(), 'domain')
  }

  async #route(route: Route): Promise<void> {
    const request = route.request()
    const isUnwanted = this.#parts.options.block.some((type) => type === request.resourceType())
    const isAway = this.#isOfPage(request) && !this.#mayGo(request.url())
    if (isUnwanted || isAway) await route.abort('blockedbyclient')
    else await route.continue()
  }

  #mayGo(url: string): boolean {
    const { domains } = this.#parts.options
    const parsed = URL.parse(url)
    if (parsed === null || !ALLOWED.test(url)) return false
    return domains === undefined || url === 'about:blank' || isWithinDomains(parsed.hostname, domains)
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
