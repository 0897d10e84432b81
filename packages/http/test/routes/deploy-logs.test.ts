import { type IncomingMessage, request } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { FakeClock, memoryStorage } from '@svc/testing'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { MemoryTables } from '../../../testing/src/memory-tables.ts'

const DEPLOY = { app: 'app', source: { type: 'image', image: 'app:1' } }

interface Log {
  readonly state: string
  readonly logs: readonly { readonly line: string }[]
}

/** A deployment in progress, the callers who may read its log, and the tables that hold the log. */
async function scene() {
  const clock = new FakeClock()
  const tables = new MemoryTables()
  const served = await mounted(undefined, { clock, storage: memoryStorage(clock, tables) })
  const { plane, licenseId } = served
  const { job } = await plane.jobs.enqueue({ licenseId, kind: 'deploy', payload: DEPLOY })
  const email = 'ada@example.com'
  const user = await plane.users.add({ email, role: 'operator', tenantId: undefined, password: undefined })
  const { cookie } = await plane.sessions.mint(user)
  await claim(served)
  return {
    served,
    clock,
    tables,
    jobId: job.id,
    path: `/api/deploy/${job.deploymentId}/logs`,
    headers: { cookie },
  }
}

const claim = ({ plane, licenseId }: Mounted) =>
  plane.jobs.claim({ licenseId, fingerprint: 'fp', claimKey: undefined })

/** Stores lines unchanged, a thousand at a time; returns their texts. */
async function write({ storage, licenseId, clock }: Mounted, jobId: string, texts: readonly string[]) {
  for (let from = 0; from < texts.length; from += 1000) {
    const lines = texts.slice(from, from + 1000).map((line, at) => ({ ts: from + at, line }))
    const owner = { jobId, licenseId, fingerprint: 'fp', attempt: undefined, leaseSeconds: 300 }
    const rest = { offset: from, idempotencyKey: undefined }
    await storage.jobs.appendLogs({ ...owner, lines, ...rest }, clock.now())
  }
  return texts
}

const textsOf = (body: unknown): string[] => (body as Log).logs.map(({ line }) => line)

describe('GET /api/deploy/{id}/logs without a query', () => {
  // One read takes at most 10,000 lines: the second attempt begins at the start of a read, or within one.
  it.each([10_000, 12_000])(
    'is the whole log: every attempt, %i lines and some eight million characters',
    async (count) => {
      const { served, clock, jobId, path, headers } = await scene()
      await using _ = served
      const first = await write(
        served,
        jobId,
        Array.from({ length: count }, (_, n) => `${n} é "x" \\`),
      )
      clock.advance({ minutes: 6 })
      await claim(served)
      const second = await write(
        served,
        jobId,
        Array.from({ length: 1000 }, (_, n) => `${n} `.padEnd(8192, 'y')),
      )
      const answer = await served.send({ path, headers })
      expect(answer).toMatchObject({ status: 200, headers: { 'svc-log-count': `${count + 1001}` } })
      expect((answer.body as Log).state).toBe('claimed')
      expect(textsOf(answer.body)).toEqual([...first, '[svc] attempt 2', ...second])
      expect(Object.keys(answer.body as Log)).toEqual(['state', 'logs'])
      // A reader that fetches the log in ranges gets the same lines.
      const read: string[] = []
      while (read.length < count + 1001) {
        const { body } = await served.send({ path: `${path}?after=${read.length}`, headers })
        read.push(...textsOf(body))
      }
      expect(read).toEqual(textsOf(answer.body))
    },
  )

  it('is valid JSON of no lines and of one', async () => {
    const { served, jobId, path, headers } = await scene()
    await using _ = served
    expect((await served.send({ path, headers })).text).toBe('{"state":"claimed","logs":[]}')
    await write(served, jobId, ['only'])
    expect((await served.send({ path, headers })).text).toBe(
      '{"state":"claimed","logs":[{"ts":0,"line":"only"}]}',
    )
    expect(await served.send({ method: 'HEAD', path, headers })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'svc-log-count': '1', 'content-type': 'application/json; charset=utf-8' },
    })
  })

  it.each(['after=0', 'limit=10000'])('with %s it is a stretch of at most 10,000 lines', async (query) => {
    const { served, jobId, path, headers } = await scene()
    await using _ = served
    const texts = await write(
      served,
      jobId,
      Array.from({ length: 10_001 }, (_, n) => `${n}`),
    )
    const answer = await served.send({ path: `${path}?${query}`, headers })
    expect(textsOf(answer.body)).toEqual(texts.slice(0, 10_000))
    expect(answer.headers).toMatchObject({ 'svc-log-count': '10001', 'content-length': expect.any(String) })
  })

  it('is read as fast as the client reads, and cut off where it cannot be read on', async () => {
    const { served, tables, jobId, path, headers } = await scene()
    await using _ = served
    // More bytes than the buffers of a connection hold.
    await write(
      served,
      jobId,
      Array.from({ length: 5000 }, () => 'z'.repeat(8192)),
    )
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ host: '127.0.0.1', port: served.port, path, headers, agent: false }, resolve)
        .once('error', reject)
        .end()
    })
    const chunks: Buffer[] = []
    answer.once('data', (chunk: Buffer) => {
      chunks.push(chunk)
      answer.pause()
      tables.logs.put(jobId, undefined)
      answer.on('data', (more: Buffer) => chunks.push(more))
      answer.resume()
    })
    const ended = await new Promise<string>((resolve) => {
      answer.once('end', () => resolve('end'))
      answer.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    })
    expect(ended).toBe('ECONNRESET')
    const text = Buffer.concat(chunks).toString()
    expect(text.length).toBeLessThan(5000 * 8192)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    // The service still answers.
    expect(await served.send({ path, headers })).toMatchObject({ status: 200, body: { logs: [] } })
  })

  it('has a status of its own when not even its beginning can be read', async () => {
    const { served, tables, jobId, path, headers } = await scene()
    await using _ = served
    await write(served, jobId, ['one', 'two'])
    // The count includes lines that are missing.
    const chunks = tables.logs.get(jobId) ?? []
    tables.logs.put(
      jobId,
      chunks.map((chunk) => ({ ...chunk, lines: new Array(2) })),
    )
    expect(await served.send({ path, headers })).toMatchObject({
      status: 500,
      body: { error: 'internal error' },
    })
  })
})
