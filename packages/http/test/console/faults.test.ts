// Refusals that no page of the console tells: faults, a database that is away, forms that are too large.
// People see them as a page, which needs nothing else to work.
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { Problem, type Storage } from '@svc/core'
import { memoryStorage, testPlane } from '@svc/testing'
import { parse } from 'node-html-parser'
import type { Answer } from '../../../../test/support/exchange.ts'
import { exchange } from '../../../../test/support/exchange.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { createWaitingApp, listen } from '../../src/index.ts'

const FORM = 'application/x-www-form-urlencoded'
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let failure: Error | undefined
beforeEach(() => {
  failure = undefined
})

/** A storage whose sessions cannot be read when a test says so. */
function fragile(): Storage {
  const fails = (sessions: object) =>
    new Proxy(sessions, {
      get: (own, name) => {
        if (failure !== undefined) throw failure
        return Reflect.get(own, name)
      },
    })
  return new Proxy(memoryStorage(), {
    get: (stores, name) => (name === 'sessions' ? fails(stores.sessions) : Reflect.get(stores, name)),
  })
}

function readPage({ status, headers, text }: Answer) {
  const page = parse(text)
  const style = page.querySelector('style')?.textContent ?? ''
  const digest = createHash('sha256').update(style).digest('base64')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain(`style-src 'sha256-${digest}'`)
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/)
  expect(headers['cache-control']).toBe('no-store')
  expect(page.querySelectorAll('script,link,img,[style]')).toEqual([])
  expect(page.querySelector('code')?.textContent).toBe(headers['svc-request-id'])
  return { status, title: page.querySelector('h1')?.textContent }
}

describe('A refusal that no page tells', () => {
  let plane: Mounted
  let cookie: string
  beforeEach(async () => {
    plane = await mounted(undefined, { storage: fragile() })
    const { users, sessions } = plane.plane
    const password = 'correct horse battery'
    const user = { email: 'ada@svc.example', role: 'super_admin', tenantId: undefined, password } as const
    cookie = (await sessions.mint(await users.add(user))).cookie
  })
  afterEach(async () => plane[Symbol.asyncDispose]())
  const served = () => plane
  const get = (path: string, headers = {}) => served().send({ path, headers: { ...BROWSER, ...headers } })

  it.each(['/console', '/console/jobs', '/console/jobs/job_x', '/console/do/jobs/enqueue'])(
    'is a page with the id of the request, which the log has, and without the fault: %s',
    async (path) => {
      failure = new Error('a made-up fault <b>')
      const answer = await get(path, { cookie })
      expect(readPage(answer)).toEqual({ status: 500, title: 'The service made a fault' })
      expect(answer.text).not.toContain('made-up fault')
      expect(served().log.lines).toContainEqual({
        level: 'error',
        message: 'request fault',
        fields: expect.objectContaining({ request: answer.headers['svc-request-id'], code: 'internal' }),
      })
    },
  )

  it('says that the service cannot answer while its database is away, and when to come again', async () => {
    failure = new Problem('unavailable', { retryAfterSeconds: 7, detail: 'the database at 10.0.0.5 is away' })
    const answer = await get('/console/jobs', { cookie })
    expect(readPage(answer)).toEqual({ status: 503, title: 'The service cannot answer now' })
    expect(answer.headers['retry-after']).toBe('7')
    expect(answer.text).not.toContain('10.0.0.5')
  })

  it.each([
    ['a form that is too large', FORM, `a=${'x'.repeat(1024 * 1024)}`, 413, 'This form is too large'],
    ['a form that is none', 'application/json', '{}', 400, 'The request was refused'],
  ])('is a page for %s', async (_, type, body, status, title) => {
    const headers = { ...BROWSER, 'content-type': type }
    const answer = await served().send({ method: 'POST', path: '/console/do/tenants.add', headers, body })
    expect(readPage(answer)).toEqual({ status, title })
  })

  it('is a page for a method that none has, and for the first sign-in when it has been', async () => {
    const deleted = await served().send({ method: 'DELETE', path: '/console/jobs', headers: BROWSER })
    expect(readPage(deleted)).toEqual({ status: 405, title: 'The request was refused' })
    expect(readPage(await get('/console/first'))).toEqual({ status: 404, title: 'There is no such page' })
  })

  it('stays a document for programs, and everywhere else', async () => {
    failure = new Error('a made-up fault')
    for (const headers of [{ accept: 'application/json' }, { accept: '*/*' }, { accept: '' }]) {
      const { status, body } = await get('/console/jobs', { ...headers, cookie })
      expect([status, body]).toEqual([500, { error: 'internal error' }])
    }
    const { status, headers } = await get('/nowhere')
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
  })
})

describe('A service that waits for its database', () => {
  const faked = () => testPlane({ storage: memoryStorage() })
  let close: () => Promise<unknown> = async () => {}
  afterEach(async () => close())

  it('says so by a page to whoever looks, whatever the address, and by a document to programs', async () => {
    const { plane, ...rest } = faked()
    const server = await listen(createWaitingApp(plane, { for: 'everybody' }), { host: '127.0.0.1', port: 0 })
    close = async () => {
      await server.cut()
      await rest[Symbol.asyncDispose]()
    }
    for (const path of ['/', '/console', '/console/jobs/job_x', '/nowhere']) {
      const answer = await exchange(server.port, { path, headers: BROWSER })
      expect(readPage(answer)).toEqual({ status: 503, title: 'The service cannot answer now' })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      const { status, body } = await exchange(server.port, { path, headers: { accept: '*/*' } })
      expect([status, body]).toEqual([503, { error: 'service unavailable' }])
    }
  })
})
