import { describe, expect, test } from '@jest/globals'
import { OutboundRefused } from '../../../src/platform/net/outbound-refusal.ts'
import { readTarget } from '../../../src/platform/net/target.ts'

function refusal(url: string, plainHttp = false): string {
  try {
    return `accepted as ${readTarget(url, { plainHttp }).host}`
  } catch (error) {
    if (error instanceof OutboundRefused) return error.refusal
    throw error
  }
}

describe('the URL of a call', () => {
  test.each([
    ['https://example.com', 'example.com', 443],
    ['https://EXAMPLE.com.:8443/x', 'example.com', 8443],
    ['https://bücher.example/', 'xn--bcher-kva.example', 443],
    ['https://_dmarc.example.com:80/', '_dmarc.example.com', 80],
    [' https://exa\nmple.com', 'example.com', 443],
    ['https:\\\\example.com\\a', 'example.com', 443],
  ])('is read as browsers do: %j', (text, host, port) => {
    expect(readTarget(text, { plainHttp: false })).toMatchObject({
      host,
      port,
      isLiteral: false,
      isSecure: true,
    })
  })

  test.each([
    'https://0x7f.1/',
    'https://2130706433/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://①②⑦.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://127.0.0.1./',
    'https://017700000001/',
    'https:127.0.0.1',
  ])('in an odd spelling of an IPv4 address is that address: %s', (text) => {
    expect(readTarget(text, { plainHttp: false })).toMatchObject({ host: '127.0.0.1', isLiteral: true })
  })

  test.each([
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://[0:0:0:0:0:FFFF:7F00:0001]/', '::ffff:7f00:1'],
    ['https://[::127.0.0.1]/', '::7f00:1'],
  ])('has an IPv6 address without its brackets: %s', (text, host) => {
    expect(readTarget(text, { plainHttp: false })).toMatchObject({ host, isLiteral: true })
  })

  test.each([
    ['', 'bad-url'],
    ['example.com', 'bad-url'],
    ['/path', 'bad-url'],
    ['https://', 'bad-url'],
    ['https://[fe80::1%25eth0]/', 'bad-url'],
    ['https://256.256.256.256/', 'bad-url'],
    ['https://example.0x7f.1/', 'bad-url'],
    ['https://a..b/', 'bad-url'],
    ['https://example.com../', 'bad-url'],
    ['https://./', 'bad-url'],
    ['https://ho*st/', 'bad-url'],
    ['https://-a.example/', 'bad-url'],
    [`https://${'a'.repeat(64)}.com/`, 'bad-url'],
    [`https://${'a.'.repeat(127)}com/`, 'bad-url'],
    [`https://a.com/${'x'.repeat(8_192)}`, 'bad-url'],
    ['https://a.com:65536/', 'bad-url'],
    ['http://example.com/', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://127.0.0.1:6379/_x', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['data:,x', 'scheme'],
    ['ws://example.com/', 'scheme'],
    ['unix:/run/docker.sock', 'scheme'],
    ['https://user@example.com/', 'credentials'],
    ['https://:secret@example.com/', 'credentials'],
    ['https://example.com@127.0.0.1/', 'credentials'],
    ['https://example.com:0/', 'port'],
    ['https://example.com:22/', 'port'],
    ['https://example.com:25/', 'port'],
    ['https://example.com:1023/', 'port'],
    ['https://example.com:6667/', 'port'],
    ['https://example.com:10080/', 'port'],
  ])('%s is refused as %s', (text, expected) => {
    expect(refusal(text)).toBe(expected)
  })

  test('may be plain http only where that was asked for, and nothing else then', () => {
    expect(refusal('http://example.com/', true)).toBe('accepted as example.com')
    expect(refusal('https://example.com/', true)).toBe('accepted as example.com')
    expect(refusal('ftp://example.com/', true)).toBe('scheme')
  })
})
