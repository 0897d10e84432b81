import type { Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildAnswer, buildConversation, buildMessage } from './build-conversation.ts'

const SESSION = 'session-1'
const RETENTION = 90

/** Tests of the messages of visitors and the answers of the service. */
export function contractChatTalk(storage: () => Storage): void {
  const store = () => storage().conversations
  const visit = (conversationId: string) => ({
    conversationId,
    sessionId: SESSION,
    retentionDays: RETENTION,
    category: undefined,
    contact: undefined,
  })

  describe('talk', () => {
    it('a conversation begins with the visitor’s message, in the hands of the service', async () => {
      const { now } = { now: new FakeClock().now() }
      const fresh = buildConversation({ category: 'bug', contact: 'me@example.test' })
      const begun = await store().begin(fresh, now)
      const { message, ...fields } = fresh
      const times = { createdAt: now, lastMessageAt: now, waitingSince: now }
      expect(begun).toEqual({ ...fields, mode: 'ai', messages: 1, smallTalk: 0, ...times })
      expect(await store().find(fresh.id)).toEqual(begun)
      const blank = { engine: undefined, sources: [], truncated: false }
      expect(await store().messages(fresh.id, 10)).toEqual([
        { ...message, seq: 1, role: 'visitor', ...blank, at: now },
      ])
    })

    it('messages are numbered in the order of their storing and read back oldest first', async () => {
      const clock = new FakeClock()
      const { id } = await store().begin(buildConversation(), clock.now())
      await store().answer(buildAnswer(id), clock.advance({ seconds: 1 }))
      await store().say({ ...visit(id), message: buildMessage('and then?') }, clock.advance({ seconds: 1 }))
      const seen = await store().messages(id, 10)
      expect(seen.map(({ seq, role }) => [seq, role])).toEqual([
        [1, 'visitor'],
        [2, 'bot'],
        [3, 'visitor'],
      ])
      expect((await store().messages(id, 2)).map(({ seq }) => seq)).toEqual([2, 3])
      expect(await store().messages(id, 0)).toEqual([])
      expect((await store().messages(id, 2, 3)).map(({ seq }) => seq)).toEqual([1, 2])
      expect((await store().messages(id, 1, 3)).map(({ seq }) => seq)).toEqual([2])
      expect(await store().messages(id, 2, 1)).toEqual([])
    })

    it('concurrent messages of one conversation each get a number of their own', async () => {
      const { id } = await store().begin(buildConversation())
      await Promise.all(
        Array.from({ length: 8 }, (_, at) => store().say({ ...visit(id), message: buildMessage(`${at}`) })),
      )
      const seqs = (await store().messages(id, 20)).map(({ seq }) => seq)
      expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      expect((await store().find(id))?.messages).toBe(9)
    })

    it('an answer keeps its engine and sources, and ends the wait of the visitor', async () => {
      const { id } = await store().begin(buildConversation())
      const answer = buildAnswer(id, { engine: 'llm', truncated: true })
      expect(await store().answer(answer)).toBe(true)
      const { engine, sources, truncated, message } = answer
      const [, last] = await store().messages(id, 2)
      expect(last).toMatchObject({ ...message, engine, sources, truncated, role: 'bot' })
      expect(await store().find(id)).toMatchObject({ waitingSince: undefined, messages: 2 })
    })

    it('an answer that says it knows nothing leaves the visitor waiting since the first message', async () => {
      const clock = new FakeClock()
      const since = clock.now()
      const { id } = await store().begin(buildConversation(), since)
      await store().answer(buildAnswer(id, { answers: false }), clock.advance({ minutes: 1 }))
      await store().say({ ...visit(id), message: buildMessage() }, clock.advance({ minutes: 1 }))
      expect(await store().find(id)).toMatchObject({ waitingSince: since, lastMessageAt: clock.now() })
    })

    it('what a later message does not say of category and contact stays', async () => {
      const { id } = await store().begin(buildConversation({ category: 'sales', contact: 'a' }))
      const message = buildMessage()
      expect(await store().say({ ...visit(id), message })).toMatchObject({ category: 'sales', contact: 'a' })
      const change = { ...visit(id), category: 'bug' as const, contact: 'b', message: buildMessage() }
      expect(await store().say(change)).toMatchObject({ category: 'bug', contact: 'b' })
    })

    it('nobody speaks in a conversation of another session, in an old one, or in none', async () => {
      const clock = new FakeClock()
      const { id } = await store().begin(buildConversation(), clock.now())
      const message = buildMessage()
      const say = (fields: object) => store().say({ ...visit(id), message, ...fields }, clock.now())
      expect(await say({ sessionId: 'session-2' })).toBeUndefined()
      expect(await say({ sessionId: '' })).toBeUndefined()
      expect(await say({ conversationId: buildId('chat') })).toBeUndefined()
      clock.advance({ days: RETENTION })
      expect(await say({})).toBeUndefined()
      clock.advance({ ms: -1 })
      expect(await say({})).toMatchObject({ id, messages: 2 })
    })

    it('a second conversation or message of the same id is refused, and nothing of it is kept', async () => {
      const fresh = buildConversation()
      await store().begin(fresh)
      await expect(store().begin({ ...fresh, message: buildMessage() })).rejects.toThrow()
      await expect(store().say({ ...visit(fresh.id), message: fresh.message })).rejects.toThrow()
      expect(await store().find(fresh.id)).toMatchObject({ messages: 1 })
    })

    it('text of any script and sign comes back as it was', async () => {
      const text = `'"; drop table chat_messages; -- \\ $1 {"a":1} \u{1f600}\n\tз 你好`
      const { id } = await store().begin(buildConversation({ message: buildMessage(text) }))
      expect(await store().messages(id, 1)).toMatchObject([{ text }])
    })
  })
}
