import type { Fault } from '../fault.ts'

const CONSOLE = 'packages/http/src/console'
const WATCH = 'packages/core/src/watch/live'
const LIVE = ['packages/http/test/console/live.test.ts']
const LIVE_PAGES = ['packages/core/test/watch/live/live-pages.test.ts']
const LIVE_STORE = ['packages/core/test/watch/live/live-store.test.ts']

/** Mistakes of the event streams of pages. */
export const faults: readonly Fault[] = [
  {
    name: 'console: a stream tells of jobs of another license',
    file: `${WATCH}/live-topics-sql.ts`,
    find: 'tenant: job(`t.license_id in ${LICENSES}`)',
    replace: 'tenant: job(`(t.license_id in ${LICENSES} or true)`)',
    suites: LIVE_STORE,
  },
  {
    name: 'console: a list changes with the hosts of others',
    file: `${WATCH}/live-topics-sql.ts`,
    find: "fleet: { platform: hosts('true'), tenant: hosts(tenants(OWN)) }",
    replace: "fleet: { platform: hosts('true'), tenant: hosts(`(${tenants(OWN)} or true)`) }",
    suites: LIVE_STORE,
  },
  {
    name: 'console: a stream is opened with the scope of staff',
    file: `${CONSOLE}/live.ts`,
    find: 'const { scope } = operatorOf(caller)',
    replace: "const scope = { ...operatorOf(caller).scope, of: 'platform' } as Scope",
    suites: LIVE,
  },
  {
    name: 'console: a stream tells of lists that the person may not see',
    file: `${CONSOLE}/live.ts`,
    find: "if (!mayList(caller, list)) throw new Problem('forbidden')",
    replace: "if (!mayList(caller, list) && scope.of === 'license') throw new Problem('forbidden')",
    suites: LIVE,
  },
  {
    name: 'console: a stream outlives its session',
    file: `${WATCH}/live-pages.ts`,
    find: 'this.#versions.get(session) !== page.standing',
    replace: "this.#versions.get(session) === ''",
    suites: LIVE_PAGES,
  },
  {
    name: 'console: a stream outlives the role of its person',
    file: `${WATCH}/live-pages.ts`,
    find: 'this.#versions.get(session) !== page.standing',
    replace: 'this.#versions.get(session) === undefined',
    suites: LIVE_PAGES,
  },
  {
    name: 'console: a page that is closed keeps its place',
    file: `${WATCH}/live-pages.ts`,
    find: "gone.addEventListener('abort', () => this.#end(page), { once: true })",
    replace: "gone.addEventListener('abort', () => page.wake(), { once: true })",
    suites: LIVE_PAGES,
  },
  {
    name: 'console: a refused page keeps its place',
    file: `${WATCH}/live-pages.ts`,
    find: '    } catch (error) {\n      this.#end(page)\n      throw error',
    replace: '    } catch (error) {\n      page.isOver = true\n      throw error',
    suites: LIVE_PAGES,
  },
  {
    name: 'console: a change between the opening and the first look is missed',
    file: `${WATCH}/live-pages.ts`,
    find: 'if (this.#watched.has(key) && !this.#versions.has(key)) this.#versions.set(key, found[index])',
    replace: 'if (this.#watched.has(key) && found[index] === key) this.#versions.set(key, found[index])',
    suites: LIVE_PAGES,
  },
  {
    name: 'console: pages are looked at when there are none',
    file: `${WATCH}/live-pages.ts`,
    find: "return which === 'pages' ? this.#pages.size > 0 : this.#logs.length > 0",
    replace: "return which === 'pages' ? !this.#parts.draining.aborted : this.#logs.length > 0",
    suites: LIVE_PAGES,
  },
  {
    name: 'console: sessions that cannot be looked at go on',
    file: `${WATCH}/live-pages.ts`,
    find: "'open pages cannot be told of changes, and are let go')\n        this.#endAll()",
    replace: "'open pages cannot be told of changes, and are let go')",
    suites: LIVE_PAGES,
  },
  {
    name: 'console: a host that falls silent is not seen',
    file: `${WATCH}/live-topics-sql.ts`,
    find: 't.version, t.drained_at is null, ${SILENT},',
    replace: 't.version, t.drained_at is null,',
    suites: LIVE_STORE,
  },
  {
    name: 'live: pages that are gone are counted',
    file: 'packages/core/src/watch/live/feature.ts',
    find: 'gauge.set(livePages.size)',
    replace: 'gauge.set(Math.max(livePages.size, 2))',
    suites: ['packages/http/test/console/live.test.ts'],
  },
]
