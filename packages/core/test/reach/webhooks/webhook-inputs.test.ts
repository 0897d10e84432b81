import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { testPlane } from '@svc/testing'
import { secondsOf } from '../../../src/reach/webhooks/webhook-answer.ts'

async function adding(input: object) {
  await using test = testPlane()
  const { license } = await test.plane.licenses.issue({ tenantId: undefined, label: 'a' })
  const url = 'https://hooks.example/'
  const asked = test.plane.operations.runLicensed(license.id, 'webhooks.add', { url, ...input })
  const answer = await asked.then(
    () => undefined,
    (error: { data?: { details?: readonly string[] }; code?: string }) => error.data?.details ?? error.code,
  )
  return { answer, stored: await test.storage.webhooks.list(PLATFORM, { limit: 9 }) }
}

describe('what an endpoint may be', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://0/',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://100.100.100.200/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://localhost/',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://1.0.0.127.in-addr.arpa/',
    'https://abc.onion/',
    'https://single/',
    'https://localhost./',
  ])('%s is not allowed, and nothing is stored', async (url) => {
    const { answer, stored } = await adding({ url })
    expect(answer).toEqual(['url: address not allowed'])
    expect(stored).toEqual([])
  })

  it.each([
    ['user and password', 'https://user:pw@hooks.example/'],
    ['a port of another protocol', 'https://hooks.example:22/'],
    ['no TLS', 'http://hooks.example/'],
    ['a file', 'file:///etc/passwd'],
    ['another scheme', 'gopher://hooks.example/'],
    ['no address', 'hooks.example'],
    ['a fragment', 'https://hooks.example/#a'],
    ['a host that is none', 'https://ho oks.example/'],
    ['a name with a control character', 'https://hooks\u0001.example/'],
    ['too many characters', `https://hooks.example/${'a'.repeat(3000)}`],
    ['too many characters in its normal form', `https://hooks.example/${'é'.repeat(1000)}`],
    ['an empty text', ''],
  ])('an address with %s is refused', async (_, url) => {
    const { answer, stored } = await adding({ url })
    expect(answer).toEqual([expect.stringMatching(/^url: /)])
    expect(stored).toEqual([])
  })

  it.each([
    [
      { url: 'https://hooks.example:444/' },
      'url: expected port 80 or 443, or one above 1023 that no other protocol has (port)',
    ],
    [
      { url: 'https://user:pw@hooks.example/' },
      'url: expected an https address without user and password (credentials)',
    ],
    [{ events: [] }, 'events: expected 1 to 50 entries'],
    [{ events: ['job.*', 'nope'] }, 'events.1: unknown event type'],
    [{ events: ['jöb.*'] }, 'events.0: unknown event type'],
    [{ events: ['job.'] }, 'events.0: unknown event type'],
    [{ events: ['job.*', 'job.*'] }, 'events: expected each entry once'],
    [{ events: Array.from({ length: 51 }, () => '*') }, 'events: expected a list of at most 50 entries'],
    [{ events: 'job.*' }, 'events: expected a list of at most 50 entries'],
    [{ description: 'a\nb' }, 'description: expected no control characters'],
    [{ description: 'a\u202eb' }, 'description: expected no control characters'],
    [{ description: 'x'.repeat(201) }, 'description: expected a string of at most 200 characters'],
    [{ enabled: 'yes' }, 'enabled: expected true or false'],
  ])('%j is refused with a plain reason', async (input, reason) => {
    const { answer, stored } = await adding(input)
    expect(answer).toEqual([reason])
    expect(stored).toEqual([])
  })

  it('an address is stored in its normal form, and stands once for a license', async () => {
    await using test = testPlane()
    const { license } = await test.plane.licenses.issue({ tenantId: undefined, label: 'a' })
    const add = (url: string) => test.plane.operations.runLicensed(license.id, 'webhooks.add', { url })
    const { endpoint } = (await add('HTTPS://Hooks.Example:443/a/../b?c')) as {
      endpoint: { id: string; url: string }
    }
    expect(endpoint.url).toBe('https://hooks.example/b?c')
    await expect(add('https://hooks.example/b?c')).rejects.toMatchObject({
      code: 'conflict',
      data: { candidates: [endpoint.id] },
    })
  })

  it('a license has ten endpoints at most', async () => {
    await using test = testPlane()
    const { license } = await test.plane.licenses.issue({ tenantId: undefined, label: 'a' })
    const add = (at: number) =>
      test.plane.operations.runLicensed(license.id, 'webhooks.add', { url: `https://hooks.example/${at}` })
    for (let at = 0; at < 10; at += 1) await add(at)
    await expect(add(10)).rejects.toMatchObject({
      code: 'conflict',
      data: { detail: 'endpoint limit reached' },
    })
  })

  it('operators see the origin of an address alone', async () => {
    await using test = testPlane()
    const { license } = await test.plane.licenses.issue({ tenantId: undefined, label: 'a' })
    const input = { license: license.id, url: 'https://hooks.example/T0K3N?a' }
    const added = await test.plane.operations.run('webhooks.add', input, 'ann')
    const listed = await test.plane.operations.run('webhooks.list', {}, 'ann')
    expect(JSON.stringify([added, listed])).not.toContain('T0K3N')
    expect(listed.endpoints).toMatchObject([{ url: 'https://hooks.example', license_id: license.id }])
  })
})

describe('the header Retry-After', () => {
  const at = new Date('2026-11-26T12:00:00.000Z')
  it.each([
    ['120', 120],
    [' 5 ', 5],
    ['0', 0],
    ['999999999999', 999_999_999_999],
    ['Thu, 26 Nov 2026 12:01:30 GMT', 90],
    ['Thu, 26 Nov 2026 11:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['2026-11-26', undefined],
    [undefined, undefined],
  ])('%j counts as %j', (text, seconds) => {
    expect(secondsOf(text, at)).toBe(seconds)
  })
})
