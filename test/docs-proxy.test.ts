import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type SecureVersion, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp, listen } from '@svc/http'
import { FakeClock, FakeTimers, type TestPlane, testPlane } from '@svc/testing'
import { blockOf, root } from './docs/page.ts'
import { certify, makeAuthority } from './support/certificate-authority.ts'
import { freePort } from './support/free-port.ts'

const PAGE = 'docs/deployment.md'
const HOST = 'svc.example'
const FLEET = '127.0.0.0/28'
const METRICS_TOKEN = 'the-token-of-a-scraper-in-this-test'
const isThere = spawnSync('nginx', ['-v']).error === undefined

/**
 * The page's configuration as it stands, but for the ports and certificates, which a machine of tests has not
 * got.
 */
async function configuration(folder: string, port: number, servicePort: number): Promise<string> {
  const authority = await makeAuthority(folder, 'authority')
  const { cert, key } = await certify(folder, authority, 'proxy', `DNS:${HOST}`)
  const swaps = [
    ['server 127.0.0.1:8080;', `server 127.0.0.1:${servicePort};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
    ['/etc/letsencrypt/live/svc.example/fullchain.pem', cert],
    ['/etc/letsencrypt/live/svc.example/privkey.pem', key],
  ] as const
  let text = blockOf(PAGE, 'upstream svc {')
  for (const [from, to] of swaps) {
    if (!text.includes(from)) throw new Error(`${PAGE} should say ${from}`)
    text = text.replace(from, to)
  }
  // The optional block is tested as well: here the fleet has the first sixteen addresses of loopback.
  const fleetOnly = blockOf('docs/security.md', 'location ~').replace('198.51.100.0/24', FLEET)
  if (!fleetOnly.includes(FLEET)) throw new Error('docs/security.md should allow 198.51.100.0/24')
  text = text.replace('location / {', `${fleetOnly}\n  location / {`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const places = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n')
  return `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events {} http { access_log off; ${places} ${text} }`
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

const bodyOf = async (answer: IncomingMessage): Promise<Answer> => {
  let text = ''
  for await (const part of answer.setEncoding('utf8')) text += part
  return { status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text }
}

const nginx = isThere ? describe : describe.skip

nginx('the reverse proxy of docs/deployment.md, run by nginx where it is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'))
  const clock = new FakeClock()
  let faked: TestPlane
  let proxy: ChildProcess
  let port = 0
  let agent: Agent
  let release = () => {}
  let stop = async (): Promise<unknown> => undefined

  beforeAll(async () => {
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const languageModel = {
      async *answer() {
        yield 'The first words come at once. '
        await held
        yield 'The last ones later.'
      },
    }
    faked = testPlane({
      clock,
      env: { SERVICE_METRICS_TOKEN: METRICS_TOKEN, SERVICE_PUBLIC_URL: `https://${HOST}` },
      parts: { languageModel, timers: new FakeTimers(clock), docsDir: join(root, 'docs') },
    })
    const server = await listen(createApp(faked.plane), {
      host: '127.0.0.1',
      port: 0,
      health: faked.plane.health,
    })
    stop = () => server.cut()
    port = await freePort()
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, await configuration(folder, port, server.port))
    proxy = spawn('nginx', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
    agent = new Agent({ ca: readFileSync(join(folder, 'authority.crt')), servername: HOST, keepAlive: false })
    for (let tries = 0; !(await listens()); tries += 1) {
      if (proxy.exitCode !== null || tries > 200)
        throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'))
      await pause(50)
    }
  }, 60_000)

  afterAll(async () => {
    release()
    agent?.destroy()
    if (proxy?.exitCode === null) {
      proxy.kill('SIGTERM')
      await once(proxy, 'exit')
    }
    await stop()
    await faked?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  async function listens(): Promise<boolean> {
    const socket = connectPlain(port, '127.0.0.1')
    const is = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    return is
  }

  /** Sends a request through the proxy; resolves with the answer when its head has come. */
  async function opened(path: string, { body = '', ...options }: RequestOptions & { body?: string } = {}) {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      agent,
      ...options,
      headers: { host: HOST, ...options.headers },
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  }
  const ask = async (...args: Parameters<typeof opened>) => bodyOf(await opened(...args))

  const post = (path: string, body: object | string, options: RequestOptions = {}) =>
    ask(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...options,
      headers: { 'content-type': 'application/json', ...options.headers },
    })

  /** Returns the version and the suite of a handshake, or the code of the refusal. */
  async function handshake(version: SecureVersion, ciphers?: string): Promise<string> {
    const socket: TLSSocket = connect({
      host: '127.0.0.1',
      port,
      servername: HOST,
      ca: readFileSync(join(folder, 'authority.crt')),
      minVersion: version,
      maxVersion: version,
      // The client is as lax as can be: the proxy makes all refusals.
      ciphers: `${ciphers ?? 'ALL'}:@SECLEVEL=0`,
    })
    try {
      return await Promise.race([
        once(socket, 'secureConnect').then(
          () => `${socket.getProtocol()} ${socket.getCipher().standardName}`,
        ),
        once(socket, 'error').then(([error]: { code?: string }[]) => error?.code ?? 'refused'),
      ])
    } catch (error) {
      return (error as { code?: string }).code ?? 'refused'
    } finally {
      socket.destroy()
    }
  }

  test('speaks TLS 1.2 and 1.3 and nothing older', async () => {
    expect(await handshake('TLSv1.2')).toMatch(/^TLSv1\.2 TLS_ECDHE_ECDSA_WITH_\w+$/)
    expect(await handshake('TLSv1.3')).toMatch(/^TLSv1\.3 TLS_\w+$/)
    for (const old of ['TLSv1', 'TLSv1.1'] as const)
      expect(await handshake(old)).toMatch(/ALERT_PROTOCOL_VERSION/)
  })

  test.each([
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
  ])('takes the suite %s', async (suite) => {
    expect(await handshake('TLSv1.2', suite)).toMatch(/^TLSv1\.2 /)
  })

  test.each([
    'ECDHE-ECDSA-AES128-SHA256',
    'ECDHE-ECDSA-AES256-SHA',
    'ECDHE-ECDSA-AES128-CCM8',
    'ECDHE-ECDSA-NULL-SHA',
    'AES128-GCM-SHA256',
    'AECDH-AES256-SHA',
  ])('refuses the suite %s', async (suite) => {
    expect(await handshake('TLSv1.2', suite)).toMatch(/HANDSHAKE_FAILURE/)
  })

  test('shows the certificate of its name, and whoever does not trust it goes no further', async () => {
    expect((await ask('/healthz')).status).toBe(200)
    const distrusting = new Agent({ servername: HOST, keepAlive: false })
    await expect(ask('/healthz', { agent: distrusting })).rejects.toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    })
    const elsewhere = new Agent({
      ca: readFileSync(join(folder, 'authority.crt')),
      servername: 'other.example',
    })
    await expect(ask('/healthz', { agent: elsewhere })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  test('hands nothing on that comes without TLS, and redirects nobody', async () => {
    const before = faked.log.text()
    const sent = plainRequest({ host: '127.0.0.1', port, path: '/v1/jobs/claim', method: 'POST' })
    sent.setHeader('authorization', 'Bearer a-key-in-the-clear')
    sent.end('{}')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined])
    answer.destroy()
    expect(faked.log.text()).toBe(before)
    const block = blockOf(PAGE, 'upstream svc {')
    expect([...block.matchAll(/listen ([^;]+);/g)].map(([, at]) => at)).toEqual(['443 ssl'])
  })

  test('hands the address of the client on, and none that the client made up', async () => {
    const tried = async (localAddress: string, forged: string) =>
      (
        await post(
          '/v1/license/activate',
          { key: 'none', fingerprint: 'f'.repeat(40) },
          {
            localAddress,
            headers: { 'x-forwarded-for': forged },
          },
        )
      ).status
    const statuses: number[] = []
    for (let n = 0; n < 11; n += 1) statuses.push(await tried('127.0.0.1', `198.51.100.${n}`))
    expect(statuses).toEqual([...Array(10).fill(403), 429])
    expect(await tried('127.0.0.2', '127.0.0.1')).toBe(403)
  })

  test('lets hosts in from the addresses of the fleet alone, where the page about security is followed', async () => {
    const heartbeat = (localAddress: string) =>
      post('/v1/telemetry/heartbeat', { fingerprint: 'fp' }, { localAddress })
    expect(await heartbeat('127.0.0.15')).toEqual({
      status: 401,
      type: 'application/json; charset=utf-8',
      text: '{"error":"unauthorized"}',
    })
    for (const path of [
      '/v1/telemetry/heartbeat',
      '/v1/jobs/claim',
      '/v1/license/activate',
      '/api/v1/operations',
    ]) {
      const refused = await post(path, { fingerprint: 'fp' }, { localAddress: '127.0.0.16' })
      expect({ path, status: refused.status, type: refused.type }).toEqual({
        path,
        status: 403,
        type: 'text/html',
      })
    }
    expect((await ask('/healthz', { localAddress: '127.0.0.16' })).status).toBe(200)
  })

  test('lets the words of the chat through as they come', async () => {
    const answer = await opened('/api/chat', {
      method: 'POST',
      body: JSON.stringify({ message: 'How do I install the agent?' }),
      headers: { 'content-type': 'application/json' },
    })
    let text = ''
    answer.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    for (let looks = 0; !text.includes('first words') && looks < 200; looks += 1) await pause(25)
    expect(text).toContain('first words')
    expect(text).not.toContain('last ones')
    release()
    await once(answer, 'end')
    expect(text).toContain('last ones')
  })

  test('lets a body of 24 MiB through and no larger one', async () => {
    const { key } = await faked.license()
    const line = { ts: 1, line: 'x'.repeat(8000) }
    const head = JSON.stringify({ attempt: 1, lines: Array(2000).fill(line) })
    const sized = (bytes: number) => `${head}${' '.repeat(bytes - head.length)}`
    const headers = { authorization: `Bearer ${key}` }
    const path = '/v1/jobs/job_00000000000000000000000000/logs'
    const largest = await post(path, sized(24 * 1024 * 1024), { headers })
    expect([largest.status, largest.type]).toEqual([404, expect.stringContaining('application/json')])
    const larger = await post(path, sized(24 * 1024 * 1024 + 1), { headers }).catch(() => ({ status: 413 }))
    expect(larger.status).toBe(413)
  })

  test('serves scrapers by TLS, with their token', async () => {
    expect((await ask('/metrics')).status).toBe(401)
    const { status, text } = await ask('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    expect([status, text.includes('svc_')]).toEqual([200, true])
  })
})
