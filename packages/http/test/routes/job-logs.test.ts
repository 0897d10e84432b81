import { describe, expect, it } from '@jest/globals'
import { serving } from '../support/serving.ts'

describe('POST /v1/jobs/{id}/logs', () => {
  const served = serving()
  const line = (text: string) => ({ ts: 1.5, line: text })
  const held = async () => {
    const { plane, licenseId, post } = served()
    const { job } = await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    await post('/v1/jobs/claim', { fingerprint: 'fp' })
    return job.id
  }
  const send = (id: string, body: unknown, headers = {}) =>
    served().post(`/v1/jobs/${id}/logs`, body, headers)
  const stored = async (id: string) =>
    (await served().plane.jobs.logs(id, 0, 10_000)).map((each) => each.line)

  it('answers with exactly ok and accepted, and where to go on', async () => {
    const id = await held()
    const answer = await send(id, { lines: [line('a'), line('b')] })
    expect(answer.body).toEqual({ ok: true, accepted: 2 })
    expect(answer.headers['svc-log-next']).toBe('2')
    expect(await stored(id)).toEqual(['a', 'b'])
  })

  it('takes no lines at all as a sign of life', async () => {
    const id = await held()
    expect(await send(id, {})).toMatchObject({
      body: { ok: true, accepted: 0 },
      headers: { 'svc-log-next': '0' },
    })
    expect(await send(id, '')).toMatchObject({ body: { ok: true, accepted: 0 } })
  })

  it('takes 1,000 lines of 8,192 characters of three bytes each', async () => {
    const id = await held()
    const body = JSON.stringify({ lines: Array.from({ length: 1000 }, () => line('漢'.repeat(8192))) })
    expect(Buffer.byteLength(body)).toBeGreaterThan(24_576_000)
    expect(await send(id, body)).toMatchObject({ status: 200, body: { ok: true, accepted: 1000 } })
    expect(await served().plane.jobs.logs(id, 999, 10)).toMatchObject([{ line: '漢'.repeat(8192) }])
  })

  it('accepts the first 1,000 of up to 10,000 lines', async () => {
    const id = await held()
    const lines = Array.from({ length: 10_000 }, (_, index) => line(String(index)))
    expect(await send(id, { lines })).toMatchObject({ status: 200, body: { accepted: 1000 } })
    expect(await stored(id)).toHaveLength(1000)
  })

  it('refuses 10,001 lines', async () => {
    const lines = Array.from({ length: 10_001 }, () => line(''))
    expect(await send(await held(), { lines })).toMatchObject({
      status: 400,
      body: { error: 'invalid request body', details: ['lines: expected a list of at most 10000 entries'] },
    })
  })

  it('cuts each line to 8,192 characters without splitting a pair', async () => {
    const id = await held()
    await send(id, { lines: [line('x'.repeat(9000)), line(`${'x'.repeat(8191)}😀`)] })
    expect((await stored(id)).map((each) => each.length)).toEqual([8192, 8191])
  })

  it('takes the largest legal request', async () => {
    const id = await held()
    const lines = Array.from({ length: 1000 }, () => line('x'.repeat(8192)))
    expect(await send(id, { lines })).toMatchObject({ status: 200, body: { accepted: 1000 } })
  })

  it('stores nothing twice under an offset, and says where to resume after a gap', async () => {
    const id = await held()
    await send(id, { offset: 0, lines: [line('a'), line('b')] })
    expect(await send(id, { offset: 1, lines: [line('b'), line('c')] })).toMatchObject({
      body: { accepted: 2 },
      headers: { 'svc-log-next': '3' },
    })
    expect(await send(id, { offset: 9, lines: [line('z')] })).toMatchObject({
      body: { ok: true, accepted: 0 },
      headers: { 'svc-log-next': '3' },
    })
    expect(await stored(id)).toEqual(['a', 'b', 'c'])
  })

  it('stores nothing twice under an Idempotency-Key', async () => {
    const id = await held()
    const key = { 'idempotency-key': 'host.1.1.0' }
    const first = await send(id, { lines: [line('a')] }, key)
    expect(await send(id, { lines: [line('a')] }, key)).toMatchObject({ body: first.body })
    expect(await stored(id)).toEqual(['a'])
  })

  it('says canceling, and later the terminal state', async () => {
    const id = await held()
    await served().post(`/api/v1/jobs/${id}/cancel`)
    expect((await send(id, {})).headers['svc-job-state']).toBe('canceling')
    await served().post(`/v1/jobs/${id}/status`, { fingerprint: 'fp', state: 'failed' })
    expect((await send(id, {})).headers['svc-job-state']).toBe('failed')
  })

  it('takes NUL out of lines instead of failing', async () => {
    const id = await held()
    expect(await send(id, '{"lines":[{"ts":1,"line":"a\\u0000b"}]}')).toMatchObject({ status: 200 })
    expect(await stored(id)).toEqual(['ab'])
  })

  it.each([
    [{ lines: null }, 'lines: expected a list of at most 10000 entries'],
    [{ lines: [{ ts: '1', line: 'a' }] }, 'lines.0.ts: expected a finite number'],
    [{ lines: [{ ts: 1, line: null }] }, 'lines.0.line: expected a string'],
    [{ lines: ['a'] }, 'lines.0: expected an object'],
    [{ offset: -1 }, 'offset: expected a whole number from 0 to 2147483647'],
  ])('refuses %j', async (body, message) => {
    const { body: refused } = await send('job_any', body)
    expect(refused).toMatchObject({ error: 'invalid request body' })
    expect((refused as { details: string[] }).details).toContain(message)
  })

  it('answers 404 in its own words to a job of nobody, of another host and of another attempt', async () => {
    const refused = { status: 404, body: { error: 'job not found for this license' } }
    const id = await held()
    expect(await send('job_none', {})).toMatchObject(refused)
    expect(await send('..%2fx', {})).toMatchObject(refused)
    expect(await send(id, { fingerprint: 'other' })).toMatchObject(refused)
    expect(await send(id, { attempt: 2 })).toMatchObject(refused)
  })
})
