import { describe, expect, test } from '@jest/globals'
import { ibanExtent, passesLuhn } from '../../../src/kernel/redaction/checksums.ts'

describe('check digits', () => {
  test('a card number passes and fails as soon as one digit differs', () => {
    const number = '4539578763621486'
    expect(passesLuhn(number)).toBe(true)
    for (let place = 0; place < number.length; place++) {
      const other = String((Number(number[place]) + 1) % 10)
      expect(passesLuhn(number.slice(0, place) + other + number.slice(place + 1))).toBe(false)
    }
  })

  test.each([
    'DE89370400440532013000',
    'GB82 WEST 1234 5698 7654 32',
    'be68 5390 0754 7034',
    'NO93-8601-1117-947',
  ])('an IBAN is known with and without groups: %s', (iban) => expect(ibanExtent(iban)).toBe(iban.length))

  test('an IBAN ends where its country says, whatever follows in groups of four', () => {
    expect(ibanExtent('BE68 5390 0754 7034 with love')).toBe('BE68 5390 0754 7034'.length)
  })

  test.each([
    'DE89370400440532013001',
    'DE8937040044053201300',
    'DE893704004405320130000',
    'ZZ89370400440532013000',
    '',
  ])('a wrong digit, a wrong length and a country without IBANs are none: %j', (text) =>
    expect(ibanExtent(text)).toBe(0),
  )
})
