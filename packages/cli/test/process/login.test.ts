import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import { createApp, listen } from '@svc/http'
import { type TestPlane, testPlane } from '@svc/testing'
import { type Certificate, makeCertificate } from '../../../../test/support/certificate.ts'
import { keptSession } from '../../src/connect/contexts.ts'
import { type Ran, runSvc, type SvcProcessParts } from '../support/svc-process.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const KEY = 'svc_not_for_everybody'
const PATIENCE_MS = 120_000
const HERE = '127.0.0.1'
const UNREACHABLE = 3

/** A control plane behind a proxy that ends TLS, as it is served to people. */
interface Front extends AsyncDisposable {
  readonly test: TestPlane
  readonly url: string
  /** All bytes that came out of TLS: those that the holder of this certificate can read. */
  received(): string
}

async function front(certificate: Certificate): Promise<Front> {
  await using stack = new AsyncDisposableStack()
  const sockets = new Set<TLSSocket>()
  let [received, port] = ['', 0]
  const proxy = createServer({ ...certificate }, (socket) => {
    sockets.add(socket)
    const behind = connect(port, HERE)
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    socket.on('error', () => {}).on('close', () => behind.destroy())
    behind.on('error', () => {}).on('close', () => socket.destroy())
    socket.pipe(behind).pipe(socket)
  })
  proxy.on('tlsClientError', () => {}).listen(0, HERE)
  await once(proxy, 'listening')
  const url = `https://${HERE}:${(proxy.address() as AddressInfo).port}`
  const test = stack.use(testPlane({ env: { SERVICE_PUBLIC_URL: url } }))
  const server = await listen(createApp(test.plane), { host: HERE, port: 0 })
  stack.defer(async () => {
    await server.cut()
  })
  stack.defer(async () => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
    await once(proxy, 'close')
  })
  port = server.port
  await test.plane.users.add({ email: EMAIL, role: 'operator', tenantId: undefined, password: PASSWORD })
  const open = stack.move()
  return { test, url, received: () => received, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

// The variable turns the certificate check of Node.js off.
const UNCHECKED = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }

/** Runs a command that trusts this certificate beside the public ones, or only the public ones. */
async function run(
  args: readonly string[],
  trusted: Certificate | undefined,
  { input, env = {} }: Pick<SvcProcessParts, 'input' | 'env'> = {},
): Promise<Ran> {
  const file = join(cwd, 'trusted.pem')
  await writeFile(file, trusted?.cert ?? '')
  const trust = trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: file }
  return runSvc(args, { cwd, env: { ...trust, ...env }, ...(input === undefined ? {} : { input }) })
}

const login = (url: string, trusted: Certificate | undefined, env: Environment = {}) =>
  run(['login', '--url', url, '--email', EMAIL], trusted, { input: `${PASSWORD}\n`, env })
const kept = () => readFile(join(cwd, '.config', 'svc', 'contexts.json'), 'utf8').catch(() => '')

describe('svc over HTTPS', () => {
  it(
    'signs in, runs an operation under the name of the user and signs out with a certificate that is trusted',
    async () => {
      const certificate = makeCertificate([HERE])
      await using served = await front(certificate)
      const { test, url, received } = served
      expect(await login(url, certificate)).toEqual({
        code: 0,
        out: `signed in to ${url} as ${EMAIL}\n`,
        err: '',
      })
      expect(received()).toContain(PASSWORD)
      const { id } = await test.license()
      const enqueue = ['jobs', 'enqueue', 'prune', '--license', id, '--url', url, '--json']
      const enqueued = await run(enqueue, certificate)
      expect(enqueued.code).toBe(0)
      expect(JSON.parse(enqueued.out)).toMatchObject({ job: { kind: 'prune', state: 'pending' } })
      expect(await test.storage.audit.list(1)).toMatchObject([{ operation: 'jobs.enqueue', actor: EMAIL }])

      const change = ['account', 'password', '--url', url]
      expect(await run(change, certificate, { input: `${PASSWORD}\nheron gravel violin\n` })).toEqual({
        code: 0,
        out: 'password changed; every other session has ended\n',
        err: '',
      })
      expect((await test.plane.sessions.login(EMAIL, 'heron gravel violin')).user.email).toBe(EMAIL)

      const cookie = await keptSession({ env: {}, home: cwd }, url)
      expect(await test.plane.sessions.authenticate(cookie)).toMatchObject({ user: { email: EMAIL } })
      // A server that takes over the address later receives no session.
      const before = received()
      expect(await run(enqueue, undefined, { env: UNCHECKED })).toMatchObject({ code: UNREACHABLE, out: '' })
      expect(received()).toBe(before)

      expect(await run(['logout', '--url', url], certificate)).toMatchObject({ code: 0, err: '' })
      expect(await test.plane.sessions.authenticate(cookie)).toBeUndefined()
      expect(await kept()).not.toContain('svc_session')
    },
    PATIENCE_MS,
  )

  it.each([
    ['of nobody that is trusted', makeCertificate([HERE]), false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['of another host', makeCertificate(['svc.example']), true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that is over', makeCertificate([HERE], '210101'), true, 'CERT_HAS_EXPIRED'],
  ])(
    'sends neither password nor license key to a certificate %s, whatever the environment says, and says why',
    async (_title, certificate, isTrusted, reason) => {
      await using served = await front(certificate)
      const { url, received } = served
      const { code, out, err } = await login(url, isTrusted ? certificate : undefined, UNCHECKED)
      expect({ code, out }).toEqual({ code: UNREACHABLE, out: '' })
      expect(err).toContain(`the certificate of ${url} cannot be trusted (${reason})`)
      expect(err).not.toContain(PASSWORD)
      await writeFile(join(cwd, 'key'), `${KEY}\n`)
      const fleet = ['fleet', 'servers', '--url', url, '--key-file', 'key']
      const refused = await run(fleet, isTrusted ? certificate : undefined, { env: UNCHECKED })
      expect(refused).toMatchObject({ code: UNREACHABLE, out: '' })
      expect(refused.err).toContain('cannot be trusted')
      expect(received()).toBe('')
      expect(await kept()).toBe('')
    },
    PATIENCE_MS,
  )
})
