import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { buildHeartbeat, FakeClock, memoryStorage, type TestPlaneOverrides, testPlane } from '@svc/testing'
import { verifiedDomain } from '../../../../../test/support/sending-domain.ts'
import { MemoryTables } from '../../../../testing/src/memory-tables.ts'
import { httpModelProbe } from '../../../src/outside/language-model/model-probe-http.ts'
import type { Storage, StorageHealth } from '../../../src/platform/storage/storage.ts'
import { diskFinding } from '../../../src/watch/health/storage-checks.ts'

/** Returns the result of one check of a plane, after the test has changed the plane. */
async function found(
  name: string,
  overrides: TestPlaneOverrides = {},
  before: (test: ReturnType<typeof testPlane>) => Promise<unknown> | undefined = () => undefined,
) {
  await using test = testPlane(overrides)
  await before(test)
  const { checks } = await test.plane.systemCheck.run()
  const line = checks.find((check) => check.name === name)
  if (line === undefined) return undefined
  const { status, detail } = line
  return detail === undefined ? status : `${status}: ${detail}`
}

function withHealth(
  health: Partial<StorageHealth>,
  kind: Storage['kind'] = 'postgresql',
): TestPlaneOverrides {
  const clock = new FakeClock()
  const storage = memoryStorage(clock)
  return {
    clock,
    storage: { ...storage, kind, health: async () => ({ ...(await storage.health()), ...health }) },
  }
}

const behind = (ms: number) => withHealth({ now: new Date(new FakeClock().now().getTime() - ms) })
const schema = (pending: readonly string[], drifted: readonly string[]) =>
  withHealth({ migrations: { applied: [], pending, drifted } })

describe('what the system check says of the database', () => {
  it('a server that answers is fine, one in memory is a doubt', async () => {
    expect(await found('database', withHealth({}))).toBe('ok')
    expect(await found('database', withHealth({}, 'pglite-folder'))).toBe('ok')
    expect(await found('database', withHealth({}, 'pglite-memory'))).toBe('warn: in-memory')
  })

  it('a transaction that has been open for more than an hour is a doubt', async () => {
    const open = (
      { storage, ...rest }: TestPlaneOverrides,
      oldestTransactionSeconds: () => Promise<number>,
    ) => found('database', { ...rest, storage: { ...(storage as Storage), oldestTransactionSeconds } })
    expect(await open(withHealth({}), async () => 3600)).toBe('ok')
    expect(await open(withHealth({}), async () => 3601)).toBe('warn: old-transaction')
    expect(await open(withHealth({}), () => Promise.reject(new Error('busy')))).toBe('ok')
  })

  it('a schema that is not of this release fails', async () => {
    expect(await found('migrations', withHealth({}))).toBe('ok')
    expect(await found('migrations', schema(['0003-x'], []))).toBe('fail: pending')
    expect(await found('migrations', schema(['0003-x'], ['0001-y']))).toBe('fail: drifted')
    const ahead = { applied: [], pending: [], drifted: [], ahead: ['0009-z'] }
    expect(await found('migrations', withHealth({ migrations: ahead }))).toBe('warn: ahead')
    expect(await found('migrations', withHealth({ missingTables: ['jobs'] }))).toBe('fail: tables-missing')
  })

  it.each([
    [2000, 'ok'],
    [2001, 'warn: clock-differs'],
    [60_000, 'warn: clock-differs'],
    [60_001, 'fail: clock-differs'],
  ])('a clock that is %d ms apart, either way: %s', async (ms, says) => {
    expect(await found('clock', behind(ms))).toBe(says)
    expect(await found('clock', behind(-ms))).toBe(says)
  })

  it('an embedded database has our own clock', async () => {
    expect(await found('clock', withHealth({ now: new Date(0) }, 'pglite-folder'))).toBe('skipped: embedded')
  })

  it('a disk is looked at where a folder is ours', async () => {
    expect(await found('disk')).toBe('skipped: not-configured')
    const room = (freeBytes: number) => diskFinding({ freeBytes, reservedBytes: 100 })
    expect(room(401)).toEqual({ status: 'ok' })
    expect(room(400)).toEqual({ status: 'warn', detail: 'disk-nearly-full' })
    expect(room(100)).toEqual({ status: 'fail', detail: 'disk-full' })
  })
})

describe('what the system check says of the work', () => {
  it('a tick that never came is a doubt, one that stays away fails', async () => {
    expect(await found('scheduler')).toBe('warn: never-ran')
    const ticked = (seconds: number) =>
      found('scheduler', {}, async ({ plane, clock }) => {
        await plane.scheduler.tick()
        clock.advance({ seconds })
      })
    expect(await ticked(900)).toBe('ok')
    expect(await ticked(901)).toBe('fail: stalled')
  })

  it('due jobs that no host takes are a doubt after a quarter of an hour', async () => {
    const waited = (seconds: number) =>
      found('queues', {}, async ({ plane, clock, license }) => {
        const { id: licenseId } = await license()
        await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
        clock.advance({ seconds })
      })
    expect(await waited(900)).toBe('ok')
    expect(await waited(901)).toBe('warn: job-waits')
  })

  it('logs that stay past their retention until somebody accepts the rules are a doubt', async () => {
    const after = (hours: number) => {
      const [clock, tables] = [new FakeClock(), new MemoryTables()]
      tables.of('retention').put('1', { held: true })
      return found(
        'retention',
        { clock, storage: memoryStorage(clock, tables) },
        async ({ plane, license }) => {
          const { id: licenseId } = await license()
          const host = { licenseId, fingerprint: 'fp' }
          const { job } = await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
          await plane.jobs.claim({ ...host, claimKey: undefined })
          const write = { ...host, jobId: job.id, attempt: undefined }
          const lines = [{ ts: 1, line: 'a line' }]
          await plane.jobs.appendLogs({ ...write, lines, offset: undefined, idempotencyKey: undefined })
          await plane.jobs.report({ ...write, state: 'succeeded', exitCode: 0, error: undefined })
          clock.advance({ hours })
        },
      )
    }
    expect(await after(24 * 30 - 1)).toBe('ok')
    expect(await after(24 * 30 + 1)).toBe('warn: not-accepted')
  })

  it('a job whose host let its lease pass is a doubt', async () => {
    const after = (seconds: number) =>
      found('queues', {}, async ({ plane, clock, license }) => {
        const { id: licenseId } = await license()
        const host = { licenseId, fingerprint: 'fp' }
        await plane.agents.heartbeat({ ...buildHeartbeat(host), jobs: [] })
        await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
        await plane.jobs.claim({ ...host, claimKey: undefined })
        clock.advance({ seconds })
      })
    expect(await after(299)).toBe('ok')
    expect(await after(300)).toBe('warn: lease-expired')
  })

  it('a mail relay that does not answer is a doubt, and none is nothing', async () => {
    expect(await found('email-relay')).toBe('skipped: not-configured')
    const env = { EMAIL_SMTP_URL: 'smtps://relay.example' }
    expect(await found('email-relay', { env })).toBe('ok')
    expect(await found('email-relay', { env: { ...env, EMAIL_DAILY_LIMIT: 'many' } })).toBe(
      'skipped: bad-setting',
    )
    const mailRelay = {
      send: async () => ({ status: 'fault', fault: 'connect', detail: 'down' }) as const,
      check: async () => ({ ok: false }),
    }
    const down = await found('email-relay', { env, parts: { mailRelay } }, async ({ plane, license }) => {
      const { id: owner } = await license()
      await verifiedDomain(plane, owner, 'mail.example.com')
      const fields = { from: 'a@mail.example.com', to: 'b@example.net', subject: 's', text: 't' }
      await plane.emails.sending.send({ owner, fields })
      await plane.emails.deliver()
    })
    expect(down).toBe('warn: no-answer')
  })

  it('a chat without documents is a doubt, one with some is fine', async () => {
    expect(await found('docs-index')).toBe('warn: no-documents')
    const docsDir = await mkdtemp(join(tmpdir(), 'svc-docs-'))
    try {
      await writeFile(join(docsDir, 'agents.md'), '# Agents\n\nA host agent works for the control plane.\n')
      expect(await found('docs-index', { parts: { docsDir } })).toBe('ok')
    } finally {
      await rm(docsDir, { recursive: true })
    }
  })
})

describe('what the system check says of keys and settings', () => {
  it('a signing key is missing, unusable or fine', async () => {
    expect(await found('signing-key')).toBe('ok')
    expect(await found('signing-key', { env: { SERVICE_LICENSE_PRIVKEY: undefined } })).toBe('warn: unset')
    expect(await found('signing-key', { env: { SERVICE_LICENSE_PRIVKEY: 'x' } })).toBe('fail: unusable')
    expect(await found('signing-key', { env: { SERVICE_LICENSE_PUBKEYS_RETIRED: 'x' } })).toBe(
      'warn: retired-key-unusable',
    )
  })

  it('a session secret is missing, short, made anew or fine', async () => {
    const says = (secret: string | undefined, mode = 'production') =>
      found('session-secret', { env: { SERVICE_SESSION_SECRET: secret, NODE_ENV: mode } })
    expect(await says('s'.repeat(32))).toBe('ok')
    expect(await says(`${'s'.repeat(32)},short`)).toBe('warn: short')
    expect(await says(undefined)).toBe('warn: unset')
    expect(await says(undefined, 'test')).toBe('warn: new-at-each-start')
  })

  it('the development rules are a doubt, and so is production without a single key', async () => {
    expect(await found('licensing')).toBe('warn: no-license')
    expect(await found('licensing', { env: { SERVICE_LICENSE_KEYS: 'a-key' } })).toBe('ok')
    expect(await found('licensing', { env: { NODE_ENV: 'test' } })).toBe('warn: development-rules')
  })

  it('a group that a bad value has closed fails; one that nobody has set has no line', async () => {
    expect(await found('settings-chat')).toBeUndefined()
    expect(await found('settings-chat', { env: { CHAT_RATE_LIMIT: '20' } })).toBe('ok')
    expect(await found('settings-chat', { env: { CHAT_RATE_LIMIT: 'many' } })).toBe('fail: bad-setting')
    expect(await found('docs-index', { env: { CHAT_RATE_LIMIT: 'many' } })).toBe('skipped: bad-setting')
    expect(await found('settings', { env: { SERVICE_LICENCE_KEYS: 'x' } })).toBe('warn: doubtful-setting')
  })
})

describe('what the system check says of the world outside', () => {
  const servers = { MONITOR_DNS_SERVERS: '192.0.2.1,192.0.2.2' }

  it('a resolver that says anything about a name answers, one in trouble does not', async () => {
    const dns = (one: 'nxdomain' | 'error', other: 'nxdomain' | 'error') =>
      found('dns', { env: servers }, async (test) => {
        const reply = (status: 'nxdomain' | 'error') =>
          status === 'error' ? ({ status, error: 'servfail' } as const) : ({ status } as const)
        test.dns.repliesOf('192.0.2.1', 'example.com', reply(one))
        test.dns.repliesOf('192.0.2.2', 'example.com', reply(other))
      })
    expect(await dns('nxdomain', 'nxdomain')).toBe('ok')
    expect(await dns('nxdomain', 'error')).toBe('warn: some-do-not-answer')
    expect(await dns('error', 'error')).toBe('fail: no-answer')
  })

  it('without a resolver there is nobody to ask', async () => {
    const batch = () => ({ ask: () => Promise.reject(new Error('nobody')), cancel: () => {} })
    expect(await found('dns', { parts: { dns: { systemServers: () => [], batch } } })).toBe(
      'fail: no-resolver',
    )
  })

  it('a language model is looked for only when one is configured', async () => {
    expect(await found('language-model')).toBe('skipped: not-configured')
    const says = (state: 'ready' | 'busy' | 'refused' | 'unreachable') =>
      found('language-model', { parts: { modelProbe: { reach: async () => state } } })
    expect(await says('ready')).toBe('ok')
    expect(await says('busy')).toBe('warn: busy')
    expect(await says('refused')).toBe('fail: refused')
    expect(await says('unreachable')).toBe('fail: unreachable')
    expect(await found('language-model', { env: { LLM_API_KEY: 'k', LLM_BASE_URL: 'ftp://x' } })).toBe(
      'skipped: bad-setting',
    )
  })
})

describe('asking for a language model over HTTP', () => {
  async function reach(status: number | 'silence' | 'redirect', key = 'sk-test') {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      if (status === 'redirect') response.writeHead(302, { location: '/v1/other' }).end()
      else if (status !== 'silence')
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const over = new AbortController()
    if (status === 'silence') server.once('request', () => over.abort())
    try {
      const probe = httpModelProbe({ apiKey: key, baseUrl: `http://127.0.0.1:${port}/v1/` })
      return { state: await probe.reach(over.signal), seen }
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  it('costs one request without a question, under the key', async () => {
    expect(await reach(200)).toEqual({ state: 'ready', seen: ['GET /v1/models Bearer sk-test'] })
  })

  it.each([
    [401, 'refused'],
    [403, 'refused'],
    [429, 'busy'],
    [503, 'busy'],
    [404, 'ready'],
    [302, 'unexpected-answer'],
    ['redirect', 'unexpected-answer'],
    [500, 'unexpected-answer'],
    ['silence', 'unreachable'],
  ] as const)('%s: %s', async (status, state) => {
    expect((await reach(status)).state).toBe(state)
  })

  it.each([
    ['http://169.254.169.254/v1', 'fail: address-refused'],
    ['http://[fe80::1]/v1', 'fail: address-refused'],
    ['https://user:word@api.example/v1', 'fail: address-refused'],
    [`http://${'x'.repeat(63)}.invalid/v1`, 'fail: unresolved'],
    ['http://127.0.0.1:9000/v1', 'fail: unreachable'],
  ])('an address that cannot be called is told as such: %s', async (baseUrl, says) => {
    expect(await found('language-model', { env: { LLM_API_KEY: 'k', LLM_BASE_URL: baseUrl } })).toBe(says)
  })

  it('nobody there: unreachable', async () => {
    const probe = httpModelProbe({ apiKey: 'k', baseUrl: 'http://127.0.0.1:9' })
    expect(await probe.reach(new AbortController().signal)).toBe('unreachable')
  })
})
