import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { FakeClock } from '@svc/testing'
import {
  EVENT_SECRET,
  eventText,
  invoice,
  signedBy,
  signedByRecipe,
} from '../../../../../test/support/payment-provider.ts'
import { isGenuine, signedHeader } from '../../../src/reach/billing/payment-signature.ts'

const now = new FakeClock().now()
const SECOND = Math.floor(+now / 1000)
const OTHER = EVENT_SECRET.replaceAll('a', 'b')
const text = eventText('invoice.paid', invoice('sub_1'))
const body: Buffer = Buffer.from(text)
const good = signedBy(text, now)

const isGood = (signature: string | undefined, bytes = body, secrets = [EVENT_SECRET]) =>
  isGenuine({ body: bytes, signature }, { secrets, toleranceSeconds: 300, now })

describe('the signature of a payment event', () => {
  it('is good as the provider’s package makes it, as the public recipe makes it, and as we make it', async () => {
    expect(await isGood(good)).toBe(true)
    expect(await isGood(signedByRecipe(body, SECOND))).toBe(true)
    expect(await isGood(await signedHeader(text, EVENT_SECRET, now))).toBe(true)
  })

  it('is good under any one of the secrets, and under any one of several signatures', async () => {
    expect(await isGood(good, body, [OTHER, EVENT_SECRET])).toBe(true)
    expect(await isGood(good, body, [EVENT_SECRET, OTHER])).toBe(true)
    const [, former] = signedByRecipe(body, SECOND, OTHER).split(',')
    expect(await isGood(good.replace(',v1', `,${former},v1`))).toBe(true)
  })

  it('is good for five minutes, and no more, into the past and into the future', async () => {
    for (const [seconds, expected] of [
      [-300, true],
      [-301, false],
      [-600, false],
      [300, true],
      [301, false],
      [600, false],
      [86_400, false],
    ] as const)
      expect([seconds, await isGood(signedByRecipe(body, SECOND + seconds))]).toEqual([seconds, expected])
  })

  const v1 = good.split('v1=')[1]
  it.each<[string, string | undefined, Buffer?]>([
    ['no header', undefined],
    ['an empty header', ''],
    ['a header that came twice', `${good}, ${good}`],
    ['a header of 100 KiB', `${good},v1=${'0'.repeat(102_400)}`],
    ['no time', `v1=${v1}`],
    ['a time that is no number', `t=NaN,v1=${v1}`],
    ['a time with a tail', `t=${SECOND}x,v1=${v1}`],
    ['two times', `t=${SECOND - 9999},t=${SECOND},v1=${v1}`],
    ['another scheme', good.replace('v1=', 'v0=')],
    ['the secret of another endpoint', signedByRecipe(body, SECOND, OTHER)],
    ['an empty secret', signedByRecipe(body, SECOND, '')],
    ['a body with one more blank', good, Buffer.from(`${text} `)],
    ['a body with one other byte', good, Buffer.from(text.replace('evt_', 'evt-'))],
    [
      'a body that was parsed and written again',
      good,
      Buffer.from(JSON.stringify(JSON.parse(text), null, 2)),
    ],
    ['a body behind a byte order mark', good, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])],
    ['a packed body', good, gzipSync(body)],
    ['no body', signedByRecipe('', SECOND), Buffer.alloc(0)],
    ['bytes that are no text', signedByRecipe(Buffer.from([0xff]), SECOND), Buffer.from([0xff])],
  ])('is bad: %s', async (_, header, bytes = body) => {
    expect(await isGood(header, bytes)).toBe(false)
  })

  it('bytes that decode to the signed text are not the signed bytes', async () => {
    const signed = Buffer.from('{"a":"\ufffd"}')
    const forged = Buffer.from([...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}')])
    expect(await isGood(signedByRecipe(signed, SECOND), signed)).toBe(true)
    expect(await isGood(signedByRecipe(signed, SECOND), forged)).toBe(false)
  })

  it('nothing is good without a secret', async () => {
    expect(await isGood(good, body, [])).toBe(false)
    expect(await isGood(signedByRecipe(body, SECOND, ''), body, [''])).toBe(false)
  })
})
