import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ASVS } from './docs/asvs-requirements.ts'
import { root } from './docs/page.ts'

const PAGE = 'docs/reference/asvs.md'

/** A row of the page: an id, its level, the rule in our words, and its evidence. */
interface Row {
  readonly id: string
  readonly level: string
  readonly rule: string
  readonly shown: string
}

function rows(): Row[] {
  const lines = readFileSync(join(root, PAGE), 'utf8').split('\n')
  return lines
    .filter((line) => /^\| V\d/.test(line))
    .map((line) => {
      const [id = '', level = '', rule = '', shown = ''] = line.slice(2, -2).split(' | ')
      return { id, level, rule, shown }
    })
}

/** Tests that a cell names, as file and title. */
const namedTests = (shown: string): [string, string][] =>
  [...shown.matchAll(/`([^`]+\.ts)`: ([^;]+?)(?=; `|; \[|$)/g)].map(([, file = '', title = '']) => [
    file,
    title,
  ])

const pathOf = (file: string): string =>
  /^(?:core|http|cli|testing)\//.test(file) ? `packages/${file}` : file

const CALL = /(?:\b(?:test|it|describe)(?:\.[a-z]+)*|[)`])\s*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1\s*,/gs

/** The titles of tests and groups in a source, titles of tables (`.each`) with their `%s`. */
const titlesIn = (source: string): string[] =>
  [...source.matchAll(CALL)].map(([, , title = '']) => title.replaceAll(/\\(['"`\\])/g, '$1'))

describe('the table of ASVS requirements', () => {
  test('has each id of levels 1 and 2 of its chapters once, with its level, and no other', () => {
    const wanted = Object.entries(ASVS).flatMap(([chapter, levels]) =>
      Object.entries(levels).flatMap(([level, ids]) =>
        (ids.match(/\S+/g) ?? []).map((id) => `${chapter}.${id} L${level}`),
      ),
    )
    expect(
      rows()
        .map(({ id, level }) => `${id} ${level}`)
        .sort(),
    ).toEqual(wanted.sort())
    expect(wanted).toHaveLength(189)
  })

  test('names for each a test, a section of ours, one word why it does not apply, or a gap in plain words', () => {
    const bare = rows().filter(
      ({ shown }) =>
        namedTests(shown).length === 0 &&
        !/\]\(\.\.\/[\w-]+\.md#[\w-]+\)/.test(shown) &&
        !/^n\/a: [\w-]+$/.test(shown) &&
        !/^\*\*Gap\*\*: .{15,}/.test(shown),
    )
    expect(bare).toEqual([])
  })

  test('names tests that are there, by their whole titles', () => {
    const absent = rows().flatMap(({ id, shown }) =>
      namedTests(shown)
        .filter(([file, title]) => {
          const path = join(root, pathOf(file))
          return !existsSync(path) || !titlesIn(readFileSync(path, 'utf8')).includes(title)
        })
        .map(([file, title]) => `${id} ${file}: ${title}`),
    )
    expect(absent).toEqual([])
  })

  test('takes for a title what a test or a group is called, and nothing else', () => {
    const source = [
      "test('the owner\\'s turn', () => {})",
      'it.each([\n  [1],\n])(\n  `%s of ${SIZE}`,\n  () => {},\n)',
      "describe.each(['a'])('on %s', () => {})",
      "// test('a comment of words: a title')",
      "expect(said).toContain('no title', 1)",
    ]
    expect(titlesIn(source.join('\n'))).toEqual(["the owner's turn", '%s of ${SIZE}', 'on %s'])
  })

  test('says how many there are of each kind, and is right', () => {
    const page = readFileSync(join(root, PAGE), 'utf8')
    const kinds = { tests: 0, pages: 0, none: 0, gaps: 0 }
    for (const { shown } of rows()) {
      if (shown.startsWith('n/a')) kinds.none += 1
      else if (shown.startsWith('**Gap**')) kinds.gaps += 1
      else if (namedTests(shown).length > 0) kinds.tests += 1
      else kinds.pages += 1
    }
    expect(page).toContain(
      `${kinds.tests} are shown by tests, ${kinds.pages} are met by a page, ${kinds.none} do not apply, ${kinds.gaps} are gaps.`,
    )
  })
})
