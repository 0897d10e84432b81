import { describe, expect, it } from '@jest/globals'
import { redact } from '@svc/core/adapters'
import { lineRedactor } from '../../../src/kernel/redaction/redact-lines.ts'

const redactLines = (lines: readonly string[]) => lines.map(lineRedactor())

const begin = ['-----BEGIN', 'RSA PRIVATE KEY-----'].join(' ')
const end = ['-----END', 'RSA PRIVATE KEY-----'].join(' ')
const body = (letter: string) => letter.repeat(64)

describe('lines that follow each other', () => {
  it('lose a private key that is printed over several of them, and nothing around it', () => {
    const lines = ['before', begin, body('M'), body('b'), `${'c'.repeat(20)}==`, end, 'after', body('d')]
    const kept = redactLines(lines)
    expect(kept.join('\n')).not.toMatch(/MMMM|bbbb|cccc/)
    expect([kept[0], kept[6], kept[7]]).toEqual(['before', 'after', body('d')])
    expect(kept).toHaveLength(lines.length)
  })

  it('lose it behind a time stamp and with the headers of an encrypted key', () => {
    const lines = [begin, 'Proc-Type: 4,ENCRYPTED', '', body('M'), end].map(
      (line) => `2026-01-05T09:00:00Z ${line}`,
    )
    expect(redactLines(lines).join('\n')).not.toContain('MMMM')
  })

  it('go on as usual when a key breaks off', () => {
    const kept = redactLines([begin, body('M'), 'Error: the file was cut, see the log', 'next step'])
    expect(kept[1]).not.toContain('MMMM')
    expect(kept[3]).toBe('next step')
  })

  it('are otherwise redacted one by one', () => {
    const lines = ['all is well', 'password=hunter2hunter2', '']
    expect(redactLines(lines)).toEqual(lines.map(redact))
  })
})
