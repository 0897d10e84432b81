// The API document as a page, and the document beside it. packages/cli/test/console/api.test.ts draws it.
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { memoryStorage } from '@svc/testing'
import { type ConsoleFleet, consoleFleet } from '../../../../test/support/console-fleet.ts'
import { byListen, type Mounted, mounted, started } from '../../../../test/support/mounted.ts'
import { createApp } from '../../src/index.ts'
import { type Visitor, visitorOf } from './console-client.ts'

interface Document {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, { readonly servers?: readonly { readonly url: string }[] }>>
}

const SHIPPED = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../docs/reference/openapi.json'), 'utf8'),
) as Document
const DOCUMENT = '/console/openapi.json'

interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body as it was sent, compressed or not. */
  readonly bytes: Buffer
}

function ask(port: number, path: string, headers: Readonly<Record<string, string>>, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<Got>()
  request({ host: '127.0.0.1', port, method, path, agent: false, headers }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.once('end', () =>
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
    )
  })
    .once('error', reject)
    .end()
  return promise
}

const read = ({ bytes }: Got) => JSON.parse(bytes.toString()) as Document

describe('the page of the API', () => {
  let served: Mounted
  let fleet: ConsoleFleet
  let cookie: string
  let ada: Visitor
  beforeAll(async () => {
    served = await mounted(undefined, { storage: memoryStorage() })
    fleet = await consoleFleet(served)
    cookie = (await served.plane.sessions.mint(fleet.admin)).cookie
    ada = visitorOf(served, cookie)
  }, 60_000)
  afterAll(async () => served[Symbol.asyncDispose]())

  const asked = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    ask(served.port, path, { cookie, ...headers }, method)

  it('leads a stranger to the sign-in and back, and gives a stranger no document', async () => {
    const stranger = visitorOf(served)
    const page = await stranger.get('api')
    expect([page.status, page.headers.location]).toEqual([303, './sign-in?next=api'])
    for (const method of ['GET', 'HEAD']) {
      const answer = await asked(DOCUMENT, { cookie: '' }, method)
      expect([method, answer.status, answer.headers.etag]).toEqual([method, 401, undefined])
    }
    const authorization = `Bearer svc_${'0'.repeat(43)}`
    expect((await asked(DOCUMENT, { cookie: '', authorization })).status).toBe(401)
  })

  it('is there for everybody who may sign in, with a way from the overview', async () => {
    const owner = visitorOf(served, (await served.plane.sessions.mint(fleet.owner)).cookie)
    for (const visitor of [ada, owner]) {
      const overview = await visitor.get('')
      expect(overview.page.querySelector('a[href="console/api"]')?.textContent).toBe('API')
      expect((await visitor.get('api')).status).toBe(200)
    }
  })

  it('lets in scripts and styles of its own, and connects to nobody else', async () => {
    const { headers, page, text } = await ada.get('api')
    const nonce = page.querySelector('#api')?.getAttribute('data-nonce') ?? ''
    expect(nonce).toMatch(/^[\w-]{22}$/)
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `style-src-elem 'self' 'nonce-${nonce}'`,
      "img-src 'self'",
      "connect-src 'self'",
      'font-src data:',
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    expect(text).not.toMatch(/<style|\sstyle=|<script(?! src="\.\/assets\/)/)
    expect((await ada.get('api')).text).not.toContain(nonce)
    expect((await ada.get('jobs')).headers['content-security-policy']).not.toMatch(/nonce|font/)
  })

  it('has files of its own, of at most 700 KiB, which no other page loads', async () => {
    const filesOf = async (path: string) =>
      (await ada.get(path)).page
        .querySelectorAll('link,script')
        .map((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? '')
        .map((address) => address.replace(/^.*assets\//, ''))
    const common = await filesOf('jobs')
    const own = (await filesOf('api')).filter((name) => !common.includes(name))
    expect(own.map((name) => name.replace(/-\w{12}\./, '.'))).toEqual(['api.css', 'redoc.mjs', 'api.js'])
    let bytes = 0
    for (const name of own) {
      const packed = await asked(`/console/assets/${name}`, { 'accept-encoding': 'br', cookie: '' })
      expect([name, packed.status, packed.headers['content-encoding']]).toEqual([name, 200, 'br'])
      expect(packed.headers['cache-control']).toContain('immutable')
      bytes += Number(packed.headers['content-length'])
      const plain = await asked(`/console/assets/${name}`, { 'accept-encoding': 'identity' })
      expect(brotliDecompressSync(packed.bytes).equals(plain.bytes)).toBe(true)
    }
    expect(bytes).toBeLessThan(700 * 1024)
    for (const name of ['redoc-000000000000.mjs', 'api-.css', 'redoc.mjs', 'openapi.json'])
      expect([name, (await asked(`/console/assets/${name}`)).status]).toEqual([name, 404])
  })

  it('answers with the shipped document, whose servers are told from where it stands', async () => {
    const answer = await asked(DOCUMENT)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('private, no-cache')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    const given = read(answer)
    const address = `http://svc.example/prefix${DOCUMENT}`
    const placed = JSON.stringify(given, (key, value) =>
      key === 'url' && String(value).startsWith('..') ? new URL(value, address).pathname : value,
    )
    const wanted = JSON.stringify(SHIPPED, (key, value) =>
      key === 'url' && String(value).startsWith('/') ? `/prefix${value}` : value,
    )
    expect(placed).toBe(wanted)
    expect(given.servers).toEqual([expect.objectContaining({ url: '..' })])
    expect(given.paths['/v1/jobs/claim']?.servers?.map(({ url }) => url)).toEqual(['..', '../api'])
  })

  it('compresses the document, and leaves its body out for HEAD', async () => {
    const packed = await asked(DOCUMENT, { 'accept-encoding': 'br' })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(Number(packed.headers['content-length'])).toBeLessThan(100 * 1024)
    const plain = await asked(DOCUMENT, { 'accept-encoding': 'identity' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const { headers } of [packed, plain]) expect(headers.vary).toContain('Accept-Encoding')
    expect(brotliDecompressSync(packed.bytes).equals(plain.bytes)).toBe(true)
    const head = await asked(DOCUMENT, { 'accept-encoding': 'identity' }, 'HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(Number(head.headers['content-length'])).toBe(plain.bytes.length)
  })

  it('sends the document once, and says afterwards that it is known', async () => {
    const { etag = '' } = (await asked(DOCUMENT)).headers
    expect(etag).toMatch(/^W\/"[0-9a-f]{12}"$/)
    const strong = etag.replace('W/', '')
    for (const known of [etag, strong, '*', `"other", ${etag}`, `${strong},"other"`]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await asked(DOCUMENT, { 'if-none-match': known }, method)
        expect([known, answer.status, answer.bytes.length]).toEqual([known, 304, 0])
        expect(answer.headers.etag).toBe(etag)
      }
    }
    for (const other of ['"other"', '', strong.slice(0, -2), `${'"x", '.repeat(1000)}${etag}`])
      expect([other, (await asked(DOCUMENT, { 'if-none-match': other })).status]).toEqual([other, 200])
    // A tag opens nothing.
    expect((await asked(DOCUMENT, { 'if-none-match': etag, cookie: '' })).status).toBe(401)
  })

  it('gives the document to programs with an API token', async () => {
    const { secret } = await served.plane.apiTokens.issue({
      role: 'viewer',
      label: 'ci',
      createdBy: 'ada',
      tenantId: undefined,
      expiresAt: undefined,
    })
    const answer = await asked(DOCUMENT, { cookie: '', authorization: `Bearer ${secret}` })
    expect(answer.status).toBe(200)
    expect(Object.keys(read(answer).paths)).toEqual(Object.keys(SHIPPED.paths))
  })

  it('knows no other path, and takes no form', async () => {
    for (const path of ['/console/openapi.yaml', '/console/api/jobs', `${DOCUMENT}/jobs`, '/openapi.json'])
      expect([path, (await asked(path)).status]).toEqual([path, 404])
    expect((await asked(DOCUMENT, {}, 'POST')).status).toBe(405)
    expect((await ada.send('api', {})).status).toBe(404)
  })

  it('stands under a prefix that the server around takes off', async () => {
    const below = createApp(served.plane, { console: true }).callback()
    const server = createServer((req, res) => {
      req.url = String(req.url).replace(/^\/svc/, '')
      below(req, res)
    })
    const { port, stop } = await started(server)
    try {
      const root = `http://127.0.0.1:${port}/svc/`
      const page = await ask(port, '/svc/console/api', { cookie })
      const [, link = ''] = /data-document="([^"]+)"/.exec(page.bytes.toString()) ?? []
      const address = new URL(link, `${root}console/api`)
      expect(address.href).toBe(`${root}console/openapi.json`)
      const { servers, paths } = read(await ask(port, address.pathname, { cookie }))
      const placed = (all: Document['servers'] = []) => all.map(({ url }) => new URL(url, address).href)
      expect(placed(servers)).toEqual([root])
      expect(placed(paths['/v1/jobs/claim']?.servers)).toEqual([root, `${root}api`])
    } finally {
      await stop()
    }
  })

  it('is gone where the console is', async () => {
    await using other = await mounted(byListen())
    for (const path of ['/console/api', DOCUMENT]) expect((await other.get(path)).status).toBe(404)
  })

  it('waits for a second factor that is demanded', async () => {
    await using strict = await mounted(undefined, { env: { SERVICE_SECOND_FACTOR: 'all' } })
    const password = 'correct horse battery'
    const user = await strict.plane.users.add({
      email: 'bo@svc.example',
      role: 'viewer',
      password,
      tenantId: undefined,
    })
    const own = (await strict.plane.sessions.mint(user)).cookie
    for (const path of ['/console/api', DOCUMENT])
      expect((await ask(strict.port, path, { cookie: own })).status).toBe(403)
  })
})
