import { describe, expect, test } from '@jest/globals'
import { redact } from '../../src/redaction/redactor.ts'
import { LABELLED_SAMPLES } from './labelled-samples.ts'
import { PROSE } from './prose.ts'
import { FORMED_SAMPLES, SAMPLES } from './samples.ts'

describe('the corpus', () => {
  test('has at least 150 secrets of 20 kinds and 150 texts without any', () => {
    expect(SAMPLES.length).toBeGreaterThanOrEqual(150)
    expect(new Set(SAMPLES.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(20)
    expect(new Set(PROSE).size).toBeGreaterThanOrEqual(150)
  })

  test.each(FORMED_SAMPLES.map(({ kind, text, secret }) => ({ kind, text, secret })))(
    'a $kind is replaced wherever it stands',
    ({ text, secret }) => {
      expect(redact(text)).not.toContain(secret)
      expect(redact(text)).toMatch(/\[redacted:[a-z-]+\]/)
    },
  )

  test.each(LABELLED_SAMPLES)('what a label calls secret is replaced: %j', (text, secret) => {
    const [before = '', after = ''] = text.split('~')
    const redacted = redact(text.replace('~', () => secret))
    expect(redacted).not.toContain(secret)
    expect(redacted.replace(/\[redacted:[a-z-]+\]/, '~')).toBe(`${before}~${after}`)
  })

  test.each(PROSE)('text without a secret comes back byte for byte: %j', (text) => {
    expect(redact(text)).toBe(text)
  })

  test('all texts without a secret in one message come back byte for byte', () => {
    expect(redact(PROSE.join('\n'))).toBe(PROSE.join('\n'))
  })

  test.each(SAMPLES.map(({ text }) => text))('redacting twice changes nothing more: %j', (text) => {
    expect(redact(redact(text))).toBe(redact(text))
  })

  test('a label whose value is the beginning of another label hides neither value', () => {
    const secret = ['RypXmVnfk', 'xtm2AfrTXng7x'].join('')
    expect(redact(`Password: license key: ${secret} `)).not.toContain(secret)
  })
})
