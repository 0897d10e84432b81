import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { migrate, openStorage } from '@svc/core/sql'
import { memoryStorage, pgliteStorage, postgresStorage, testDatabase } from '@svc/testing'
import pg from 'pg'
import { visitorText } from '../../src/chat/visitor-text.ts'
import { SAMPLES } from '../redaction/samples.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'
import { ask, chatScene, conversationOf } from './chat-scene.ts'
import { type ModelServer, modelServer, saying } from './model-server.ts'

// Several samples a message: each on lines of its own, so that no secret hides another.
const PER_MESSAGE = 10
const messages = Array.from({ length: Math.ceil(SAMPLES.length / PER_MESSAGE) }, (_, at) =>
  SAMPLES.slice(at * PER_MESSAGE, (at + 1) * PER_MESSAGE),
)

/** Every row of every table as one text. */
async function dumped(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'")
    const dumps: unknown[] = []
    for (const { tablename } of rows) {
      dumps.push((await client.query(`select to_jsonb(t) as row from "${tablename}" t`)).rows)
    }
    return JSON.stringify(dumps)
  } finally {
    await client.end()
  }
}

describe('no secret of the redactor’s corpus gets past the door', () => {
  let server: ModelServer
  beforeAll(async () => {
    server = await modelServer()
  })
  afterAll(async () => server[Symbol.asyncDispose]())

  it.each([
    ['memory', async () => memoryStorage()],
    ['PGlite', pgliteStorage],
    [POSTGRES, () => postgresStorage(SERVER)],
  ])('into what is stored, logged, or shown to the model: %s', async (_name, open) => {
    const storage = await open()
    const env = { LLM_API_KEY: 'k'.repeat(20), LLM_BASE_URL: server.url, CHAT_LLM_DAILY_LIMIT: '100000' }
    await using scene = chatScene({ env, storage })
    let conversationId: string | undefined
    for (const samples of messages) {
      const message = `How do I install the agent?\n${samples.map(({ text }) => text).join('\n\n')}`
      server.answer(saying(...(message.match(/[\s\S]{1,7}/g) ?? [])))
      const events = await ask(scene.plane, { message, contact: samples[0]?.text, conversationId })
      conversationId = conversationOf(events)
      for (const { secret } of samples)
        expect(JSON.stringify(events)).not.toContain(JSON.stringify(secret).slice(1, -1))
    }
    const { conversation, messages: stored } = await scene.plane.chat.show(conversationId ?? '', 1000)
    expect(stored).toHaveLength(messages.length * 2)
    const kept = [JSON.stringify(stored), JSON.stringify(conversation), server.text(), scene.log.text()].join(
      '\n',
    )
    for (const { secret } of SAMPLES) expect(kept).not.toContain(JSON.stringify(secret).slice(1, -1))
  })

  it('nor into any row of any table', async () => {
    await using database = await testDatabase(SERVER)
    await migrate(database.url)
    await using scene = chatScene({ storage: await openStorage({ url: database.url }) })
    for (const { text } of SAMPLES) {
      await ask(scene.plane, { message: text, contact: text, sessionId: text })
    }
    const dump = await dumped(database.url)
    expect(dump).toContain('[redacted:')
    for (const { secret } of SAMPLES) expect(dump).not.toContain(JSON.stringify(secret).slice(1, -1))
  })

  it('a session that is named by a secret is kept by its digest', async () => {
    await using scene = chatScene()
    const secret = SAMPLES.find(({ kind }) => kind.includes('jwt'))?.secret ?? `ghp_${'a1'.repeat(18)}`
    const first = conversationOf(await ask(scene.plane, { sessionId: secret }))
    expect(conversationOf(await ask(scene.plane, { sessionId: secret, conversationId: first }))).toBe(first)
    const { conversation } = await scene.plane.chat.show(first, 1)
    expect(conversation.sessionId).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('what people write is redacted as well', async () => {
    await using scene = chatScene()
    const id = conversationOf(await ask(scene.plane))
    await scene.plane.operations.run(
      'chat.reply',
      { conversation: id, text: 'your password is hunter2x' },
      'me',
    )
    const kept = JSON.stringify([await scene.plane.chat.show(id, 10), await scene.storage.audit.list(10)])
    expect(kept).not.toContain('hunter2x')
  })
})

describe('a message is redacted before it is cut', () => {
  it('a secret across the limit is known by its end', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    for (let lead = 3960; lead <= 4000; lead += 1) {
      const text = visitorText(`${'x '.repeat(lead / 2)}${secret}`) ?? ''
      expect(text).not.toMatch(/ghp_/)
      expect(Array.from(text).length).toBeLessThanOrEqual(4000)
    }
  })

  it('no character is cut in two', () => {
    expect(visitorText('😀'.repeat(4001))).toBe('😀'.repeat(4000))
    expect(visitorText('a\ud800b')).toBe('a\ufffdb')
  })
})
