import { describe, expect, it } from '@jest/globals'
import { byListen } from '../../../../test/support/mounted.ts'
import { RequestBytes } from '../../src/exchange/body/request-bytes.ts'
import { serving } from '../support/serving.ts'

describe('the bytes in flight', () => {
  it('are refused beyond the limit over all requests, with a time to come back', () => {
    const bytes = new RequestBytes(10)
    const [one, two] = [bytes.share(), bytes.share()]
    one.take(6)
    two.take(4)
    expect(() => two.take(1)).toThrow(
      expect.objectContaining({ code: 'unavailable', data: { retryAfterSeconds: 1 } }),
    )
    expect(bytes.held).toBe(10)
  })

  it('are given back once, however often a share is disposed', () => {
    const bytes = new RequestBytes(10)
    const share = bytes.share()
    share.take(10)
    share.release()
    share.release()
    expect(bytes.held).toBe(0)
  })
})

describe('a request that would hold too many bytes', () => {
  const served = serving({}, byListen({ maxBytesInFlight: 200 }))
  const claim = (fingerprint: string) => served().post('/v1/jobs/claim', { fingerprint })

  it('is 503 with Retry-After, and the next one finds room again', async () => {
    expect(await claim('f'.repeat(300))).toMatchObject({
      status: 503,
      body: { error: 'service unavailable' },
      headers: { 'retry-after': '1' },
    })
    for (let count = 0; count < 5; count += 1)
      expect(await claim('f'.repeat(150))).toMatchObject({ status: 204 })
  })

  it.each([
    ['JSON', 'application/json', JSON.stringify({ email: 'e'.repeat(300) })],
    ['a form', 'application/x-www-form-urlencoded', `email=${'e'.repeat(300)}`],
  ])('is 503 as a sign-in by %s too, and what it held is given back', async (_, type, body) => {
    const signIn = (sent: string) =>
      served().send({ method: 'POST', path: '/login', headers: { 'content-type': type }, body: sent })
    expect(await signIn(body)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    for (let count = 0; count < 4; count += 1) {
      expect(await signIn(body.slice(0, 150))).toMatchObject({ status: 400 })
    }
  })
})
