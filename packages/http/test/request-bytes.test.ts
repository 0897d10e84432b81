import { describe, expect, it } from '@jest/globals'
import { RequestBytes } from '../src/request-bytes.ts'

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
    share[Symbol.dispose]()
    share[Symbol.dispose]()
    expect(bytes.held).toBe(0)
  })
})
