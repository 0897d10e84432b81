import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { serving } from '../support/serving.ts'

describe('POST /api/v1/jobs/{id}/cancel', () => {
  const served = serving()
  const enqueue = async () => {
    const { plane, licenseId } = served()
    return (await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })).job.id
  }
  const cancel = (id: string, body?: unknown) => served().post(`/api/v1/jobs/${id}/cancel`, body)
  const claim = () => served().post('/v1/jobs/claim', { fingerprint: 'fp' })

  it('ends a pending job at once', async () => {
    const id = await enqueue()
    expect((await cancel(id, { reason: 'wrong app' })).body).toEqual({
      ok: true,
      state: 'failed',
      cancelled: true,
    })
    expect(await served().plane.jobs.get(PLATFORM, id)).toMatchObject({
      state: 'failed',
      cancel: { reason: 'wrong app' },
    })
  })

  it('asks the host that holds it, and a repeat gets the same answer', async () => {
    const id = await enqueue()
    await claim()
    const expected = { ok: true, state: 'claimed', cancel_requested: true }
    expect((await cancel(id)).body).toEqual(expected)
    expect((await cancel(id)).body).toEqual(expected)
  })

  it('says whether a finished job was cancelled', async () => {
    const id = await enqueue()
    await claim()
    await served().post(`/v1/jobs/${id}/status`, { fingerprint: 'fp', state: 'succeeded' })
    expect((await cancel(id)).body).toEqual({ ok: true, state: 'succeeded', cancelled: false })
    const other = await enqueue()
    await cancel(other)
    expect((await cancel(other)).body).toEqual({ ok: true, state: 'failed', cancelled: true })
  })

  it('answers 404 in its own words', async () => {
    const refused = { status: 404, body: { error: 'job not found for this license' } }
    expect(await cancel('job_none')).toMatchObject(refused)
    expect(await cancel('a%20b')).toMatchObject(refused)
  })

  it('is at its path under /api alone, as every route that the agents do not need', async () => {
    const id = await enqueue()
    const missing = { status: 404, body: { error: 'not found' } }
    expect(await served().post(`/v1/jobs/${id}/cancel`)).toMatchObject(missing)
    expect(await served().plane.jobs.get(PLATFORM, id)).toMatchObject({ state: 'pending' })
    expect(await cancel(id)).toMatchObject({ status: 200 })
  })

  it('refuses a reason of 513 characters', async () => {
    expect(await cancel('job_any', { reason: 'r'.repeat(513) })).toMatchObject({
      status: 400,
      body: { details: ['reason: expected a string of at most 512 characters'] },
    })
  })
})
