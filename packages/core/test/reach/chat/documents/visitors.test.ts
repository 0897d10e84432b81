import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { DOCS_PAGES } from '../../../../../cli/src/shipped.ts'
import { cannedAnswer } from '../../../../src/reach/chat/answer/canned-answer.ts'
import { readContent } from '../../../../src/reach/chat/documents/content-folder.ts'
import { type Chunk, chunksOf, headingSlugs } from '../../../../src/reach/chat/documents/documents.ts'
import { plainText } from '../../../../src/reach/chat/documents/markdown-text.ts'
import { DocumentIndex } from '../../../../src/reach/chat/documents/retrieval.ts'
import { chatScene } from '../chat-scene.ts'
import { DOCS } from './real-docs.ts'
import { KNOWN, LATER, OFF_TOPIC } from './visitor-questions.ts'

/** Smallest number of the forty questions that must have the right page first. */
const RIGHT = 34

let chunks: readonly Chunk[]
let index: DocumentIndex
beforeAll(async () => {
  chunks = chunksOf(await readContent(DOCS, DOCS_PAGES), '/docs')
  index = new DocumentIndex(chunks)
})

const pageOf = (url = 'nothing'): string => url.split('#')[0] ?? url

describe('visitors of a site that runs svc', () => {
  it('are answered from the right page, however they put it', () => {
    const questions = [...KNOWN, ...LATER]
    const wrong = questions.flatMap(([asked, page]) => {
      const found = pageOf(index.retrieve(asked).sources[0]?.url)
      return found === page ? [] : [`${asked}: ${found} and not ${page}`]
    })
    expect(questions).toHaveLength(40)
    expect(wrong.slice(questions.length - RIGHT)).toEqual([])
  })

  it.each(OFF_TOPIC)('are told that the pages say nothing to: %s', (asked) => {
    expect(index.retrieve(asked)).toMatchObject({ grounded: false, hits: [], sources: [] })
  })

  it('are shown no page for engineers and operators', async () => {
    const pages = new Set(chunks.map(({ url }) => pageOf(url)))
    const isPublic = (page: string) => page === '/docs/agents' || page.startsWith('/docs/customers/')
    expect([...pages].filter((page) => !isPublic(page))).toEqual([])
    expect(pages.size).toBeGreaterThan(8)
    await using scene = chatScene({ docsDir: DOCS, docsPages: DOCS_PAGES })
    expect(await scene.plane.chat.documents()).toBe(chunks.length)
  })

  it('are sent to places that exist: a file, and a heading in it', async () => {
    const files = new Map((await readContent(DOCS)).map(({ path, text }) => [path, text]))
    const isThere = ({ url }: Chunk) => {
      const [page = '', anchor] = url.slice('/docs/'.length).split('#')
      const slug = headingSlugs()
      const headings = files.get(`${page}.md`)?.matchAll(/^#{1,6} (.+)$/gm) ?? []
      const anchors = [...headings].map(([, heading = '']) => slug(plainText(heading)))
      return existsSync(join(DOCS, `${page}.md`)) && (anchor === undefined || anchors.includes(anchor))
    }
    expect(chunks.filter((chunk) => !isThere(chunk)).map(({ url }) => url)).toEqual([])
  })

  it('read whole sentences, and where to read on', () => {
    for (const [asked] of KNOWN) {
      const [heading, excerpt, places] = cannedAnswer(index.retrieve(asked))
      expect(heading).toMatch(/^\*\*.+\*\*\n\n$/)
      expect(excerpt).toMatch(/^[A-Z1][^…]*\.$/)
      expect(places).toMatch(/^\n\nRead on: \[.+\]\(\/docs\/.+\)\.$/)
    }
  })
})
