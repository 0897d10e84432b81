import { Problem } from '../../kernel/problem.ts'
import type { Config } from '../../platform/config/config.ts'
import type { PageGuard } from '../../platform/net/page-guard.ts'
import type { LanguageModel } from '../chat/answer/language-model.ts'
import type { AgentStep } from './agent-answer.ts'
import { AgentCall } from './agent-call.ts'
import type { AgentAnswer, ScrapeAnswer } from './browser-answers.ts'
import { BrowserCall, type BrowserCallParts } from './browser-call.ts'
import type { BrowserEngine, BrowserPage } from './browser-page.ts'
import type { AgentRequest, ScrapeRequest } from './browser-requests.ts'
import { type BrowserSession, BrowserSessions } from './browser-sessions.ts'
import type { BrowserRun } from './browser-store.ts'
import type { BrowserCaller } from './browser-token.ts'
import { ANY_DOMAIN, isWithinDomains, registrableDomain } from './page-domains.ts'
import { pageProblem, urlNotAllowed } from './page-problem.ts'
import { agentOptions, scrapeOptions, scrapePage } from './scrape.ts'
import { WorkSlots } from './work-slots.ts'

/** Dependencies of `BrowserWorker`. */
export interface BrowserWorkerParts extends BrowserCallParts {
  readonly config: Pick<Config, 'browser' | 'faults'>
  /** Judges the addresses of pages. */
  readonly guard: PageGuard
  /** Absent: no page can be opened. */
  readonly engine: BrowserEngine | undefined
  /** Absent: the agent observes and acts, and does not run. */
  readonly model: LanguageModel | undefined
}

const NAVIGATION_MS = 30_000
const RETRY_SECONDS = 5
/** How long work may go on once the process ends. */
const DRAIN_MS = 5000

/** Opens pages for programs: brings them as text, and operates them (docs/browser.md). */
export class BrowserWorker implements AsyncDisposable {
  readonly #parts: BrowserWorkerParts
  readonly #slots: WorkSlots
  readonly #sessions: BrowserSessions
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #isDraining = false

  constructor(parts: BrowserWorkerParts) {
    this.#parts = parts
    const { concurrency, sessionSeconds } = parts.config.browser
    this.#slots = new WorkSlots(concurrency)
    this.#sessions = new BrowserSessions({ timers: parts.timers, idleSeconds: sessionSeconds })
  }

  /** Why no page can be opened, for operators; undefined if pages can. */
  get lack(): string | undefined {
    const { engine, config } = this.#parts
    if (config.faults.browser !== undefined) return 'its settings cannot be read'
    if (config.browser.enabled === '0') return 'BROWSER_WORKER_ENABLED is 0'
    return engine === undefined ? 'this process has no browser: svc serve has one' : engine.lack
  }

  /**
   * Brings a page in the formats of a request. An answer of the page itself, also an error, is a success.
   * @throws Problem `browser-not-configured`, `url-not-allowed`, `rate-limited`, `navigation-failed`,
   * `page-timeout`, `page-too-large`, `unavailable`
   */
  async scrape(caller: BrowserCaller, request: ScrapeRequest, gone: AbortSignal): Promise<ScrapeAnswer> {
    const engine = this.#ready()
    const signal = AbortSignal.any([gone, this.#closing.signal])
    const { host } = await this.#judge(request.url, signal)
    using _slot = await this.#slots.enter(signal)
    const call = await BrowserCall.begin(this.#parts, caller, { kind: 'scrape', host })
    let page: BrowserPage | undefined
    let status = 'failed'
    const work = async () => {
      page = await engine.open(scrapeOptions(request))
      await using open = page
      // The page ends with the signal, and with it all that waits for the page.
      using _leash = leash(signal, open)
      return await scrapePage(open, request, this.#parts.timers)
    }
    try {
      const answer = await this.#noted(work())
      status = 'completed'
      return { ...answer, request_id: call.id }
    } catch (error) {
      const problem = signal.aborted ? stopped() : pageProblem(error)
      status = signal.aborted ? 'cancelled' : problem instanceof Problem ? problem.code : 'failed'
      throw problem
    } finally {
      await call.end({ status, bytes: page?.bytes ?? 0 })
    }
  }

  /**
   * Observes a page, takes one step on it, or runs towards a goal. `watch` is told when the page is there,
   * and each step; refusals come before.
   * @throws Problem as `scrape`; `agent-model-not-configured`, `session-not-found`, `session-busy`
   */
  async agent(
    caller: BrowserCaller,
    request: AgentRequest,
    gone: AbortSignal,
    watch: AgentWatch = {},
  ): Promise<AgentAnswer> {
    const engine = this.#ready()
    if (request.mode === 'run' && this.#parts.model === undefined)
      throw new Problem('agent-model-not-configured')
    const late = new AbortController()
    const signal = AbortSignal.any([gone, late.signal, this.#closing.signal])
    const over = new AbortController()
    void this.#parts.timers.pause(request.timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) late.abort(new Problem('page-timeout', { phase: 'navigation' }))
    })
    try {
      const opening = { engine, caller, request, domains: this.#domainsOf(request) }
      return await this.#noted(this.#work(opening, { signal, isLate: () => late.signal.aborted, watch }))
    } catch (error) {
      throw gone.aborted || this.#closing.signal.aborted ? stopped() : pageProblem(error)
    } finally {
      over.abort()
    }
  }

  /** Lists the work done, newest first. */
  runs(limit: number): Promise<readonly BrowserRun[]> {
    return this.#parts.storage.browser.listRuns(limit)
  }

  /** Ends all work: running work has 5 s, then it is cut off. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDraining = true
    await Promise.race([
      Promise.allSettled([...this.#running]),
      this.#parts.timers.pause(DRAIN_MS, this.#closing.signal),
    ])
    this.#closing.abort()
    await this.#sessions[Symbol.asyncDispose]()
    await this.#parts.engine?.[Symbol.asyncDispose]()
  }

  async #work(opening: Opening, { signal, isLate, watch }: Run): Promise<AgentAnswer> {
    const { caller, request, domains } = opening
    const target = request.url === undefined ? undefined : await this.#judge(request.url, signal, domains)
    using _slot = await this.#slots.enter(signal)
    const session = await this.#sessionOf(opening)
    let isKept = false
    using _leash = leash(signal, session.page)
    try {
      const host = target?.host ?? ''
      const call = await BrowserCall.begin(this.#parts, caller, { kind: request.mode, host })
      let status = 'failed'
      const parts = { ...this.#parts, id: call.id, session, request, signal, isLate }
      const work = new AgentCall({ ...parts, onStep: (step) => watch.step?.(step) })
      try {
        await arrive(session.page, request)
        watch.started?.()
        const answer = await work.run()
        status = answer.status
        isKept = answer.session_id !== undefined
        return answer
      } finally {
        await call.end({ status, bytes: session.page.bytes, ...work.tally })
      }
    } finally {
      if (isKept) this.#sessions.release(session)
      else await this.#sessions.close(session)
    }
  }

  async #sessionOf({ engine, caller, request, domains }: Opening): Promise<BrowserSession> {
    const { sessionId, variables } = request
    if (sessionId !== undefined) {
      const session = await this.#sessions.take(sessionId, caller.id)
      session.variables = { ...session.variables, ...variables }
      return session
    }
    await this.#sessions.makeRoom(caller.id)
    const page = await engine.open(agentOptions(domains))
    const session = { id: this.#parts.ids.next('brs'), callerId: caller.id, page, domains, variables }
    this.#sessions.add(session)
    return session
  }

  /** @throws Problem `browser-not-configured`, `unavailable` */
  #ready(): BrowserEngine {
    const { engine } = this.#parts
    const detail = this.lack
    if (engine === undefined || detail !== undefined)
      throw new Problem('browser-not-configured', detail === undefined ? {} : { detail })
    if (this.#isDraining) throw stopped()
    return engine
  }

  /** @throws Problem `invalid-input` */
  #domainsOf({ url, domains }: AgentRequest): readonly string[] {
    if (domains?.includes(ANY_DOMAIN) && this.#parts.config.browser.anyDomain !== '1')
      throw new Problem('invalid-input', { details: ['allowed_domains: * is not allowed here'] })
    const parsed = url === undefined ? null : URL.parse(url)
    return domains ?? (parsed === null ? [] : [registrableDomain(parsed.hostname)])
  }

  /** @throws Problem `url-not-allowed` */
  async #judge(url: string, signal: AbortSignal, domains: readonly string[] = [ANY_DOMAIN]): Promise<URL> {
    const reason = this.#parts.guard.read(url) ?? (await this.#parts.guard.judge(url, signal))
    if (reason !== undefined) throw urlNotAllowed(reason)
    const parsed = new URL(url)
    if (isWithinDomains(parsed.hostname, domains)) return parsed
    throw urlNotAllowed('domain')
  }

  #noted<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work)
    const forget = () => this.#running.delete(work)
    work.then(forget, forget)
    return work
  }
}

/** Listener of a call of the agent. */
export interface AgentWatch {
  /** The page is there; further refusals are told in the answer. */
  started?(): void
  step?(step: AgentStep): void
}

interface Opening {
  readonly engine: BrowserEngine
  readonly caller: BrowserCaller
  readonly request: AgentRequest
  readonly domains: readonly string[]
}

interface Run {
  readonly signal: AbortSignal
  readonly isLate: () => boolean
  readonly watch: AgentWatch
}

/** Opens the page of a request. One that leads to another domain is told by the call: it ends `blocked`. */
async function arrive(page: BrowserPage, { url, timeoutMs }: AgentRequest): Promise<void> {
  if (url === undefined) return
  try {
    await page.navigate(url, 'load', Math.min(NAVIGATION_MS, timeoutMs))
  } catch (error) {
    if (!page.strayed) throw error
  }
}

/** Ends a page when the signal is aborted, until the leash is disposed of. */
function leash(signal: AbortSignal, page: BrowserPage): Disposable {
  const end = () => void Promise.resolve(page[Symbol.asyncDispose]()).catch(() => {})
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', end) }
}

const stopped = () => new Problem('unavailable', { retryAfterSeconds: RETRY_SECONDS })
