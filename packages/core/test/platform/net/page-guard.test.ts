import { describe, expect, test } from '@jest/globals'
import { PageGuard } from '../../../src/platform/net/page-guard.ts'

const PUBLIC = '192.88.98.1'
const answers: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  'www.example.com': async () => [PUBLIC],
  'inside.example.com': async () => ['10.0.0.5'],
  'both.example.com': async () => [PUBLIC, '127.0.0.1'],
  'empty.example.com': async () => [],
  'broken.example.com': async () => {
    throw new Error('SERVFAIL')
  },
  'silent.example.com': () => new Promise(() => {}),
}
const resolver = { resolve: (host: string) => answers[host]?.() ?? Promise.reject(new Error('ENOTFOUND')) }
const guard = new PageGuard({ resolver, ports: [3000], own: () => [] })
const judge = (url: string, signal = new AbortController().signal) => guard.judge(url, signal)

describe('the guard of pages', () => {
  test.each([
    ['http://www.example.com/', undefined],
    ['https://www.example.com:8443/', undefined],
    ['http://www.example.com:3000/', undefined],
    ['http://inside.example.com/', 'private_address'],
    ['http://both.example.com/', 'private_address'],
    ['http://empty.example.com/', 'dns'],
    ['http://broken.example.com/', 'dns'],
    ['http://none.example.com/', 'dns'],
    ['http://www.example.com:3001/', 'port'],
    ['http://a:b@www.example.com/', 'userinfo'],
    ['ftp://www.example.com/', 'scheme'],
  ])('judges %s: %s', async (url, reason) => {
    expect(await judge(url)).toBe(reason)
  })

  test('refuses what could not be judged: a caller that left while the name was asked for', async () => {
    const leaving = new AbortController()
    const judged = judge('http://silent.example.com/', leaving.signal)
    leaving.abort()
    expect(await judged).toBe('dns')
  })

  test('reads an address without a question to the DNS', () => {
    expect(guard.read('http://none.example.com/')).toBeUndefined()
    expect(guard.read('file:///etc/passwd')).toBe('scheme')
  })
})
