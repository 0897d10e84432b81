import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { ControlPlane } from '@svc/core'
import { type ModelServer, modelServer, saying } from '../../../../../test/support/model-server.ts'
import { fragmentsIn } from '../../../../../test/support/secret-fragments.ts'
import { MAX_SMALL_TALK } from '../../../src/reach/chat/answer/model-access.ts'
import { visitorText } from '../../../src/reach/chat/visitor-text.ts'
import { SAMPLES } from '../../kernel/redaction/samples.ts'
import { ask, chatScene, conversationOf } from './chat-scene.ts'
import { PLACES } from './documents/opened-places.ts'

// Samples in one message, each on lines of its own, so that no secret hides another.
const PER_MESSAGE = 10
const messages = Array.from({ length: Math.ceil(SAMPLES.length / PER_MESSAGE) }, (_, at) =>
  SAMPLES.slice(at * PER_MESSAGE, (at + 1) * PER_MESSAGE),
)

const SECRETS = SAMPLES.map(({ secret }) => secret)

/** Returns everything that operators can see of the chat, as one text. */
async function everything({ chat }: ControlPlane): Promise<string> {
  const shown = []
  for (const { id } of await chat.list(false, 1000)) shown.push(await chat.show(id, 1000))
  return JSON.stringify(shown)
}

const marksIn = (text: string): number => text.split('[redacted:').length - 1

describe('no secret of the redactor’s corpus gets past the door', () => {
  let server: ModelServer
  beforeAll(async () => {
    server = await modelServer()
  })
  afterAll(async () => server[Symbol.asyncDispose]())

  it.each(PLACES)(
    'With a model none gets into an answer, a row, a log or the prompt: %s',
    async (_, open) => {
      await using place = await open()
      const env = { LLM_API_KEY: 'k'.repeat(20), LLM_BASE_URL: server.url, CHAT_LLM_DAILY_LIMIT: '100000' }
      await using scene = chatScene({ env, storage: place.storage })
      let conversationId: string | undefined
      for (const [at, samples] of messages.entries()) {
        // A conversation may ask the model about three messages that no document covers; then a new one
        // begins.
        if (at % MAX_SMALL_TALK === 0) conversationId = undefined
        const message = `How do I install the agent?\n${samples.map(({ text }) => text).join('\n\n')}`
        server.answer(saying(...(message.match(/[\s\S]{1,7}/g) ?? [])))
        const events = await ask(scene.plane, { message, contact: samples[0]?.text, conversationId })
        conversationId = conversationOf(events)
        expect(events.at(-1)).toMatchObject({ engine: 'llm' })
        expect(fragmentsIn(JSON.stringify(events), SECRETS)).toEqual([])
      }
      const shown = await everything(scene.plane)
      const rows = (await place.rows()) ?? shown
      for (const kept of [rows, shown, server.text()]) expect(marksIn(kept)).toBeGreaterThan(SAMPLES.length)
      for (const kept of [rows, shown, server.text(), scene.log.text()])
        expect(fragmentsIn(kept, SECRETS)).toEqual([])
    },
  )

  it.each(PLACES)('Without a model none gets into an answer, a row or a log: %s', async (_, open) => {
    await using place = await open()
    await using scene = chatScene({ storage: place.storage })
    const answers: unknown[] = []
    for (const { text } of SAMPLES) {
      answers.push(await ask(scene.plane, { message: text, contact: text, sessionId: text }))
    }
    const shown = await everything(scene.plane)
    const rows = (await place.rows()) ?? shown
    for (const kept of [rows, shown]) expect(marksIn(kept)).toBeGreaterThan(SAMPLES.length)
    for (const kept of [rows, shown, JSON.stringify(answers), scene.log.text()])
      expect(fragmentsIn(kept, SECRETS)).toEqual([])
  })

  it('a session that is named by a secret is kept by its digest', async () => {
    await using scene = chatScene()
    const secret = SAMPLES.find(({ kind }) => kind === 'web token')?.secret
    expect(secret).toMatch(/^eyJ/)
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
    expect(fragmentsIn(kept, ['hunter2x'])).toEqual([])
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
