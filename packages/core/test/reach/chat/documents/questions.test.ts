import { describe, expect, it } from '@jest/globals'
import { fastest, pace } from '../../../../../../test/support/pace.ts'
import { readContent } from '../../../../src/reach/chat/documents/content-folder.ts'
import { chunksOf } from '../../../../src/reach/chat/documents/documents.ts'
import { DocumentIndex } from '../../../../src/reach/chat/documents/retrieval.ts'
import { MAX_QUERY_TERMS, queryTerms } from '../../../../src/reach/chat/documents/search-terms.ts'
import { SITE } from '../chat-scene.ts'

const page = (text: string, path = 'page.md', base = '/docs') => chunksOf([{ path, text }], base)
const index = async () => new DocumentIndex(chunksOf(await readContent(SITE), '/docs'))

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
