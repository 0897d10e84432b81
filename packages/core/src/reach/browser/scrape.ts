import type { Timers } from '../../kernel/timers.ts'
import type { ScrapeAnswer } from './browser-answers.ts'
import { type BrowserPage, PageFailure, type PageOptions, TEXT_FORMATS } from './browser-page.ts'
import type { ScrapeRequest } from './browser-requests.ts'

const VIEWPORT = { width: 1280, height: 800 } as const
const MAX_CHARS = 100_000
const TIMEOUT_MS = 30_000

/** Returns how the page of a scrape is opened. */
export const scrapeOptions = (request: ScrapeRequest): PageOptions => ({
  viewport: {
    width: request.viewport?.width ?? VIEWPORT.width,
    height: request.viewport?.height ?? VIEWPORT.height,
  },
  block: request.block ?? ['font', 'media'],
  locale: request.locale,
  userAgent: request.user_agent,
})

/** The page options of the agent. */
export const agentOptions = (domains: readonly string[]): PageOptions => ({
  viewport: VIEWPORT,
  block: ['font', 'media'],
  domains,
})

/** Brings a page in the formats of a request. @throws PageFailure */
export async function scrapePage(
  page: BrowserPage,
  request: ScrapeRequest,
  timers: Timers,
): Promise<Omit<ScrapeAnswer, 'request_id'>> {
  const startedMs = timers.elapsedMs()
  const spentMs = () => Math.round(timers.elapsedMs() - startedMs)
  const { url, formats = ['markdown', 'metadata'], timeout_ms: timeoutMs = TIMEOUT_MS } = request
  const { status } = await page.navigate(url, request.wait_until ?? 'load', timeoutMs)
  const navigationMs = spentMs()
  const restMs = () => {
    const rest = timeoutMs - spentMs()
    if (rest <= 0) throw new PageFailure({ kind: 'timeout', phase: 'wait' })
    return rest
  }
  if (request.wait_for !== undefined) await page.waitFor(request.wait_for, restMs())
  if (request.wait_ms !== undefined) await timers.pause(Math.min(request.wait_ms, restMs()))
  const taken = await page.extract({
    texts: TEXT_FORMATS.filter((format) => formats.includes(format)),
    links: formats.includes('links'),
    metadata: formats.includes('metadata'),
    onlyMain: request.only_main ?? true,
    maxChars: request.max_chars ?? MAX_CHARS,
  })
  const screenshot = formats.includes('screenshot')
    ? { screenshot: await page.screenshot(request.full_page ?? false) }
    : {}
  const { truncated, title, url: finalUrl, ...found } = taken
  const timing = { total_ms: spentMs(), navigation_ms: navigationMs }
  const where = { url, final_url: finalUrl, status, title }
  return { ok: true, ...where, ...found, ...screenshot, truncated, blocked: page.refusals, timing }
}
