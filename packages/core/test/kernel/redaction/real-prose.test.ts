import { describe, expect, test } from '@jest/globals'
import { redact } from '../../../src/kernel/redaction/redactor.ts'
import { type Paragraph, realProse } from './real-prose.ts'
import { SHOWN_SECRETS, type ShownSecret } from './shown-secrets.ts'

const PARAGRAPHS = realProse()
const MASK = '***'

const shows = ({ file, text }: Paragraph, secret: ShownSecret) =>
  file.startsWith(secret.file) && text.search(secret.value) >= 0

/** Returns the paragraph with a mask for each of these secrets; redaction must leave the rest unchanged. */
function masked(paragraph: Paragraph, secrets = SHOWN_SECRETS): string {
  const shown = secrets.filter((secret) => shows(paragraph, secret))
  return shown.reduce((text, { value }) => text.replace(value, MASK), paragraph.text)
}

/** Whether a paragraph consists of sentences rather than code, tables or headings. */
const isSentences = ({ text }: Paragraph) =>
  /^[A-Z*>-]/.test(text) && !text.includes('```') && text.split(/\s+/).length >= 8

describe('what people really wrote, in this project and in all that it depends on', () => {
  test('is 5,000 paragraphs of 100 files at least, 1,500 of them in sentences', () => {
    expect(PARAGRAPHS.length).toBeGreaterThanOrEqual(5_000)
    expect(new Set(PARAGRAPHS.map(({ file }) => file)).size).toBeGreaterThanOrEqual(100)
    expect(PARAGRAPHS.filter(isSentences).length).toBeGreaterThanOrEqual(1_500)
  })

  test('is for the most part of packages at pinned versions, so that it does not change with our own pages', () => {
    const pinned = PARAGRAPHS.filter(({ file }) => file.startsWith('node_modules/'))
    expect(pinned.length).toBeGreaterThanOrEqual(5_000)
    expect(pinned.filter(isSentences).length).toBeGreaterThanOrEqual(1_500)
  })

  test('comes back byte for byte', () => {
    const changed = PARAGRAPHS.map((paragraph) => ({ file: paragraph.file, text: masked(paragraph) }))
      .map(({ file, text }) => ({ file, text, redacted: redact(text) }))
      .filter(({ text, redacted }) => redacted !== text)
    expect(changed).toEqual([])
  })

  test('comes back byte for byte in messages of many paragraphs', () => {
    for (let start = 0; start < PARAGRAPHS.length; start += 20) {
      const message = PARAGRAPHS.slice(start, start + 20)
        .map((paragraph) => masked(paragraph))
        .join('\n\n')
      expect(redact(message)).toBe(message)
    }
  })

  test.each(SHOWN_SECRETS)('shows a secret that is replaced: $why ($value)', (secret) => {
    const showing = PARAGRAPHS.filter((paragraph) => shows(paragraph, secret))
    expect(showing).not.toEqual([])
    const others = SHOWN_SECRETS.filter((other) => other !== secret)
    for (const text of showing.map((paragraph) => masked(paragraph, others))) {
      expect(redact(text)).not.toBe(text)
    }
  })
})
