import { describe, expect, test } from '@jest/globals'
import { proseFaults } from '../scripts/prose/check.ts'

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
