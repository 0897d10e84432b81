import { Problem } from '../../kernel/problem.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { User } from '../../people/users/users-store.ts'
import type { Base } from '../../platform/base.ts'
import type { Hearer, Signal, SignalSource } from '../../platform/signals/signal.ts'
import { OFFLINE_SECONDS } from '../../work/agents/agent.ts'
import { type LiveSubject, standingOf } from './live-store.ts'

/** Time between two looks at the subjects of open pages: the page has a second until it shows a change. */
const LOOK_MS = 700
/** Time between two looks at the logs that open pages show. */
const LOG_MS = 100
/** Shortest time between two looks, however often something tells to look. */
const HASTE_MS = 200
/**
 * Open pages of one session. A browser has six connections to a service without HTTP/2: one of them stays
 * free to read pages by.
 */
const MOST_OF_SESSION = 5
/** Open pages of one process. */
const MOST = 1000
/** Subjects of one page. */
const MOST_SUBJECTS = 8
/** When a page that found no room may ask again, in seconds. */
const FULL_RETRY_SECONDS = 15

/** Somebody who opens a page. */
export interface LiveViewer {
  readonly user: Pick<User, 'id' | 'role' | 'tenantId'>
  /** Digest of the session. */
  readonly digest: string
  readonly scope: Scope
}

/** The things that a page shows. */
export interface LivePageAsk {
  readonly subjects: readonly LiveSubject[]
  /** Whether it shows the logs of the jobs among them. */
  readonly hasLogs: boolean
}

/** Says that the page has to be read anew. */
export interface LiveEvent {
  readonly changed: true
}

/** Dependencies of `LivePages`. */
export interface LivePagesParts extends Pick<Base, 'storage' | 'clock' | 'timers' | 'log'> {
  readonly signals: SignalSource
  /** Aborted when no page shall be told any more. */
  readonly draining: AbortSignal
}

/** An open page. */
interface OpenPage {
  readonly digest: string
  /** Its session, then what it shows. */
  readonly keys: readonly string[]
  readonly logs: readonly string[]
  /** The version of its session while the person, the role and the tenant are those that opened it. */
  readonly standing: string
  hasNews: boolean
  isOver: boolean
  wake: () => void
}

/** A look that is repeated. */
type Look = 'pages' | 'logs'

const keyOf = ({ scope, topic, key = '' }: LiveSubject): string =>
  JSON.stringify([topic, scope.of, scope.of === 'platform' ? '' : scope.id, key])

const isOver = ({ isOver: over }: OpenPage): boolean => over

/**
 * Tells open pages that what they show has changed. While pages are open, one statement every 0.7 s looks at
 * what all of them show and at their sessions, and one every 0.1 s at the logs among it. Without a page
 * there is neither a statement nor a timer. Signals of the database make a look sooner.
 */
export class LivePages implements Hearer {
  readonly #parts: LivePagesParts
  readonly #pages = new Set<OpenPage>()
  /** The subjects of open pages, with the number of pages that show each. */
  readonly #watched = new Map<string, { readonly subject: LiveSubject; pages: number }>()
  readonly #versions = new Map<string, string | undefined>()
  readonly #logEnds = new Map<string, number>()
  readonly #running = new Set<Look>()
  #nudge = new AbortController()

  constructor(parts: LivePagesParts) {
    this.#parts = parts
    parts.signals.join(this)
    parts.draining.addEventListener('abort', () => this.#endAll())
  }

  /** The number of open pages. */
  get size(): number {
    return this.#pages.size
  }

  get isWaiting(): boolean {
    return this.#pages.size > 0
  }

  /**
   * Opens a page. Its events begin with one, since the page was read before it was opened, and end soon after
   * the session does, the person's role changes, something cannot be looked at, or `gone` is aborted.
   * @throws Problem `not-found` when something does not exist for the viewer, `unavailable` when too many
   * pages are open
   */
  async open(
    viewer: LiveViewer,
    { subjects, hasLogs }: LivePageAsk,
    gone: AbortSignal,
  ): Promise<AsyncIterable<LiveEvent>> {
    const { user, digest } = viewer
    if (subjects.length > MOST_SUBJECTS) throw new Problem('invalid-input')
    this.#requireRoom(digest)
    const session: LiveSubject = { scope: { of: 'platform' }, topic: 'session', key: digest }
    const all = [session, ...subjects]
    const keys = all.map(keyOf)
    const logs = hasLogs ? subjects.flatMap(({ topic, key }) => (topic === 'job' ? [key] : [])) : []
    const page: OpenPage = {
      ...{ digest, keys, logs, standing: standingOf(user) },
      ...{ hasNews: true, isOver: false, wake: () => {} },
    }
    this.#enter(page, all)
    gone.addEventListener('abort', () => this.#end(page), { once: true })
    if (gone.aborted) this.#end(page)
    try {
      await this.#begin(page, all)
    } catch (error) {
      this.#end(page)
      throw error
    }
    this.#run('pages')
    this.#run('logs')
    this.#parts.signals.begin()
    return this.#events(page)
  }

  hear({ kind }: Signal): void {
    if (kind !== 'echo') this.#nudge.abort()
  }

  /** Pages look by themselves. */
  async look(): Promise<readonly Signal[]> {
    return []
  }

  #requireRoom(digest: string): void {
    const own = [...this.#pages].filter((page) => page.digest === digest).length
    if (own < MOST_OF_SESSION && this.#pages.size < MOST && !this.#parts.draining.aborted) return
    throw new Problem('unavailable', {
      detail: 'too many pages are open: this one reads itself anew from time to time',
      retryAfterSeconds: FULL_RETRY_SECONDS,
    })
  }

  async *#events(page: OpenPage): AsyncGenerator<LiveEvent> {
    while (!isOver(page)) {
      if (page.hasNews) {
        page.hasNews = false
        yield { changed: true }
        continue
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      page.wake = resolve
      await promise
    }
  }

  #enter(page: OpenPage, subjects: readonly LiveSubject[]): void {
    this.#pages.add(page)
    for (const subject of subjects) {
      const key = keyOf(subject)
      const watched = this.#watched.get(key) ?? { subject, pages: 0 }
      watched.pages += 1
      this.#watched.set(key, watched)
    }
  }

  /** Looks at the page for the first time: it is told of what changes from here on. */
  async #begin({ keys, logs }: OpenPage, subjects: readonly LiveSubject[]): Promise<void> {
    const found = await this.#read(subjects)
    if (found.includes(undefined)) throw new Problem('not-found')
    for (const [index, key] of keys.entries())
      if (this.#watched.has(key) && !this.#versions.has(key)) this.#versions.set(key, found[index])
    const unknown = logs.filter((job) => !this.#logEnds.has(job))
    if (unknown.length === 0) return
    const ends = await this.#parts.storage.live.logEnds(unknown)
    for (const [index, job] of unknown.entries())
      if (!this.#logEnds.has(job)) this.#logEnds.set(job, ends[index] ?? 0)
  }

  #end(page: OpenPage): void {
    if (!this.#pages.delete(page)) return
    page.isOver = true
    page.wake()
    for (const key of page.keys) {
      const watched = this.#watched.get(key)
      if (watched === undefined) continue
      watched.pages -= 1
      if (watched.pages > 0) continue
      this.#watched.delete(key)
      this.#versions.delete(key)
    }
    if (this.#pages.size === 0) this.#nudge.abort()
  }

  #endAll(): void {
    for (const page of this.#pages) this.#end(page)
  }

  #tell(page: OpenPage): void {
    page.hasNews = true
    page.wake()
  }

  #run(which: Look): void {
    if (this.#running.has(which) || !this.#isNeeded(which)) return
    this.#running.add(which)
    void this.#loop(which).finally(() => {
      this.#running.delete(which)
      // A page may have been opened since the last look.
      this.#run(which)
    })
  }

  #isNeeded(which: Look): boolean {
    return which === 'pages' ? this.#pages.size > 0 : this.#logs.length > 0
  }

  async #loop(which: Look): Promise<void> {
    const { log } = this.#parts
    while (this.#isNeeded(which)) {
      try {
        if (which === 'pages') await this.#look()
        else await this.#lookAtLogs()
      } catch (err) {
        // Whether their sessions have ended cannot be known: pages come back when it can.
        log.warn({ err, pages: this.#pages.size }, 'open pages cannot be told of changes, and are let go')
        this.#endAll()
      }
    }
  }

  async #pause(): Promise<void> {
    const { timers, draining } = this.#parts
    await timers.pause(HASTE_MS, draining)
    const sooner = AbortSignal.any([this.#nudge.signal, draining])
    await timers.pause(LOOK_MS - HASTE_MS, sooner)
    this.#nudge = new AbortController()
  }

  #read(subjects: readonly LiveSubject[]): Promise<readonly (string | undefined)[]> {
    const { storage, clock } = this.#parts
    return storage.live.versions(subjects, OFFLINE_SECONDS, clock.statementTime())
  }

  async #look(): Promise<void> {
    await this.#pause()
    const watched = [...this.#watched]
    if (watched.length === 0) return
    const found = await this.#read(watched.map(([, { subject }]) => subject))
    const changed = new Set<string>()
    for (const [index, [key]] of watched.entries()) {
      if (this.#versions.has(key) && this.#versions.get(key) !== found[index]) changed.add(key)
      if (this.#watched.has(key)) this.#versions.set(key, found[index])
    }
    for (const page of this.#pages) {
      const [session = ''] = page.keys
      if (this.#versions.has(session) && this.#versions.get(session) !== page.standing) this.#end(page)
      else if (page.keys.some((key) => changed.has(key))) this.#tell(page)
    }
  }

  get #logs(): readonly string[] {
    return [...new Set([...this.#pages].flatMap(({ logs }) => logs))]
  }

  async #lookAtLogs(): Promise<void> {
    const { storage, timers, draining } = this.#parts
    await timers.pause(LOG_MS, draining)
    const jobs = this.#logs
    if (jobs.length === 0) return
    const ends = await storage.live.logEnds(jobs)
    const grown = new Set(
      jobs.filter((job, index) => (this.#logEnds.get(job) ?? ends[index]) !== ends[index]),
    )
    for (const [index, job] of jobs.entries()) this.#logEnds.set(job, ends[index] ?? 0)
    const shown = new Set(this.#logs)
    for (const job of this.#logEnds.keys()) if (!shown.has(job)) this.#logEnds.delete(job)
    for (const page of this.#pages) if (page.logs.some((job) => grown.has(job))) this.#tell(page)
  }
}
