import { describe, expect, test } from '@jest/globals'
import { proseFaults } from '../scripts/prose/check.ts'
import { badPages, badRates, countClauses, ratesOf } from '../scripts/prose/clauses.ts'

const rulesOf = (path: string, text: string) =>
  proseFaults(path, text).map(({ line, rule }) => `${line} ${rule}`)

describe('A sentence that hides its subject', () => {
  test.each([
    'What nobody took is deleted.',
    'Jobs wait. Who asks first gets one.',
    'Those without a lease are deleted.',
    'Of two heartbeats the newer counts.',
    'Where a host is gone, its jobs wait.',
    'It waits: What comes later is refused.',
  ])('is found in a comment: %s', (words) => {
    expect(rulesOf('a.ts', `const a = 1\n\n// ${words}\nconst b = 2 // ${words}\n`)).toEqual([
      '3 inverted',
      '4 inverted',
    ])
    expect(rulesOf('a.ts', `/**\n * ${words}\n * @returns ${words}\n */\n`)).toEqual([
      '2 inverted',
      '3 inverted',
    ])
    expect(rulesOf('a.md', `# What it does\n\n${words}\n\n- ${words}\n`)).toEqual([
      '3 inverted',
      '5 inverted',
    ])
  })

  test.each([
    'Jobs that nobody took are deleted.',
    'Whether a host may claim.',
    'What does it cost?',
    'A host claims what it can run.',
    'Whatsoever.',
  ])('is not found in: %s', (words) => {
    expect(rulesOf('a.ts', `// ${words}\n`)).toEqual([])
  })

  test('is found across the lines of a comment, and not in code, strings or tables', () => {
    expect(rulesOf('a.ts', '// Jobs wait until a host asks.\n// What is left\n// over, waits.\n')).toEqual([
      '1 inverted',
    ])
    expect(rulesOf('a.ts', "const a = '// What is left over, waits.'\n")).toEqual([])
    expect(rulesOf('a.md', '```\nWhat is left over, waits.\n```\n| What it is |\n')).toEqual([])
  })
})

test('A comment gives one figure', () => {
  expect(rulesOf('a.ts', '// Saves 12 µs a request, which is 8 % of it.\n')).toEqual(['1 figures'])
  expect(rulesOf('a.ts', '// Saves 12 µs a request, over 1,000 requests.\n')).toEqual([])
})

test('A comment is as wide as code', () => {
  const words = `// ${'word '.repeat(22).trim()}`
  expect(words).toHaveLength(112)
  expect(rulesOf('a.ts', `${words}\n`)).toEqual(['1 wide'])
  expect(rulesOf('a.ts', `${words.slice(0, 110)}\n`)).toEqual([])
})

const clausesIn = (path: string, text: string) =>
  countClauses(path, text).hits.map(({ line, clause }) => `${line} ${clause}`)

describe('A clause that stands for a noun', () => {
  test.each([
    ['It shows what became of it.', 'what'],
    ['A host keeps whatever it has.', 'what'],
    ['It goes to whoever asks first.', 'what'],
    ['The row says who has it.', 'what'],
    ['The host by which it was sent.', 'of which'],
    ['The person to whom it goes.', 'of which'],
    ['Its state is that of its job.', 'that of'],
    ['Their states are those of jobs.', 'that of'],
  ])('is counted: %s', (words, clause) => {
    expect(clausesIn('a.ts', `// ${words}\n`)).toEqual([`1 ${clause}`])
    expect(clausesIn('a.md', `# A page\n\n${words}\n`)).toEqual([`3 ${clause}`])
  })

  test.each([
    'What does it cost?',
    'A user who has a role may.',
    'Those who ask wait.',
    'A host, which waits.',
    'The status `what of` and the words "of which".',
    'The page [of the rest](what-becomes.md).',
    'Somewhat later, whoso.',
  ])('is not counted in: %s', (words) => {
    expect(clausesIn('a.md', `${words}\n`)).toEqual([])
  })

  test('is counted in titles of decisions alone, and in texts for users', () => {
    const record = '# 100. What it is\n\nIt says what it is.\n'
    expect(clausesIn('docs/decisions/0100-a.md', record)).toEqual(['1 what'])
    expect(clausesIn('docs/decisions/README.md', record)).toEqual(['3 what'])
    const texts = [
      "const a = { summary: 'say what became of it' }",
      "command.option('--of <what>', 'of what it is')",
      "command.option(\n  '--to <x>',\n  'to what it goes',\n)",
      'program.command("x").description("what others don\'t")',
      "const b = 'what is left'",
    ].join('\n')
    expect(clausesIn('packages/cli/src/a.ts', texts).sort()).toEqual(['1 what', '2 what', '3 what', '7 what'])
    expect(clausesIn('packages/cli/test/a.ts', texts)).toEqual([])
  })

  test('is counted by 1,000 words, over files', () => {
    const counted = [
      countClauses('a.ts', `// ${'word '.repeat(1_495)} shows what that of it is\n`),
      countClauses('b.ts', `// ${'word '.repeat(500).trim()}\n`),
    ]
    expect(ratesOf(counted)).toBe('"what" 0.50, "of which" 0.00, "that of" 0.50 in 1,000 words of 2001')
    expect(ratesOf([])).toBe('"what" 0.00, "of which" 0.00, "that of" 0.00 in 1,000 words of 0')
  })

  const plain = 'word '.repeat(996)

  test.each([
    ['it shows what it is', 1, '"what": 1.00'],
    ['the host by which it was sent is well', 2, '"of which": 0.50'],
    ['its state is that of its last job', 3, '"that of": 0.33'],
  ])('may not stand too often in the whole project: %s', (words, thousands, expected) => {
    const text = (times: number) => `// ${words} ${plain}${'word '.repeat(1_000 * (times - 1)).trim()}\n`
    expect(badRates([countClauses('a.ts', text(thousands))])).toEqual([expect.stringContaining(expected)])
    expect(badRates([countClauses('a.ts', text(2 * thousands))])).toEqual([])
  })

  test('may stand twice in a short page, and twice in 1,000 words of a long one', () => {
    const page = (times: number, words: number) =>
      countClauses('docs/a.md', `${'what '.repeat(times)}${'word '.repeat(words - times)}`)
    expect(badPages([page(2, 10), page(4, 2_100)])).toEqual([])
    expect(badPages([page(3, 10), page(5, 2_100)])).toEqual([
      expect.stringContaining('docs/a.md: 3 clauses stand for a noun'),
      expect.stringContaining('docs/a.md: 5 clauses stand for a noun'),
    ])
    expect(badPages([countClauses('a.ts', '// what what what\n')])).toEqual([])
  })
})
