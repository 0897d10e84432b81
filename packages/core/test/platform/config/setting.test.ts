import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { nearest } from '../../../src/platform/config/nearest.ts'
import { isResolverAddress, isSite, originOf, wholeNumber } from '../../../src/platform/config/setting.ts'

describe('a whole number', () => {
  test('is taken within its bounds, both included, and nowhere else', () => {
    const setting = wholeNumber('N', 'A number.', { min: 3, max: 8 })
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 20 }), (value) => {
        expect(setting.parse(String(value))).toBe(value >= 3 && value <= 8 ? value : undefined)
      }),
    )
    for (const text of ['3.0', '+4', '0x4', '4 ', '٤', 'NaN', 'Infinity'])
      expect(setting.parse(text)).toBeUndefined()
  })
})

describe('a site', () => {
  test.each([
    ['https://example.com', 'https://example.com'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://[::1]:8443', 'https://[::1]:8443'],
    ['https://example.com/', 'https://example.com'],
    ['https://example.com:443', 'https://example.com'],
    ['HTTPS://EXAMPLE.com/', 'https://example.com'],
    ['https://müller.example', 'https://xn--mller-kva.example'],
  ])('is taken as the origin that browsers send: %s', (text, origin) => {
    expect(isSite(text)).toBe(true)
    expect(originOf(text)).toBe(origin)
  })

  test.each([
    'example.com',
    'https://example.com/shop',
    'https://example.com//',
    'https://example.com/?',
    'https://example.com?a',
    'https://example.com#a',
    'https://user@example.com',
    'https://user:pass@example.com/',
    'https:\\\\example.com',
    'https:example.com',
    'https://',
    'null',
    '*',
    'https://*.example.com/*',
    'ftp://x',
  ])('is one site and nothing below it: %s', (text) => expect(isSite(text)).toBe(false))
})

describe('a resolver', () => {
  test.each(['9.9.9.9', '9.9.9.9:53', '2620:fe::fe', '[2620:fe::fe]:5353', '127.0.0.1:65535'])(
    'is taken: %s',
    (text) => {
      expect(isResolverAddress(text)).toBe(true)
    },
  )

  test.each([
    'dns.example',
    '9.9.9',
    '9.9.9.9:0',
    '9.9.9.9:65536',
    '9.9.9.9:',
    '[9.9.9.9]:53',
    '[2620:fe::fe]',
    '',
  ])('is an address, not a name or half of one: %s', (text) => expect(isResolverAddress(text)).toBe(false))
})

describe('a mistyped name', () => {
  test('is matched with the nearest known one, three typos at most', () => {
    const words = ['SERVICE_HOST', 'SERVICE_LOG_LEVEL', 'SERVICE_DATA_DIR']
    expect(nearest('SERVICE_HSOT', words)).toBe('SERVICE_HOST')
    expect(nearest('SERVICE_DATADIR', words)).toBe('SERVICE_DATA_DIR')
    expect(nearest('SERVICE_HO', words)).toBe('SERVICE_HOST')
    expect(nearest('SERVICE_', words)).toBeUndefined()
    expect(nearest('SERVICE_ROSE', words)).toBe('SERVICE_HOST')
    expect(nearest('SERVICE_BIRD', words)).toBeUndefined()
  })
})
