import { describe, expect, it } from '@jest/globals'
import { fastest, pace } from '../../../../test/pace.ts'
import { cannedAnswer, NOTHING_FOUND } from '../../src/chat/canned-answer.ts'
import { readContent } from '../../src/chat/content-folder.ts'
import { CHUNK_CHARS, chunksOf } from '../../src/chat/documents.ts'
import { firstSentences, opening, plainText } from '../../src/chat/markdown-text.ts'
import { DocumentIndex } from '../../src/chat/retrieval.ts'
import { MAX_QUERY_TERMS, queryTerms } from '../../src/chat/search-terms.ts'
import { SITE } from './chat-scene.ts'

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

describe('questions', () => {
  it('are searched by the words that say something, at most 32', () => {
    expect(queryTerms('How do I install the agents, please?')).toEqual(['install', 'agent'])
    expect(queryTerms('the and of')).toEqual([])
    const many = Array.from({ length: 500 }, (_, at) => `term${at}`).join(' ')
    expect(queryTerms(many)).toHaveLength(MAX_QUERY_TERMS)
  })

  it.each([
    ['How do I install the agent?', '/docs/agents#install-the-agent'],
    ['installing agents on a new host', '/docs/agents#install-the-agent'],
    ['restore a backup', '/docs/guides/backups#restore-a-backup'],
    ['I want to change my plan', '/docs/billing#change-the-plan'],
    ['invoces', '/docs/billing#invoices'],
    ['How do I install the agent on Debian?', '/docs/agents#install-the-agent'],
  ])('what the documents cover is grounded: %s', async (question, url) => {
    const found = (await index()).retrieve(question)
    expect(found.grounded).toBe(true)
    expect(found.hits[0]?.chunk.url).toBe(url)
    expect(found.sources[0]?.url).toBe(url)
    expect(found.sources.length).toBeLessThanOrEqual(4)
  })

  it.each([
    'hello',
    'What is the capital of France?',
    'write a poem about love and invoices',
    '',
    '???',
    'the',
  ])('what they do not cover is not: %j', async (question) => {
    expect((await index()).retrieve(question)).toMatchObject({ grounded: false, hits: [], sources: [] })
  })

  it.each([
    ['add a VPS', 'connect a server'],
    ['hook up my machine', 'connect the host'],
    ['licence blocked', 'license suspended'],
    ['I cannot log in', 'signing in'],
    ['log me out', 'sign out'],
    ['two-factor authentication', '2fa'],
    ['abort deployments', 'cancel a deploy'],
    ['ten notifications', 'ten alerts'],
  ])('words for the same thing are one: %s, %s', (one, other) => {
    expect(queryTerms(one)).toEqual(queryTerms(other))
    expect(queryTerms(one)).not.toEqual([])
  })

  it('the log of a job is not the way in', () => {
    expect(queryTerms('a line in the log, the logs in a folder')).toEqual(['line', 'log', 'folder'])
  })

  it.each(['licensse', 'licnese', 'lisense', 'licese'])(
    'one letter that was changed, added, left out or exchanged is forgiven, also in a word that no page has: %s',
    (misspelled) => {
      const documents = new DocumentIndex(page('# Licences\n\nAbout licences.\n\n## Other\n\nMore.'))
      expect(documents.retrieve(misspelled)).toMatchObject({ grounded: true })
      expect(documents.retrieve('lisensse')).toMatchObject({ grounded: false })
    },
  )

  it('one word is a question about what stands in a title or heading, not about whatever mentions it', () => {
    const documents = new DocumentIndex(page('# Backups\n\nTwo copies are kept of each backup.\n'))
    expect(documents.retrieve('backups?').grounded).toBe(true)
    expect(documents.retrieve('two').grounded).toBe(false)
    expect(documents.retrieve('copies of each backup').grounded).toBe(true)
  })

  it('the page that counts less comes later, with the same words', () => {
    const files = [0.5, 1].map((weight, at) => ({
      path: `${at}.md`,
      text: '# Agents\n\nAll about agents.',
      weight,
    }))
    const { hits } = new DocumentIndex(chunksOf(files, '')).retrieve('agents')
    expect(hits.map(({ chunk }) => chunk.url)).toEqual(['/1', '/0'])
  })

  it('pages whose headings are the same are told apart by their titles', () => {
    const files = ['agents', 'operators'].map((name) => ({
      path: `${name}.md`,
      text: `# About ${name}\n\n## Cancel\n\nHow to cancel a job.\n`,
    }))
    const { sources } = new DocumentIndex(chunksOf(files, '/docs')).retrieve('cancel a job')
    expect(sources.map(({ title }) => title).sort()).toEqual([
      'Cancel (About agents)',
      'Cancel (About operators)',
    ])
  })

  it('A section that explains comes before one of bare tables and code with the same words', () => {
    const table = '## Backups\n\n| backup | backup |\n|---|---|\n| backup | daily backup |\n'
    const code = '## Backups\n\n```sh\nbackup backup backup\n```\n'
    const prose = 'To make a backup, stop what writes, copy the folder to another disk, and start again.'
    const files = [table, code, `## Backups\n\n${prose}`].map((text, at) => ({ path: `${at}.md`, text }))
    const { hits } = new DocumentIndex(chunksOf(files, '')).retrieve('How do I make a backup?')
    expect(hits[0]?.chunk.url).toBe('/2#backups')
    const { hits: bare } = new DocumentIndex(chunksOf(files.slice(0, 1), '')).retrieve('backup')
    expect(bare[0]?.chunk.url).toBe('/0#backups')
  })

  it('without documents nothing is grounded', () => {
    expect(new DocumentIndex([]).retrieve('install the agent')).toMatchObject({
      grounded: false,
      coverage: 0,
    })
  })

  it('of the unknown words of a question eight at most are looked up in similar spellings', () => {
    const known = 'alphabet bicycle cathedral dinosaur elephant football gardener hospital infinity jellyfish'
    const documents = new DocumentIndex(page(`# Words\n\nHere are ${known}.\n`))
    const misspelled = known.split(' ').map((word) => `${word[0]}x${word.slice(2)}`)
    const one = documents.retrieve(`${misspelled[0]} ${misspelled[1]}`).coverage
    expect(one).toBeGreaterThan(0.5)
    expect(documents.retrieve(misspelled.slice(0, 8).join(' ')).coverage).toBeCloseTo(one)
    expect(documents.retrieve(misspelled.slice(0, 9).join(' ')).coverage).toBeCloseTo((one * 8) / 9)
    expect(documents.retrieve(misspelled.join(' ')).coverage).toBeCloseTo((one * 8) / 10)
  })

  it('a hostile question of 4,000 different words takes no time', async () => {
    const documents = await index()
    const question = Array.from({ length: 4000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(' ')
    const asked = () => [question, 'a'.repeat(4000)].map((text) => documents.retrieve(text))
    expect(fastest(3, asked)).toBeLessThan(200 * pace())
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
