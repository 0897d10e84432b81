import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { DOCS_PAGES } from '../../../../../cli/src/shipped.ts'
import { cannedAnswer } from '../../../../src/reach/chat/answer/canned-answer.ts'
import { readContent } from '../../../../src/reach/chat/documents/content-folder.ts'
import { chunksOf } from '../../../../src/reach/chat/documents/documents.ts'
import { DocumentIndex } from '../../../../src/reach/chat/documents/retrieval.ts'
import { ask, chatScene } from '../chat-scene.ts'
import { DOCS } from './real-docs.ts'

let index: DocumentIndex
beforeAll(async () => {
  const manual = (await readContent(DOCS)).filter(({ path }) => !path.startsWith('customers/'))
  index = new DocumentIndex(chunksOf(manual, '/docs'))
})

describe('questions of operators, asked of the manual, which a site of theirs may hold', () => {
  test.each([
    ['How do I install the agent?', '/docs/agents#install-the-agent', 'svc agent run'],
    ['How do I uninstall the agent?', '/docs/agents#uninstall-the-agent', 'svc fleet drain'],
    ['How do I write my own agent?', '/docs/agents', 'all you need to write one'],
    [
      'How do I upgrade without downtime?',
      '/docs/deployment#upgrade-without-downtime',
      'one after the other',
    ],
    ['A job hangs, what can I do?', '/docs/operators#when-a-job-hangs', 'svc jobs cancel ID'],
    ['How do I cancel a job?', '/docs/operators#cancel-a-job', 'svc jobs cancel ID'],
    [
      'Where do I read the logs of a deploy?',
      '/docs/operators#read-the-log-of-a-job-or-deploy',
      'svc jobs logs',
    ],
    ['How do I rotate the signing key?', '/docs/security#rotate-the-signing-key', 'svc mint-key'],
    ['How do I back up the database?', '/docs/operators#back-up-the-database', 'pg_dump'],
    ['How do I restore a backup?', '/docs/operators#restore-a-backup', 'pg_restore'],
    ['What do I do when the database is down?', '/docs/deployment#when-the-database-is-down', '503'],
    ['Does it run without PostgreSQL?', '/docs/deployment#without-postgresql', 'PGlite'],
    ['How do I add a DNS monitor?', '/docs/monitors#add-a-monitor', 'svc monitors add'],
    ['How do I silence an alert?', '/docs/alerts#silence-an-alert', 'svc alerts snooze'],
    ['How do I get alerts by webhook?', '/docs/alerts#where-alerts-go', 'svc alerts webhook-set'],
    ['A host is lost, what happens to its jobs?', '/docs/operators#when-a-host-is-lost', 'another host'],
    ['How do I drain a host?', '/docs/operators#drain-a-host', 'svc fleet drain'],
    ['What are the rate limits?', '/docs/agents#rate-limits', '30 heartbeats'],
    ['How do I issue a license?', '/docs/operators#issue-a-license', 'svc licenses issue'],
    ['My license key was stolen', '/docs/security#when-a-license-key-is-stolen', 'svc licenses suspend'],
    ['How do I connect a language model?', '/docs/chat#with-a-language-model', 'LLM_API_KEY'],
    ['How do I take over a conversation?', '/docs/chat#take-a-conversation-over', 'svc chat take'],
  ])('%s', (question, url, saying) => {
    const found = index.retrieve(question)
    expect({ grounded: found.grounded, url: found.sources[0]?.url }).toEqual({ grounded: true, url })
    const [heading, excerpt] = cannedAnswer(found)
    expect(heading).toBe(`**${found.hits[0]?.chunk.heading}**\n\n`)
    expect(excerpt).toContain(saying)
  })

  test.each(['What is the capital of France?', 'Write me a poem about the sea', 'hello'])(
    'What the documentation does not cover is not answered from it: %s',
    (question) => {
      expect(index.retrieve(question)).toMatchObject({ grounded: false, sources: [] })
    },
  )
})

/** Replaces the ids, which differ from answer to answer. */
const withoutIds = (text: string): string => text.replaceAll(/\b(chat|msg)_[0-9a-z]{26}\b/g, '$1_…')

test('The conversation that docs/chat.md shows is what the service says', async () => {
  const page = await readFile(join(DOCS, 'chat.md'), 'utf8')
  const [, asked = '', shown = ''] = /^curl -N \S+ -d '(.*)'\n```\n\n```\n([\s\S]*?)\n```$/m.exec(page) ?? []
  await using scene = chatScene({ docsDir: DOCS, docsPages: DOCS_PAGES })
  const events = await ask(scene.plane, JSON.parse(asked))
  const said = events.map((event) => `data: ${JSON.stringify(event)}`).join('\n\n')
  expect(withoutIds(shown)).toBe(withoutIds(said))
})
