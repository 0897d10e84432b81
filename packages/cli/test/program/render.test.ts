import { describe, expect, test } from '@jest/globals'
import { duration as spelledByTheDomain } from '../../../core/src/kernel/duration.ts'
import { duration } from '../../src/terminal/duration.ts'
import { prettyLine } from '../../src/terminal/pretty-line.ts'
import { ago, facts, type Page, table } from '../../src/terminal/render.ts'
import { plain, safeJson, tame, tameLine } from '../../src/terminal/terminal.ts'

const NOW = 1_800_000_000
const page: Page = { colour: false, now: new Date(NOW * 1000) }

describe('Tables', () => {
  const columns = [
    { title: 'NAME', text: (row: { name: string }) => row.name },
    { title: 'STATE', text: () => 'failed', colour: () => 'red' as const },
  ]

  test('Columns stand under their titles, as wide as their widest cell, without blanks at line ends', () => {
    expect(table(columns, [{ name: 'a' }, { name: 'a longer one' }], page)).toBe(
      'NAME          STATE\na             failed\na longer one  failed\n',
    )
  })

  test('An empty cell is a dash, so that every line has as many words as columns', () => {
    expect(table(columns, [{ name: '' }], page)).toBe('NAME  STATE\n-     failed\n')
  })

  test('Colours change no width and stand only where they are wanted', () => {
    const coloured = table(columns, [{ name: 'a' }], { ...page, colour: true })
    expect(coloured).toContain('\u001b[31mfailed\u001b[39m')
    expect(plain(coloured.split('\n')[1] ?? '')).toBe('a     failed')
  })

  test('A cell cannot command the terminal, break the line or turn the writing direction', () => {
    const name = 'web\u001b]0;own\u0007\n\u009b2J\u202egnp'
    expect(table(columns, [{ name }], page).split('\n')[1]).toBe('web·]0;own···2J·gnp  failed')
  })

  describe('On a terminal that is too narrow', () => {
    const row = { id: 'lic_01m7xbdkp9q29wz1xgaxn4t3je', label: 'the web servers of acme', made: '3 d ago' }
    const narrow = [
      { title: 'ID', text: () => row.id },
      { title: 'LABEL', text: () => row.label, narrow: 'shrinks' as const },
      { title: 'MADE', text: () => row.made, narrow: 'leaves' as const },
    ]
    const lines = (columns: number | undefined) =>
      table(narrow, [row], { ...page, ...(columns === undefined ? {} : { columns }) })
        .trimEnd()
        .split('\n')
    const whole = `${row.id}  ${row.label}  ${row.made}`

    test('columns leave first, then texts are cut, and what must stay does', () => {
      expect(lines(undefined)[1]).toBe(whole)
      expect(lines(whole.length)[1]).toBe(whole)
      expect(lines(whole.length - 1)).toEqual([
        'ID                              LABEL',
        `${row.id}  ${row.label}`,
      ])
      expect(lines(50)[1]).toBe(`${row.id}  the web servers o…`)
      expect(lines(20)[1]).toBe(`${row.id}  the web ser…`)
    })

    test.each([44, 50, 55, 60, 65, 80, 120])('at %i columns no line is wider', (columns) => {
      for (const line of lines(columns)) expect(line.length).toBeLessThanOrEqual(columns)
    })

    test('a letter of two code units is one', () => {
      const column = { title: 'NAME', text: () => '🚀'.repeat(20), narrow: 'shrinks' as const }
      expect(table([column], [row], { ...page, columns: 15 }).split('\n')[1]).toBe(`${'🚀'.repeat(14)}…`)
    })
  })

  test('Facts without a value have no line', () => {
    const entries = [
      ['id', 'job_1'],
      ['error', undefined],
      ['state', 'ok'],
    ] as const
    expect(facts(entries, page)).toBe('id     job_1\nstate  ok\n')
  })
})

test.each([
  [0, '0s'],
  [59.9, '59s'],
  [60, '1m'],
  [61, '1m 1s'],
  [3600, '1h'],
  [3661, '1h 1m'],
  [90_000, '1d 1h'],
  [-5, '0s'],
])('%p seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
  expect(spelledByTheDomain(seconds)).toBe(text)
})

test.each([
  [0, 'never'],
  [undefined, 'never'],
  [NOW, 'just now'],
  [NOW + 30, 'just now'],
  [NOW - 42, '42s ago'],
  [NOW - 3725, '1h ago'],
])('The unix second %p was %s', (at, text) => {
  expect(ago(at, page)).toBe(text)
})

test('A log line keeps its colours and its tabs, ends them, and loses every other command', () => {
  expect(tameLine('a\tb')).toBe('a\tb')
  expect(tameLine('\u001b[1;32mok\u001b[2K\u001b[A')).toBe('\u001b[1;32mok[2K[A\u001b[0m')
  expect(tameLine('\u001b[31mred\u001b[0m')).toBe('\u001b[31mred\u001b[0m')
  expect(tameLine('50%\r100%')).toBe('50%100%')
})

test('At the exit line ends, tabs and colours pass, and every other control character is a dot', () => {
  expect(tame('a\tb\nc\u001b[31mred\u001b[39m')).toBe('a\tb\nc\u001b[31mred\u001b[39m')
  expect(tame('\u001b[2J\r\u0007\u009b\u007f\u202e')).toBe('·[2J·····')
  expect(tame('\u001b[8mhidden\u001b[3\u001b[0m1m')).toBe('hidden·[3\u001b[0m1m')
})

test('JSON is escaped where it would command a terminal, and stays the same to a parser', () => {
  const text = 'a\u001b\u007f\u0080\u009f\u061c\u200e\u202e\u2069ü\u00a0'
  const json = safeJson(JSON.stringify(text))
  expect(json).toBe('"a\\u001b\\u007f\\u0080\\u009f\\u061c\\u200e\\u202e\\u2069ü\u00a0"')
  expect(JSON.parse(json)).toBe(text)
})

test('A JSON log line becomes one readable line', () => {
  const line = JSON.stringify({
    level: 'warn',
    time: '2026-01-05T09:08:07.123Z',
    msg: 'late',
    job: 'job_1',
    ms: 5,
  })
  expect(prettyLine(line, false)).toBe('09:08:07 WARN  late job=job_1 ms=5\n')
})

test('An error in a log line is told by its name and message', () => {
  const err = { name: 'TypeError', message: 'no\nway', stack: 'long' }
  const line = JSON.stringify({ level: 'error', time: '2026-01-05T09:08:07.123Z', msg: 'fault', err })
  expect(prettyLine(line, false)).toBe('09:08:07 ERROR fault err=TypeError: no·way\n')
})

test('Values within values of a log line are JSON on which no terminal acts', () => {
  const hosts = [{ name: 'h\u009b2J\u202e' }]
  const line = JSON.stringify({ level: 'warn', time: '2026-01-05T09:08:07.123Z', msg: 'alerts', hosts })
  expect(prettyLine(line, false)).toBe('09:08:07 WARN  alerts hosts=[{"name":"h\\u009b2J\\u202e"}]\n')
})
