import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { anchorsOf, brokenLinks } from './docs/links.ts'
import { allPages, readPage, root, wordsOf } from './docs/page.ts'

describe('links of the docs', () => {
  test('every relative link leads to a file, and every anchor to a heading', () => {
    const pages = allPages()
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/agents.md']))
    expect(brokenLinks(pages, root)).toEqual([])
  })

  test('the README leads to every page', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const pages = globSync(['docs/*.md', 'docs/reference/*'], { cwd: root })
    expect(pages.length).toBeGreaterThan(30)
    expect(pages.filter((path) => !readme.includes(`](${path})`))).toEqual([])
  })

  test('what does not lead anywhere is found, with its place', () => {
    const here = readPage('docs/here.md', ['# Here', '[a](gone.md) [b](#here)', '[c](#there)'].join('\n'))
    const there = readPage('docs/there.md', ['[d](here.md#here) [e](here.md#no) `[f](gone.md)`'].join('\n'))
    const out = readPage('README.md', '[g](../secret) [h](https://example.com/gone) [i](docs)')
    expect(brokenLinks([here, there, out], root)).toEqual([
      'docs/here.md:2 gone.md: there is no such file',
      'docs/here.md:3 #there: the page has no such heading',
      'docs/there.md:1 here.md#no: the page has no such heading',
      'README.md:1 ../secret: leads out of the checkout',
    ])
  })

  test('links and headings in fenced blocks are none', () => {
    const page = readPage('a.md', ['```md', '# No', '[x](gone.md)', '```', '# Yes'].join('\n'))
    expect(brokenLinks([page], root)).toEqual([])
    expect([...anchorsOf(page)]).toEqual(['yes'])
  })

  test('an anchor is spelled as renderers do, the second of its name with a number', () => {
    const text = '# Say `why`, and [link](x)\n## A job — waits\n## POST /v1/jobs/{id}\n# Twice\n# Twice'
    expect([...anchorsOf(readPage('a.md', text))]).toEqual([
      'say-why-and-link',
      'a-job--waits',
      'post-v1jobsid',
      'twice',
      'twice-1',
    ])
  })
})

describe('the pages for readers, which are those of docs/ without its folders', () => {
  // The two pages that are read by topic rather than from top to bottom may be longer.
  const LONGER: Readonly<Record<string, number>> = { 'docs/agents.md': 5000, 'docs/security.md': 5500 }

  test('have 3,500 words each at most', () => {
    const pages = allPages().filter(({ path }) => /^docs\/[\w-]+\.md$/.test(path))
    expect(pages.length).toBeGreaterThan(20)
    const tooLong = pages.filter((page) => wordsOf(page) > (LONGER[page.path] ?? 3500))
    expect(tooLong.map((page) => [page.path, wordsOf(page)])).toEqual([])
  })

  test('are counted as wc -w does, without fenced blocks', () => {
    const text = ['# Two words', '', '- `one` of|five here', '```sh', 'npm start', '```', '  last'].join('\n')
    expect(wordsOf(readPage('a.md', text))).toBe(8)
  })
})

describe('records of decisions', () => {
  const folder = join(root, 'docs/decisions')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const names = globSync('0*.md', { cwd: folder }).sort()

  test('each has a title with its number, and then its date and status', () => {
    for (const name of names) {
      const [title, , status] = read(name).split('\n')
      expect([name, title]).toEqual([name, expect.stringMatching(`^# ${Number(name.slice(0, 4))}\\. \\S`)])
      expect([name, status]).toEqual([
        name,
        expect.stringMatching(/^\d{4}-\d\d-\d\d\. (?:Accepted|\*\*Superseded by)/),
      ])
    }
  })

  test('the index lists all of them in order, with title, date and whether they hold', () => {
    const rows = read('README.md').matchAll(/^\| \[(\d+)\]\((\S+)\) \| (.+) \| (\S+) \| (.+) \|$/gm)
    const listed = [...rows].map(([, number, name, title, date, status = '']) => {
      return { name, title: `# ${number}. ${title}`, date, holds: status.startsWith('accepted') }
    })
    const written = names.map((name) => {
      const [title, , status = ''] = read(name).split('\n')
      return { name, title, date: status.slice(0, 'yyyy-mm-dd'.length), holds: status.includes('Accepted') }
    })
    expect(listed).toEqual(written)
  })
})
