import { describe, expect, it } from '@jest/globals'
import { FakeClock, FakeTimers } from '@svc/testing'
import { preferredWait } from '../../src/exchange/prefer.ts'
import { serving } from '../support/serving.ts'

const clock = new FakeClock()
const timers = new FakeTimers(clock)
const served = serving({ clock, parts: { timers } })
const claim = (prefer?: string, fingerprint = 'fp') =>
  served().post('/v1/jobs/claim', { fingerprint }, prefer === undefined ? {} : { prefer })
const beat = () => served().post('/v1/telemetry/heartbeat', { fingerprint: 'fp' })
const enqueue = async () => {
  const { plane, licenseId } = served()
  return (await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })).job
}
/** Resolves when a host waits at the plane. */
const someoneWaits = async () => {
  for (;;) {
    if (/svc_job_claims_waiting 1/.test(await served().plane.metrics.exposition())) return
    await new Promise(setImmediate)
  }
}

describe('the preference of a client', () => {
  it.each([
    ['wait=10', 10],
    ['wait=51', 50],
    ['wait=999999', 50],
    ['wait=0', 0],
    ['WAIT = "7"', 7],
    ['respond-async, wait=20', 20],
    ['wait=20, respond-async', 20],
    ['wait=20; foo=bar', 20],
    ['handling=lenient,wait=3', 3],
    ['await=5', undefined],
    ['wait', undefined],
    ['wait=', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['wait=ten', undefined],
    ['foo="wait=5"', undefined],
    [`${'x'.repeat(300)}, wait=5`, undefined],
    [undefined, undefined],
  ])('%j is to wait for %j s', (prefer, seconds) => {
    expect(preferredWait({ prefer }, 50)).toBe(seconds)
  })
})

describe('POST /v1/jobs/claim with Prefer: wait=N', () => {
  it('is answered with the job as soon as there is one, and says that it may wait', async () => {
    await beat()
    const answer = claim('wait=25')
    await someoneWaits()
    const { id } = await enqueue()
    const { status, body, headers } = await answer
    expect({ status, body }).toMatchObject({ status: 200, body: { job: { id } } })
    expect(headers).toMatchObject({ 'preference-applied': 'wait=25' })
  })

  it('is answered 204 at its end, and says how long it was let wait at most', async () => {
    await beat()
    const answer = claim('wait=99')
    await someoneWaits()
    await timers.advance({ seconds: 50 })
    expect(await answer).toMatchObject({ status: 204, headers: { 'preference-applied': 'wait=50' } })
  })

  it('is answered at once, and no preference applied, without the header and for a host that never beat', async () => {
    await beat()
    const own = await claim()
    const strange = await claim('wait=25', 'stranger')
    for (const { status, headers } of [own, strange]) {
      expect(status).toBe(204)
      expect(headers).not.toHaveProperty('preference-applied')
    }
  })

  it('counts once in the rate window of the license, however long it waits', async () => {
    await beat()
    const answer = claim('wait=50')
    await someoneWaits()
    await timers.advance({ seconds: 50 })
    await answer
    for (let each = 0; each < 59; each += 1) expect((await claim()).status).toBe(204)
    expect((await claim()).status).toBe(429)
  })

  it('does not count its wait as the duration of the answer', async () => {
    await beat()
    const answer = claim('wait=50')
    await someoneWaits()
    await timers.advance({ seconds: 50 })
    await answer
    const page = await served().plane.metrics.exposition()
    const [, sum] = /svc_http_request_duration_seconds_sum\{[^}]*jobs\/claim"[^}]*\} (\S+)/.exec(page) ?? []
    // By the fake timers it has waited longer than the whole request took.
    expect(sum).toBe('0')
  })
})
