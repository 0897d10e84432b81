import type { PageRefusal } from '../../platform/net/page-guard.ts'
import type { PageStep } from './agent-action.ts'

/** A call of a page that the way out of the browser refused. */
export interface RefusedCall {
  /** Without user, password, query and fragment, which may hold secrets. */
  readonly url: string
  readonly reason: PageRefusal
}

/** Events that make a page count as loaded. */
export const LOAD_STATES = ['load', 'domcontentloaded', 'networkidle'] as const
export type LoadState = (typeof LOAD_STATES)[number]

/** Things that a page need not load. */
export const BLOCKABLE = ['image', 'font', 'media', 'stylesheet'] as const
export type Blockable = (typeof BLOCKABLE)[number]

/** A width and a height in CSS pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** How a page is opened. */
export interface PageOptions {
  readonly viewport: Size
  readonly block: readonly Blockable[]
  readonly locale?: string | undefined
  readonly userAgent?: string | undefined
  /** Domains that the page itself may go to, with their subdomains; undefined: any. */
  readonly domains?: readonly string[] | undefined
}

/** The end of a navigation. */
export interface Navigation {
  readonly url: string
  /** Status of the page; 0 if it came from nowhere, such as `about:blank`. */
  readonly status: number
}

/** Formats of the text of a page. */
export const TEXT_FORMATS = ['markdown', 'text', 'html'] as const
export type TextFormat = (typeof TEXT_FORMATS)[number]

/** A choice of the content that is taken from a page. */
export interface ExtractOptions {
  readonly texts: readonly TextFormat[]
  readonly links: boolean
  readonly metadata: boolean
  /** Whether navigation, asides and footers are left out. */
  readonly onlyMain: boolean
  /** Most characters of each text. */
  readonly maxChars: number
}

/** The words of a page about itself. */
export interface PageMetadata {
  readonly description?: string
  readonly lang?: string
  readonly canonical?: string
  readonly og: Readonly<Record<string, string>>
}

/** Everything that was taken from a page. */
export interface Extract extends Partial<Readonly<Record<TextFormat, string>>> {
  /** The address of the page by now. */
  readonly url: string
  readonly title: string
  readonly links?: readonly { readonly href: string; readonly text: string }[]
  readonly metadata?: PageMetadata
  /** Whether a text or a list was longer. */
  readonly truncated: boolean
}

/** A picture of a page. */
export interface Screenshot extends Size {
  readonly mime: 'image/png'
  readonly base64: string
}

/** A page as a tree of roles and names. Each element has a reference. */
export interface Snapshot {
  readonly url: string
  readonly title: string
  readonly tree: string
}

/** Facts about an element that matter for money and passwords. */
export interface ElementFacts {
  /** A field for a password or the number of a card. */
  readonly isSecret: boolean
  /** Part of a form that has such a field; without a form, of a page that has one. */
  readonly isInSecretForm: boolean
  /** The same for fields of cards alone. */
  readonly isInCardForm: boolean
}

/** Phases that have a time limit. */
export const PAGE_PHASES = ['navigation', 'wait', 'extract', 'act'] as const
export type PagePhase = (typeof PAGE_PHASES)[number]

/** Why a page did not do its task. */
export type PageFault =
  | { readonly kind: 'refused'; readonly reason: PageRefusal }
  /** `reason`: Chromium's name for it, such as `ERR_CONNECTION_REFUSED`. */
  | { readonly kind: 'navigation'; readonly reason: string }
  | { readonly kind: 'timeout'; readonly phase: PagePhase }
  | { readonly kind: 'too-large' }
  /** A selector that cannot be read. */
  | { readonly kind: 'selector' }
  /** An element that is not there, or does not take the action. */
  | { readonly kind: 'element' }
  /** The browser has ended. */
  | { readonly kind: 'gone' }

/** The error of a page. It holds no text of the page. */
export class PageFailure extends Error {
  override readonly name = 'PageFailure'
  readonly fault: PageFault

  constructor(fault: PageFault, options?: { cause?: unknown }) {
    super(`the page failed: ${fault.kind}`, options)
    this.fault = fault
  }
}

/**
 * A page of a browser, in a context of its own. Every method throws `PageFailure`, and ends early when the
 * page is disposed of.
 */
export interface BrowserPage extends AsyncDisposable {
  /** Bytes to and from the page. */
  readonly bytes: number
  /** Calls that were refused. */
  readonly refusals: readonly RefusedCall[]
  /** Whether the page went, or tried to go, to a domain that it may not go to. */
  readonly strayed: boolean
  /** Returns and forgets events beside the page: dismissed dialogs, closed windows. */
  takeNotes(): readonly string[]
  navigate(url: string, state: LoadState, timeoutMs: number): Promise<Navigation>
  /** Waits for an element by a CSS selector. */
  waitFor(selector: string, timeoutMs: number): Promise<void>
  extract(options: ExtractOptions): Promise<Extract>
  screenshot(fullPage: boolean): Promise<Screenshot>
  snapshot(): Promise<Snapshot>
  /** Describes an element by its reference; without one, the element that has the focus. */
  facts(ref: string | undefined): Promise<ElementFacts>
  /** Carries out one step, and waits for the page to become quiet, 1.5 s at most. */
  act(step: PageStep): Promise<void>
}

/** A browser that opens pages. */
export interface BrowserEngine extends AsyncDisposable {
  /** Why no page can be opened, for operators; undefined if pages can. */
  readonly lack: string | undefined
  /** Opens a page, and the browser if it is not running. Throws `PageFailure`. */
  open(options: PageOptions): Promise<BrowserPage>
}
