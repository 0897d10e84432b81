import { describe, expect, it } from '@jest/globals'
import { cannedAnswer, NOTHING_FOUND } from '../../../../src/reach/chat/answer/canned-answer.ts'
import { readContent } from '../../../../src/reach/chat/documents/content-folder.ts'
import { CHUNK_CHARS, chunksOf } from '../../../../src/reach/chat/documents/documents.ts'
import { firstSentences, opening, plainText } from '../../../../src/reach/chat/documents/markdown-text.ts'
import { DocumentIndex } from '../../../../src/reach/chat/documents/retrieval.ts'
import { SITE } from '../chat-scene.ts'

const page = (text: string, path = 'page.md', base = '/docs') => chunksOf([{ path, text }], base)
const index = async () => new DocumentIndex(chunksOf(await readContent(SITE), '/docs'))

describe('pages', () => {
  it('are cut at their headings, each part with the place where it is read', () => {
    const chunks = page('# Agents\n\nIntro.\n\n## Install it\n\nRun it.\n\n### On Debian\n\nApt.\n')
    expect(chunks.map(({ page: title, heading, url, text }) => [title, heading, url, text])).toEqual([
      ['Agents', 'Agents', '/docs/page', 'Intro.'],
      ['Agents', 'Install it', '/docs/page#install-it', 'Run it.'],
      ['Agents', 'On Debian', '/docs/page#on-debian', 'Apt.'],
    ])
  })

  it('a sign in a code block is no heading, and no heading is without text', () => {
    const chunks = page(
      '# T\n\n```sh\n# not one\n## nor this\n```\n\n~~~\n# no\n~~~\n\n## Empty\n\n## Full\n\nx\n',
    )
    expect(chunks.map(({ heading }) => heading)).toEqual(['T', 'Full'])
    expect(chunks[0]?.text).toContain('# not one')
  })

  it('the title is that of the front matter, else the first heading, else the name of the file', () => {
    expect(page('---\ntitle: "From front matter"\ndate: 1\n---\n# H\n\nx')[0]?.page).toBe('From front matter')
    expect(page('---\ntitle: T\n---\nbody')[0]).toMatchObject({ page: 'T', text: 'body' })
    expect(page('# H\n\nx')[0]?.page).toBe('H')
    expect(page('x', 'deep/first-steps.md')[0]?.page).toBe('first steps')
  })

  it('an index page is read at its folder', () => {
    const urls = ['README.md', 'a/index.md', 'a/b.markdown', 'Über uns.md'].map(
      (path) => page('x', path)[0]?.url,
    )
    expect(urls).toEqual(['/docs', '/docs/a', '/docs/a/b', '/docs/%C3%9Cber%20uns'])
    expect(page('x', 'blog/one.md', '')[0]?.url).toBe('/blog/one')
    expect(page('x', 'index.md', '')[0]?.url).toBe('/')
  })

  it('headings of one name are told apart, signs in them are dropped', () => {
    const chunks = page('## `svc up`, first!\n\na\n\n## Same\n\nb\n\n## Same\n\nc\n')
    expect(chunks.map(({ url }) => url)).toEqual([
      '/docs/page#svc-up-first',
      '/docs/page#same',
      '/docs/page#same-1',
    ])
  })

  it('long sections become several chunks, cut between paragraphs where there are any', () => {
    const paragraph = 'word '.repeat(100).trim()
    const chunks = page(
      `# T\n\n${[paragraph, paragraph, paragraph, paragraph].join('\n\n')}\n\n${'x'.repeat(4000)}`,
    )
    expect(chunks.every(({ text }) => text.length <= CHUNK_CHARS)).toBe(true)
    expect(chunks[0]?.text).toBe([paragraph, paragraph, paragraph].slice(0, 2).join('\n\n'))
    expect(chunks.map(({ text }) => text).join('')).toContain('x'.repeat(CHUNK_CHARS))
  })
})

describe('folders', () => {
  it('are read below, in the order of their paths', async () => {
    const paths = (await readContent(SITE)).map(({ path }) => path)
    expect(paths).toEqual(['agents.md', 'billing.md', 'guides/backups.md'])
  })

  it('are read in part where pages are named: files, and all that is in folders', async () => {
    const found = await readContent(SITE, { guides: 1, 'agents.md': 0.5, bill: 1 })
    expect(found.map(({ path, weight }) => [path, weight])).toEqual([
      ['agents.md', 0.5],
      ['guides/backups.md', 1],
    ])
  })

  it('one that is not there is an error of its own', async () => {
    await expect(readContent(`${SITE}/none`)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('plain text', () => {
  it.each([
    ['**Bold** and `code` and [a link](/x)', 'Bold and code and a link'],
    ['> quoted\n\n- item', 'quoted\n\n- item'],
    ['![pixel](https://evil.com/x.png) after', 'pixel after'],
    ['send `<license_key>` as <secret>', 'send [license_key] as [secret]'],
    ['```sh\nsvc up\n```', 'svc up'],
    ['a <!-- hidden --> b', 'a  b'],
  ])('%j reads %j', (markdown, expected) => {
    expect(plainText(markdown)).toBe(expected)
  })

  it('the first sentences are whole, and one at least', () => {
    expect(firstSentences('One. Two! Three? Four.', 10)).toBe('One. Two!')
    expect(firstSentences('Version 1.2 is here. Next.', 12)).toBe('Version 1.2 …')
    expect(firstSentences('no end', 100)).toBe('no end')
    expect(firstSentences('To rotate:\n\n1. Mint one.\n2. Set it.\n', 30)).toBe('To rotate: 1) Mint one.')
    expect(firstSentences('It was in 1987. Next.', 16)).toBe('It was in 1987.')
  })
})

describe('the opening of a text', () => {
  const list =
    'One of these\nis the reason:\n\n- A first\n  reason.\n- A second reason.\n\nCall us. Or write.\n'

  it('keeps paragraphs and the items of a list apart, however they were wrapped', () => {
    expect(opening(list, 500)).toBe(
      'One of these is the reason:\n- A first reason.\n- A second reason.\n\nCall us. Or write.',
    )
    expect(opening('1. Mint one.\n2. Set it.', 500)).toBe('1. Mint one.\n2. Set it.')
  })

  it('ends between sentences and items, and has one sentence at least', () => {
    expect(opening(list, 50)).toBe('One of these is the reason:\n- A first reason.')
    expect(opening(list, 75)).toBe(
      'One of these is the reason:\n- A first reason.\n- A second reason.\n\nCall us.',
    )
    expect(opening('A sentence of some length. Another.', 5)).toBe('A …')
    const intro = 'It waits. One of these is the reason:\n\n- It is late.\n'
    expect(opening(intro, 500)).toBe('It waits. One of these is the reason:\n- It is late.')
    expect(opening('', 5)).toBe('')
  })
})

describe('canned answers', () => {
  it('are the first sentences of the best chunk and where to read on, always the same', async () => {
    const found = (await index()).retrieve('How do I install the agent?')
    const answer = cannedAnswer(found)
    expect(answer.length).toBeGreaterThanOrEqual(2)
    expect(answer.join('')).toBe(
      '**Install the agent**\n\nDownload the agent to the host and run svc agent run with the license key in a file. ' +
        'The agent activates itself and reports every minute. It needs no open port.' +
        '\n\nRead on: [Install the agent](/docs/agents#install-the-agent), [Agents](/docs/agents).',
    )
    expect(cannedAnswer((await index()).retrieve('How do I install the agent?'))).toEqual(answer)
  })

  it('prefer sentences to code and tables, and take those where there is nothing else', () => {
    const canned = (text: string) => {
      const [chunk] = page(`# Cancel jobs\n\n${text}`)
      return cannedAnswer({ hits: chunk === undefined ? [] : [{ chunk, score: 1 }], sources: [] })[1]
    }
    const prose = 'An operator asks for the end of a job, and its host hears it soon.'
    expect(canned(`| A | B |\n|---|---|\n| c | d |\n\n${prose}\n\n\`\`\`sh\nsvc x\n\`\`\``)).toBe(prose)
    expect(canned('```sh\nsvc jobs cancel ID\n```')).toBe('svc jobs cancel ID')
    expect(canned('| A | B |\n|---|---|\n| c | d |')).toBe('A · B\n\nc · d')
  })

  it('say that nothing was found when nothing was', () => {
    expect(cannedAnswer({ hits: [], sources: [] })).toBe(NOTHING_FOUND)
    expect(NOTHING_FOUND.length).toBeGreaterThanOrEqual(2)
  })
})
