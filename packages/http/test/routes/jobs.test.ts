import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { serving } from '../support/serving.ts'

const served = serving()
const claim = (fingerprint = 'fp', headers = {}) => served().post('/v1/jobs/claim', { fingerprint }, headers)
const report = (id: string, body: object) =>
  served().post(`/v1/jobs/${id}/status`, { fingerprint: 'fp', ...body })
const enqueue = async () => {
  const { plane, licenseId } = served()
  return (await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })).job
}
const NOT_OWNED = { status: 404, body: { error: 'job not found / not owned' } }

describe('POST /v1/jobs/claim', () => {
  it('answers 204 with an empty body when nothing is due', async () => {
    const answer = await claim()
    expect(answer).toMatchObject({ status: 204, text: '' })
    expect(answer.headers).not.toHaveProperty('content-type')
  })

  it('answers with exactly { job }', async () => {
    const { id } = await enqueue()
    const { body } = await claim()
    expect(Object.keys(body as object)).toEqual(['job'])
    expect(body).toMatchObject({ job: { id, kind: 'prune', state: 'claimed', lease_seconds: 300 } })
  })

  it('gives the same job under the same Idempotency-Key, and another without it', async () => {
    const [first, second] = [await enqueue(), await enqueue()]
    const key = { 'idempotency-key': 'k'.repeat(255) }
    expect(await claim('fp', key)).toMatchObject({ body: { job: { id: first.id } } })
    expect(await claim('fp', key)).toMatchObject({ body: { job: { id: first.id, attempt: 1 } } })
    expect(await claim('fp')).toMatchObject({ body: { job: { id: second.id } } })
  })

  it.each(['', 'two words', 'k'.repeat(256)])('refuses the Idempotency-Key "%s"', async (key) => {
    expect(await claim('fp', { 'idempotency-key': key })).toMatchObject({
      status: 400,
      body: { details: ['Idempotency-Key: expected 1 to 255 visible characters'] },
    })
  })

  it('tells a drained host so, and gives it nothing', async () => {
    await enqueue()
    await served().post('/v1/telemetry/heartbeat', { fingerprint: 'fp' })
    await served().plane.operations.run('fleet.drain', { host: 'fp:fp' }, 'test')
    expect(await claim()).toMatchObject({ status: 204, headers: { 'svc-drain': '1' } })
    expect((await claim('other')).headers).not.toHaveProperty('svc-drain')
  })

  it('gives a host only jobs of the kinds that it names, and remembers those', async () => {
    const { id } = await enqueue()
    const ask = (work: object) => served().post('/v1/jobs/claim', { fingerprint: 'fp', ...work })
    await served().post('/v1/telemetry/heartbeat', { fingerprint: 'fp' })
    expect(await ask({ kinds: [] })).toMatchObject({ status: 204 })
    expect(await ask({ kinds: ['db', 'reboot'], concurrency: 2 })).toMatchObject({ status: 204 })
    const { reasons } = await served().plane.jobs.why(PLATFORM, id)
    expect(reasons).toMatchObject([{ code: 'kind-not-run', text: 'no host of this license runs prune' }])
    expect(await ask({ kinds: ['db', 'prune'] })).toMatchObject({ status: 200, body: { job: { id } } })
  })

  it.each([
    [{ kinds: 'db' }, 'kinds: expected a list of at most 64 entries'],
    [{ kinds: [5] }, 'kinds.0: expected a string of 1 to 64 characters'],
    [{ kinds: Array(65).fill('db') }, 'kinds: expected a list of at most 64 entries'],
    [{ concurrency: 0 }, 'concurrency: expected a whole number from 1 to 1000'],
    [{ concurrency: 1.5 }, 'concurrency: expected a whole number from 1 to 1000'],
  ])('refuses %j', async (work, detail) => {
    const answer = await served().post('/v1/jobs/claim', { fingerprint: 'fp', ...work })
    expect(answer).toMatchObject({ status: 400, body: { details: [detail] } })
  })

  it('names the jobs that should stop', async () => {
    const { id } = await enqueue()
    await claim()
    await served().post(`/api/v1/jobs/${id}/cancel`)
    expect((await claim()).headers['svc-cancel']).toBe(id)
  })

  it('hands out a job again whose lease was lost', async () => {
    const { id } = await enqueue()
    await claim()
    served().clock.advance({ seconds: 301 })
    expect(await claim('other')).toMatchObject({ body: { job: { id, attempt: 2 } } })
    expect(await report(id, { state: 'succeeded' })).toMatchObject(NOT_OWNED)
  })
})

describe('POST /v1/jobs/{id}/status', () => {
  it('answers with exactly { ok: true } and no state header while all is well', async () => {
    const { id } = await enqueue()
    await claim()
    const answer = await report(id, { state: 'running' })
    expect(answer.body).toEqual({ ok: true })
    expect(answer.headers).not.toHaveProperty('svc-job-state')
  })

  it.each(['succeeded', 'failed'])('names the terminal state %s', async (state) => {
    const { id } = await enqueue()
    await claim()
    const answer = await report(id, { state, exit_code: -1, error: 'e'.repeat(8192) })
    expect(answer).toMatchObject({ status: 200, headers: { 'svc-job-state': state } })
  })

  it('leaves the first terminal state and says which it is', async () => {
    const { id } = await enqueue()
    await claim()
    await report(id, { state: 'succeeded' })
    const late = await report(id, { state: 'failed' })
    expect(late).toMatchObject({ status: 200, body: { ok: true }, headers: { 'svc-job-state': 'succeeded' } })
    expect(await served().plane.jobs.get(PLATFORM, id)).toMatchObject({ state: 'succeeded' })
  })

  it('says canceling when a cancel waits', async () => {
    const { id } = await enqueue()
    await claim()
    await served().post(`/api/v1/jobs/${id}/cancel`)
    expect((await report(id, { state: 'running' })).headers['svc-job-state']).toBe('canceling')
  })

  it('gives a job back on pending', async () => {
    const { id } = await enqueue()
    await claim()
    expect(await report(id, { state: 'pending' })).toMatchObject({ status: 200, body: { ok: true } })
    expect(await claim('other')).toMatchObject({ body: { job: { id } } })
  })

  it('fences another fingerprint and another attempt', async () => {
    const { id } = await enqueue()
    await claim()
    expect(await report(id, { fingerprint: 'other', state: 'running' })).toMatchObject(NOT_OWNED)
    expect(await report(id, { attempt: 2, state: 'running' })).toMatchObject(NOT_OWNED)
    expect(await report(id, { attempt: 1, state: 'running' })).toMatchObject({ status: 200 })
  })

  it.each([
    [{ state: 'done' }, 'state: expected one of pending, claimed, running, succeeded, failed'],
    [{}, 'state: expected one of pending, claimed, running, succeeded, failed'],
    [{ state: 'failed', error: 'e'.repeat(8193) }, 'error: expected a string of at most 8192 characters'],
    [
      { state: 'failed', exit_code: 1.5 },
      'exit_code: expected a whole number from -9007199254740991 to 9007199254740991',
    ],
    [
      { state: 'failed', exit_code: null },
      'exit_code: expected a whole number from -9007199254740991 to 9007199254740991',
    ],
  ])('refuses %j', async (body, message) => {
    expect(await report('job_any', body)).toMatchObject({
      status: 400,
      body: { error: 'invalid request body', details: [message] },
    })
  })

  it.each([
    '1e3',
    '0x1',
    '9223372036854775808',
    '..%2Fx',
    '%00',
    '%zz',
    "a'b",
    'j'.repeat(65),
    'j'.repeat(8192),
  ])('answers 404 to the id %s', async (id) => {
    expect(await report(id, { state: 'running' })).toMatchObject(NOT_OWNED)
  })
})
