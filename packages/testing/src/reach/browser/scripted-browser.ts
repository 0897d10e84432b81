import type { PageStep } from '@svc/core/adapters'
import {
  type BrowserEngine,
  type BrowserPage,
  type ElementFacts,
  type Extract,
  PageFailure,
  type PageFault,
  type PageOptions,
} from '@svc/core/ports'

/** A page as a test scripts it. */
export interface ScriptedPage {
  readonly title?: string
  readonly status?: number
  /** The tree of roles and names. */
  readonly tree?: string
  readonly text?: string
  /** The failure of the page when it is opened. */
  readonly fault?: PageFault
  /** Whether the page leads to a domain that it may not go to. */
  readonly strays?: boolean
  /** Holds the navigation until it settles. */
  readonly until?: Promise<unknown>
  /** References of fields for passwords, and of elements in a form with one. */
  readonly secrets?: readonly string[]
  readonly inSecretForm?: readonly string[]
  readonly inCardForm?: readonly string[]
  /** Addresses that a click on a reference leads to. */
  readonly links?: Readonly<Record<string, string>>
}

const BYTES = 1000

/** A browser in plain objects, for tests: pages by address, and a record of actions. */
export class ScriptedBrowser implements BrowserEngine {
  readonly pages = new Map<string, ScriptedPage>()
  /** Steps of all pages, and the options that pages were opened with. */
  readonly steps: PageStep[] = []
  readonly opened: PageOptions[] = []
  /** Pages that are open. */
  pagesOpen = 0
  isClosed = false
  lack: string | undefined

  constructor(pages: Readonly<Record<string, ScriptedPage>> = {}) {
    for (const [url, page] of Object.entries(pages)) this.pages.set(url, page)
  }

  async open(options: PageOptions): Promise<BrowserPage> {
    if (this.isClosed) throw new PageFailure({ kind: 'gone' })
    this.opened.push(options)
    this.pagesOpen += 1
    return new OpenedPage(this, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true
  }
}

class OpenedPage implements BrowserPage {
  bytes = 0
  strayed = false
  readonly refusals = []
  readonly #browser: ScriptedBrowser
  readonly #options: PageOptions
  readonly #gone = Promise.withResolvers<never>()
  #url = 'about:blank'
  #isOpen = true

  constructor(browser: ScriptedBrowser, options: PageOptions) {
    this.#browser = browser
    this.#options = options
    this.#gone.promise.catch(() => {})
  }

  get #page(): ScriptedPage {
    return this.#browser.pages.get(this.#url) ?? { title: 'Not found', status: 404, text: 'Not found' }
  }

  takeNotes(): readonly string[] {
    return []
  }

  async navigate(url: string) {
    this.#url = url
    this.bytes += BYTES
    const { fault, until, status = 200, strays = false } = this.#page
    if (strays) this.strayed = true
    await Promise.race([until, this.#gone.promise])
    if (fault !== undefined) throw new PageFailure(fault)
    return { url, status }
  }

  async waitFor(): Promise<void> {}

  async extract({ texts, maxChars }: Parameters<BrowserPage['extract']>[0]): Promise<Extract> {
    const { title = '', text = '' } = this.#page
    const cut = Object.fromEntries(texts.map((format) => [format, text.slice(0, maxChars)]))
    return { url: this.#url, title, ...cut, truncated: text.length > maxChars }
  }

  async screenshot() {
    return { mime: 'image/png', base64: '', ...this.#options.viewport } as const
  }

  async snapshot() {
    if (!this.#isOpen) throw new PageFailure({ kind: 'gone' })
    const { title = '', tree = '' } = this.#page
    return { url: this.#url, title, tree }
  }

  async facts(ref = ''): Promise<ElementFacts> {
    const { secrets = [], inSecretForm = [], inCardForm = [] } = this.#page
    return {
      isSecret: secrets.includes(ref),
      isInSecretForm: inSecretForm.includes(ref),
      isInCardForm: inCardForm.includes(ref),
    }
  }

  async act(step: PageStep): Promise<void> {
    this.#browser.steps.push(step)
    if (step.type === 'navigate') await this.navigate(step.url)
    if (!('ref' in step)) return
    if (!(this.#page.tree ?? '').includes(`[ref=${step.ref}]`)) throw new PageFailure({ kind: 'element' })
    const next = step.type === 'click' ? this.#page.links?.[step.ref] : undefined
    if (next !== undefined) await this.navigate(next)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOpen) this.#browser.pagesOpen -= 1
    this.#isOpen = false
    this.#gone.reject(new PageFailure({ kind: 'gone' }))
  }
}
