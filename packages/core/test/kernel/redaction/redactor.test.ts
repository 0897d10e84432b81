import { describe, expect, test } from '@jest/globals'
import { MARKS, SPELLINGS } from '../../../../../test/support/made-up-secrets.ts'
import { redact } from '../../../src/kernel/redaction/redactor.ts'
import { LABELLED_SAMPLES } from './labelled-samples.ts'
import { PROSE } from './prose.ts'
import { FORMED_SAMPLES, SAMPLES } from './samples.ts'

/**
 * Positives: secrets of every known form, made from seeds, in six surroundings each, and values that are
 * secret by their label. Negatives: `PROSE` in prose.ts, which is frozen. real-prose.test.ts shows that real
 * text comes back unchanged: the pages of this project, and more than 1,500 sentences of its dependencies, at
 * the versions that package-lock.json pins.
 */
describe('the corpus', () => {
  test('has at least 150 secrets of 20 kinds and 150 texts without any', () => {
    expect(SAMPLES.length).toBeGreaterThanOrEqual(150)
    expect(new Set(SAMPLES.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(20)
    expect(new Set(PROSE).size).toBeGreaterThanOrEqual(150)
  })

  test('says for every form of a secret how it is marked', () => {
    expect(Object.keys(MARKS)).toEqual(Object.keys(SPELLINGS))
  })

  test.each(FORMED_SAMPLES)(
    'A $kind is replaced by its mark, and nothing around it, wherever it stands',
    (sample) => {
      const { kind, text, secret } = sample
      const [before, after, ...more] = text.split(secret)
      expect(more).toEqual([])
      expect(redact(text)).toBe(`${before}[redacted:${MARKS[kind]}]${after}`)
    },
  )

  test.each(LABELLED_SAMPLES)(
    'What a label calls secret is replaced, and nothing around it: %j',
    (...sample) => {
      const [text, secret, mark = 'secret'] = sample
      const [before, after, ...more] = text.split('~')
      expect(more).toEqual([])
      expect(redact(`${before}${secret}${after}`)).toBe(`${before}[redacted:${mark}]${after}`)
    },
  )

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
