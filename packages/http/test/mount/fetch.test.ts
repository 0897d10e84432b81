// The web-standard entrance by itself: what no server around can show.
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type TestPlane, testPlane } from '@svc/testing'
import { open } from '../../src/gates/open.ts'
import { type App, type AppOptions, createApp, type FetchFacts, rawBody, route } from '../../src/index.ts'

const KIB = 1024

/** A stream without an end, and a count of the bytes taken from it. */
function endless() {
  const seen = { bytes: 0, isOver: false }
  const stream = new Readable({
    read() {
      seen.bytes += KIB
      this.push(Buffer.alloc(KIB))
    },
  })
  stream.once('close', () => {
    seen.isOver = true
  })
  return { seen, stream }
}

describe('fetch of an application', () => {
  let faked: TestPlane
  let key: string
  let licenseId: string
  beforeEach(async () => {
    faked = testPlane({ env: { SERVICE_PUBLIC_URL: 'https://svc.example' } })
    const license = await faked.license()
    key = license.key
    licenseId = license.id
  })
  afterEach(() => faked[Symbol.asyncDispose]())

  const appOf = (options: AppOptions = {}): App => createApp(faked.plane, options)
  const asked = (path: string, init: RequestInit = {}) => new Request(`https://svc.example${path}`, init)
  const posted = (path: string, body: unknown, more: RequestInit = {}) =>
    asked(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      ...more,
    })
  const HERE: FetchFacts = { address: '192.0.2.7' }

  describe('without the address of the client', () => {
    it('serves the routes of hosts, and closes those with a limit per address, said once', async () => {
      const { fetch } = appOf()
      expect((await fetch(posted('/v1/jobs/claim', { fingerprint: 'fp' }))).status).toBe(204)
      for (let tries = 0; tries < 3; tries += 1) {
        const refused = await fetch(posted('/login', { email: 'a@example.com', password: 'x' }))
        expect(refused.status).toBe(503)
        expect(await refused.json()).toEqual({ error: 'service unavailable' })
      }
      const said = faked.log.lines.filter(({ message }) => message.includes('limit per address'))
      expect(said).toMatchObject([{ level: 'warn', message: expect.stringContaining('{ address }') }])
    })

    it.each([
      ['the object that some servers pass', { address: { address: '192.0.2.7', port: 1 } }],
      ['a name', { address: 'localhost' }],
      ['an empty text', { address: '' }],
      ['nothing', undefined],
    ])('%s is no address', async (_name, facts) => {
      const answer = await appOf().fetch(posted('/login', {}), facts as FetchFacts)
      expect(answer.status).toBe(503)
    })

    it('a key that is wrong is refused by 503 and not let through', async () => {
      const wrong = posted('/v1/jobs/claim', {}, { headers: { authorization: 'Bearer lic_wrong' } })
      expect((await appOf().fetch(wrong)).status).toBe(503)
    })

    it('a trusted proxy, counted by hops, names the client', async () => {
      await using behind = testPlane({ env: { TRUSTED_PROXY_HOPS: '1' } })
      const { fetch } = createApp(behind.plane)
      const login = (headers: Record<string, string>) =>
        fetch(posted('/login', { email: 'a@example.com', password: 'x' }, { headers }))
      expect((await login({ 'x-forwarded-for': '192.0.2.9' })).status).toBe(401)
      expect((await login({})).status).toBe(503)
    })
  })

  it('reads the host of the address, if no header says it', async () => {
    await using unnamed = testPlane()
    const { fetch } = createApp(unnamed.plane)
    const from = (origin: string) =>
      fetch(posted('/login', { email: 'a@example.com', password: 'x' }, { headers: { origin } }), HERE)
    expect((await from('https://svc.example')).status).toBe(401)
    expect((await from('https://evil.example')).status).toBe(403)
  })

  it('reads a form that has no length', async () => {
    const sent = { email: 'ada@example.com', password: 'correct horse battery' }
    await faked.plane.users.add({ ...sent, role: 'operator', tenantId: undefined })
    const body = new URLSearchParams(sent)
    expect((await appOf().fetch(asked('/login', { method: 'POST', body }), HERE)).status).toBe(200)
  })

  it('takes query, escapes and a path parameter as they were sent', async () => {
    const { fetch } = appOf()
    const { job } = await faked.plane.jobs.enqueue({ licenseId, kind: 'stop', payload: { app: 'shop' } })
    await faked.plane.jobs.claim({ licenseId, fingerprint: 'fp', claimKey: undefined })
    const at = `/v1/jobs/${job.id.replace('j', '%6A')}/logs`
    expect((await fetch(posted(at, { lines: [{ ts: 1, line: 'π' }] }), HERE)).status).toBe(200)
    expect(await faked.plane.jobs.logs(job.id, 0, 10)).toMatchObject([{ line: 'π' }])
  })

  describe('streams', () => {
    const streaming = (stream: Readable) =>
      route({
        method: 'GET',
        path: '/stream',
        summary: 'Sends without end.',
        gate: open,
        replies: {},
        handle: () => ({ status: 200, stream: { type: 'application/octet-stream', content: stream } }),
      })

    it('are made no faster than they are read, and end with their reader', async () => {
      const { seen, stream } = endless()
      const answer = await appOf({ routes: [streaming(stream)] }).fetch(asked('/stream'), HERE)
      await pause(50)
      expect(seen.bytes).toBeLessThan(256 * KIB)
      const reader = answer.body?.getReader()
      for (let taken = 0; taken < 512 * KIB; ) taken += (await reader?.read())?.value?.length ?? 0
      await reader?.cancel()
      await pause(10)
      expect(seen.isOver).toBe(true)
      expect(seen.bytes).toBeLessThan(1024 * KIB)
    })

    it('end when the request is aborted', async () => {
      const { seen, stream } = endless()
      const leaving = new AbortController()
      const request = asked('/stream', { signal: leaving.signal })
      const answer = await appOf({ routes: [streaming(stream)] }).fetch(request, HERE)
      leaving.abort()
      const reading = answer.arrayBuffer().then(
        () => 'whole',
        () => 'broken off',
      )
      const outcome = await Promise.race([reading, pause(2000, 'goes on')])
      stream.destroy()
      expect(outcome).toBe('broken off')
      expect(seen.isOver).toBe(true)
    })
  })

  it('a host that leaves ends its wait', async () => {
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${key}`, prefer: 'wait=50' }
    const { fetch } = appOf()
    // A host that was never heard of is answered at once.
    await fetch(posted('/v1/telemetry/heartbeat', { fingerprint: 'fp' }), HERE)
    const waiting = fetch(
      posted('/v1/jobs/claim', { fingerprint: 'fp' }, { headers, signal: leaving.signal }),
      HERE,
    )
    expect(await Promise.race([waiting, pause(50, 'waits')])).toBe('waits')
    leaving.abort()
    expect(await Promise.race([waiting.then(() => 'has ended'), pause(5000, 'waits')])).toBe('has ended')
  })

  describe('uploads', () => {
    const counted = (maxBytes: number, seen: { bytes: number; isWhole: boolean }) =>
      route({
        method: 'POST',
        path: '/upload',
        summary: 'Counts bytes.',
        gate: open,
        body: rawBody({
          maxBytes,
          verify: (bytes) => {
            seen.bytes = bytes.length
            seen.isWhole = true
            return bytes
          },
        }),
        replies: {},
        handle: () => ({ status: 204 }),
      })
    const sending = (body: ReadableStream<Uint8Array>) =>
      asked('/upload', { method: 'POST', body, duplex: 'half' } as RequestInit)

    it('arrive in pieces, whole', async () => {
      const seen = { bytes: 0, isWhole: false }
      const { fetch } = appOf({ routes: [counted(8 * KIB * KIB, seen)] })
      const pieces = Readable.from([Buffer.alloc(100), Buffer.alloc(64 * KIB), Buffer.alloc(3 * KIB * KIB)])
      const body = Readable.toWeb(pieces) as ReadableStream<Uint8Array>
      expect((await fetch(sending(body), HERE)).status).toBe(204)
      expect(seen).toEqual({ bytes: 100 + 64 * KIB + 3 * KIB * KIB, isWhole: true })
    })

    it('that are too long are refused before they end', async () => {
      const seen = { bytes: 0, isWhole: false }
      const { fetch } = appOf({ routes: [counted(KIB, seen)] })
      const { stream } = endless()
      const answer = await fetch(sending(Readable.toWeb(stream) as ReadableStream<Uint8Array>), HERE)
      expect(answer.status).toBe(413)
      expect(seen.isWhole).toBe(false)
      stream.destroy()
    })

    it('that break off reach no handler', async () => {
      const seen = { bytes: 0, isWhole: false }
      const { fetch } = appOf({ routes: [counted(KIB * KIB, seen)] })
      const broken = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(10)),
        pull: (controller) => controller.error(new Error('gone')),
      })
      await fetch(sending(broken), HERE)
      expect(seen).toEqual({ bytes: 0, isWhole: false })
    })

    it('that somebody has read before are refused with the way out', async () => {
      const { fetch } = appOf()
      const request = posted('/v1/jobs/claim', { fingerprint: 'fp' })
      await request.text()
      const answer = await fetch(request, HERE)
      expect(answer.status).toBe(503)
      expect(await answer.json()).toEqual({
        error: 'body was read before',
        detail: 'mount the control plane before body parsers',
      })
    })
  })

  describe('middlewares of the embedder', () => {
    it('dress every answer, and answer themselves', async () => {
      const app = appOf({ unknownPaths: 'pass' })
      app.middleware.unshift(async (ctx, next) => {
        await next()
        ctx.set('X-Around', 'yes')
      })
      app.use((ctx) => {
        if (ctx.path === '/object') ctx.body = { own: true }
        if (ctx.path === '/bytes') ctx.body = Buffer.from([1, 2])
        if (ctx.path === '/refused') ctx.throw(403, 'not you')
        if (ctx.path === '/broken') throw new Error('secret')
        if (ctx.path === '/empty') ctx.status = 204
        if (ctx.path === '/cookies') ctx.set('Set-Cookie', ['one=1', 'two=2'])
      })
      app.silent = true
      const answers = await Promise.all(
        ['/livez', '/object', '/bytes', '/refused', '/broken', '/empty', '/nothing'].map(async (path) => {
          const answer = await app.fetch(asked(path), HERE)
          return [path, answer.status, await answer.text(), answer.headers.get('x-around')]
        }),
      )
      expect(answers).toEqual([
        ['/livez', 200, '{"ok":true}', 'yes'],
        ['/object', 200, '{"own":true}', 'yes'],
        ['/bytes', 200, '\u0001\u0002', 'yes'],
        ['/refused', 403, 'not you', null],
        ['/broken', 500, 'Internal Server Error', null],
        ['/empty', 204, '', 'yes'],
        ['/nothing', 404, 'Not Found', 'yes'],
      ])
      const { headers } = await app.fetch(asked('/cookies'), HERE)
      expect(headers.getSetCookie()).toEqual(['one=1', 'two=2'])
    })

    it('read an upload no faster than they take it', async () => {
      const app = appOf({ unknownPaths: 'pass' })
      const { seen, stream } = endless()
      app.use(async (ctx) => {
        for await (const _ of ctx.req) {
          await pause(50)
          break
        }
        ctx.body = String(seen.bytes)
      })
      const body = Readable.toWeb(stream) as ReadableStream<Uint8Array>
      const answer = await app.fetch(
        asked('/own', { method: 'POST', body, duplex: 'half' } as RequestInit),
        HERE,
      )
      expect(Number(await answer.text())).toBeLessThan(512 * KIB)
      stream.destroy()
    })
  })

  describe('under a base path', () => {
    it('serves what stands there, and nothing else', async () => {
      const { fetch } = appOf({ basePath: '/svc/plane' })
      const status = async (path: string) => (await fetch(asked(path), HERE)).status
      expect(await status('/svc/plane/livez')).toBe(200)
      for (const path of ['/livez', '/svc/livez', '/svc/planelivez', '/svc/plane', '/svc/plane/', '//livez'])
        expect([path, await status(path)]).toEqual([path, 404])
      const claim = posted('/svc/plane/v1/jobs/claim', { fingerprint: 'fp' })
      expect((await fetch(claim, HERE)).status).toBe(204)
    })

    it.each(['svc', '/svc/', '/', '', '/a b', '/svc?x', `/${'x'.repeat(65)}`])('%j is none', (basePath) => {
      expect(() => appOf({ basePath })).toThrow('basePath: expected a path such as /svc')
    })

    it('the console has none', () => {
      expect(() => appOf({ basePath: '/svc', console: true })).toThrow('the console stands at /console')
    })

    it.each([
      [undefined, '/svc/v1/jobs/claim', { prefix: '/svc' }],
      [undefined, '/a/b/livez', { prefix: '/a/b' }],
      ['/svc', '/v1/jobs/claim', { prefix: '', basePath: '/svc' }],
      ['/svc', '/other/livez', { prefix: '/other', basePath: '/svc' }],
    ])('a mount at %s of %s is said, once', async (basePath, path, facts) => {
      const { fetch } = appOf(basePath === undefined ? {} : { basePath })
      for (let tries = 0; tries < 2; tries += 1) expect((await fetch(asked(path), HERE)).status).toBe(404)
      const said = faked.log.lines.filter(({ message }) => message.includes('another prefix'))
      expect(said).toMatchObject([{ level: 'warn', fields: facts }])
    })

    it('an application around that has such a path of its own is not told', async () => {
      await appOf({ unknownPaths: 'pass' }).fetch(asked('/app/livez'), HERE)
      expect(faked.log.lines.filter(({ message }) => message.includes('another prefix'))).toEqual([])
    })

    it.each(['/a%0ab/livez', '/a"b/livez', '/nothing', `/${'x'.repeat(80)}/livez`, '/1/2/3/4/5/livez'])(
      'nothing is said of %s',
      async (path) => {
        await appOf().fetch(asked(path), HERE)
        expect(faked.log.lines.filter(({ message }) => message.includes('another prefix'))).toEqual([])
      },
    )
  })
})
