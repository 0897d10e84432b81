// The cost of pages, on PostgreSQL with a fleet: statements do not grow with it, and few bytes are sent.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { FakeClock } from '@svc/testing'
import pg from 'pg'
import { consoleFleet } from '../../../../test/support/console-fleet.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { PAGES } from '../../src/console/pages.ts'
import { postgresGlass } from '../authorization/contents.ts'
import { type Visitor, visitorOf } from './console-client.ts'

/** Most statements of a page, beside the one that reads the session. */
const MOST = { list: 5, thing: 8, overview: 12 } as const
/**
 * An app is told by its jobs, its deployments and its hosts. Jobs of a host, which may be rare, have a bound
 * that one statement finds.
 */
const EXTRA: Readonly<Record<string, number>> = { 'apps/{app}': 9, 'hosts/{host}': 9 }
/** Pages that look at every table: the checks of health, and the sealed values. */
const CHECKS: ReadonlySet<string> = new Set(['system', 'secrets'])
const KIB = 1024

interface Read {
  readonly path: string
  readonly template: string
  readonly statements: readonly string[]
  readonly links: readonly string[]
}

/** Counts the statements that go to PostgreSQL. */
function countedStatements() {
  const said: string[] = []
  const proto = pg.Client.prototype as { query: (...args: unknown[]) => unknown }
  const { query } = proto
  proto.query = function counted(this: pg.Client, ...args: unknown[]) {
    const first = args[0] as string | { readonly name?: string; readonly text: string }
    said.push(typeof first === 'string' ? first : (first.name ?? first.text))
    return query.apply(this, args)
  }
  return {
    take: () => said.splice(0),
    end: () => {
      proto.query = query
    },
  }
}

const templateOf = (path: string): string | undefined =>
  PAGES.map((page) => page.path).find((template) => {
    const [wanted, given] = [template.split('/'), path.split('/')]
    return (
      wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
    )
  })

async function read(visitor: Visitor, path: string, take: () => string[]): Promise<Read> {
  take()
  const { page, status } = await visitor.get(path)
  expect([path, status]).toEqual([path, 200])
  const links = page.querySelectorAll('a[href]').map((link) => {
    const to = new URL(link.getAttribute('href') ?? '', `http://svc.example/console${path && `/${path}`}`)
    return to.pathname.replace(/^\/console\/?/, '')
  })
  return { path, template: templateOf(path) ?? '', statements: take(), links }
}

describe('the cost of a page', () => {
  const counted = countedStatements()
  let glass: Awaited<ReturnType<typeof postgresGlass>>
  let served: Mounted
  let cookie: string
  let pages: readonly Read[]
  beforeAll(async () => {
    const clock = new FakeClock()
    glass = await postgresGlass(clock)
    served = await mounted(undefined, { clock, storage: glass.storage })
    const fleet = await consoleFleet(served)
    cookie = (await served.plane.sessions.mint(fleet.admin)).cookie
    pages = await onePageOfEach(visitorOf(served, cookie))
  }, 120_000)
  afterAll(async () => {
    counted.end()
    await served[Symbol.asyncDispose]()
    await glass[Symbol.asyncDispose]()
  })

  /** Follows the links from the overview to one page of each kind. */
  async function onePageOfEach(visitor: Visitor): Promise<readonly Read[]> {
    const found = new Map<string, Read>()
    const waiting = ['', ...PAGES.map(({ path }) => path).filter((path) => !path.includes('{'))]
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const template = templateOf(path)
      if (template === undefined || found.has(template)) continue
      if (template === 'sign-out' || template === 'do/{operation}') continue
      const page = await read(visitor, path, counted.take)
      found.set(template, page)
      waiting.push(...page.links)
    }
    return [...found.values()]
  }

  it('is a few statements: lists five, one thing eight, the overview twelve', () => {
    const kinds = pages.filter(({ template }) => !CHECKS.has(template))
    expect(kinds.length).toBeGreaterThan(40)
    const mostOf = (template: string) => {
      if (template === '') return MOST.overview
      return EXTRA[template] ?? (template.includes('{') ? MOST.thing : MOST.list)
    }
    const above = kinds.filter(
      ({ template, statements }) =>
        statements.filter((name) => name !== 'session-use').length > mostOf(template),
    )
    expect(above.map(({ path, statements }) => [path, statements])).toEqual([])
  })

  it('is at most 15 KiB on the wire, and 60 KiB with all that the first one brings', async () => {
    const bytesOf = async (path: string) => {
      const headers = { cookie, accept: 'text/html', 'accept-encoding': 'br' }
      const answer = await served.send({ path, headers })
      return Number(answer.headers['content-length'])
    }
    const large: unknown[] = []
    for (const { path } of pages) {
      const bytes = await bytesOf(path === '' ? '/console' : `/console/${path}`)
      if (!(bytes <= 15 * KIB)) large.push([path, bytes])
    }
    expect(large).toEqual([])
    const { page } = await visitorOf(served, cookie).get('')
    const assets = page.querySelectorAll('link[href],script[src]').map((each) => {
      const address = String(each.getAttribute('href') ?? each.getAttribute('src'))
      return new URL(address, 'http://svc.example/console').pathname
    })
    const sizes = await Promise.all(['/console', ...assets].map(bytesOf))
    expect(Math.min(...sizes)).toBeGreaterThan(100)
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(60 * KIB)
  })
})
