import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { judge } from '../src/measure/judge.ts'
import type { Outcome } from '../src/measure/run-scenario.ts'
import { tablesOf, writePage } from '../src/report/page.ts'
import {
  type Conditions,
  judgedAnew,
  keepResult,
  newestResults,
  type Result,
  resultOf,
} from '../src/report/results.ts'
import { tableOf } from '../src/report/table.ts'
import type { Gate } from '../src/scenario.ts'

const gates: readonly Gate[] = [
  { goal: 'quick', figure: 'perSecond', of: 'ours', over: 'theirs', pieces: 'bare', atLeast: 2.5 },
  { goal: 'calm', figure: 'p99', of: 'ours', atMost: 50_000 },
  { goal: 'absent', figure: 'perSecond', of: 'ours', over: 'missing', atLeast: 1 },
]
const outcome: Outcome = {
  scenario: { name: 'beat', question: 'How many beats', variants: [], baseline: 'theirs', gates },
  rounds: {
    theirs: [{ perSecond: 1234, p99: 100 }],
    ours: [{ perSecond: 4936, p99: 25_000 }],
    bare: [{ perSecond: 6170, p99: 20_000 }],
  },
  skipped: { missing: 'there is none here' },
  hotspots: { theirs: { 'native writev': 80, pg: 19, ajv: 1 }, ours: { pg: 50, 'native writev': 10 } },
  statementTimes: { theirs: { 'update hosts': 200 }, ours: { 'beat: insert into hosts': 30 } },
}
const machine = {
  cores: 2,
  model: 'm',
  memoryGib: 4,
  system: 's',
  node: 'v24',
  load: [1],
  fdatasyncMicros: 90,
  jsonMicros: 1500,
}
const pace = { rounds: 1, seconds: 2, warmSeconds: 1 }
const conditions = (at: string, commit = 'abc'): Conditions => {
  return { at, commit, machine, pace, postgres: '18.4', settings: {}, versions: {} }
}

describe('results', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-bench-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const keep = (at: string, commit?: string): Result => {
    const result = resultOf(outcome, conditions(at, commit))
    keepResult(result, folder)
    return result
  }

  test('are lines of the file of their day and commit, and the last run of a scenario counts', () => {
    keep('2026-01-02T00:00:00Z', 'later')
    keep('2026-01-01T00:00:00Z')
    const last = keep('2026-01-03T00:00:00Z', 'newest')
    keep('2026-01-03T00:00:00Z', 'newest')
    expect(newestResults(folder)).toEqual([last])
    expect(readFileSync(join(folder, '2026-01-03-newest.jsonl'), 'utf8').split('\n')).toHaveLength(3)
  })

  test('show no share of what the baseline leaves idle', () => {
    const page = join(folder, 'page.md')
    writeFileSync(page, '<!-- tables: npm run bench -- --report writes them -->\n<!-- end of tables -->\n')
    const statementTimes = { theirs: { 'select now': 0.01 }, ours: { 'beat: insert into hosts': 30 } }
    writePage([{ ...keep('2026-01-01T00:00:00Z'), statementTimes }], page)
    const text = readFileSync(page, 'utf8')
    expect(text).toContain('Time on the main thread')
    expect(text).not.toContain("PostgreSQL's time in statements")
  })

  test('become ratios on the page, between its marks, and never operations a second', () => {
    const page = join(folder, 'page.md')
    const [begin, end] = ['<!-- tables: npm run bench -- --report writes them -->', '<!-- end of tables -->']
    writeFileSync(page, `# Before\n\n${begin}\nold\n${end}\n\nAfter\n`)
    writePage([keep('2026-01-01T00:00:00Z')], page)
    const text = readFileSync(page, 'utf8')
    expect(text).toMatch(/^# Before\n[\s\S]*After\n$/)
    expect(text).not.toContain('old')
    expect(text).toContain(
      '| operations a second of ours | theirs | ≥ 2.50 | 4.00 (4.00..4.00) | 5.00 (5.00..5.00) | yes |',
    )
    expect(text).toContain('| p99 of ours | the limit | ≤ 1 | 0.50 (0.50..0.50) |  | yes |')
    expect(text).toContain('| operations a second of ours | missing | ≥ 1.00 |  |  | not run |')
    expect(text).not.toMatch(/1234|4936|6170/)
    expect(text).toContain('|  | theirs | ours |\n| --- | --- | --- |\n| all | 100 % | 60.0 % |')
    expect(text).toContain(
      '| native writev | 80.0 % | 10.0 % |\n| pg | 19.0 % | 50.0 % |\n| the rest | 1.00 % | 0.00 % |',
    )
    expect(text).toContain(
      "PostgreSQL's time in statements, an operation, by what they do; the baseline's whole is 100 %:\n\n|  | theirs | ours |",
    )
    expect(text).toContain('| beat: insert into hosts | 0.00 % | 15.0 % |')
    writePage([keep('2026-01-01T00:00:00Z')], page)
    expect(readFileSync(page, 'utf8')).toBe(text)
  })

  test('are held against the goals as they stand now, not as they stood then', () => {
    const result = keep('2026-01-01T00:00:00Z')
    const scenario = { ...outcome.scenario, gates: [{ ...(gates[0] as Gate), atLeast: 4.5 }] }
    const [verdict, ...others] = judgedAnew(result, [scenario]).verdicts
    expect(others).toEqual([])
    expect(verdict).toMatchObject({ isMet: false, value: { median: 4 }, pieces: { median: 5 } })
    expect(judgedAnew(result, [])).toEqual(result)
  })

  test('of another commit than the first are told with theirs', () => {
    const page = join(folder, 'page.md')
    writeFileSync(page, '<!-- tables: npm run bench -- --report writes them --><!-- end of tables -->')
    const first = keep('2026-01-01T00:00:00Z')
    writePage([first, { ...first, scenario: 'rest', commit: 'def' }], page)
    expect(readFileSync(page, 'utf8')).toContain(
      'Measured 2026-01-01 at commit `abc`, `rest` at `def`: 2 cores',
    )
  })

  test('say how fast the machine was in its fastest and its slowest hour', () => {
    const first = keep('2026-01-01T00:00:00Z')
    const slower = { ...first, scenario: 'slower', machine: { ...machine, jsonMicros: 3000 } }
    expect(tablesOf([first, slower])).toContain('read and written within 1500 to 3000 µs')
    const { jsonMicros: _, ...unknown } = machine
    expect(tablesOf([{ ...first, machine: unknown }])).not.toContain('read and written')
  })

  test('a page without marks is left alone', () => {
    const page = join(folder, 'page.md')
    writeFileSync(page, '# Page\n')
    expect(() => writePage([], page)).toThrow('has no marks')
    expect(readFileSync(page, 'utf8')).toBe('# Page\n')
  })
})

test('the table for people has a line for each variant, for what was skipped, and for each goal', () => {
  const table = tableOf(outcome, judge(outcome))
  expect(table).toMatch(/theirs \* +1\.00/)
  expect(table).toMatch(/ours +4\.00 \(4\.00\.\.4\.00\) +4936 +25\.0/)
  expect(table).toContain('skipped: missing: there is none here')
  expect(table).toContain('is 4.00 (4.00..4.00), its pieces alone 5.00 (5.00..5.00)')
  expect(table).toContain('NOT RUN  absent')
})
