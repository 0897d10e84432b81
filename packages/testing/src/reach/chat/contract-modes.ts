import type { Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildAnswer, buildConversation, buildMessage } from './build-conversation.ts'

const visit = (conversationId: string, sessionId = 'session-1') => ({
  conversationId,
  sessionId,
  retentionDays: 90,
})

/** Tests of the modes of a conversation: whether the bot or a person answers, and the visitors' view. */
export function contractChatModes(storage: () => Storage): void {
  const store = () => storage().conversations

  describe('modes', () => {
    it('a mode changes only from those that are named', async () => {
      const { id } = await store().begin(buildConversation())
      expect(await store().change(id, ['human_active'], 'ai')).toBeUndefined()
      expect(await store().change(id, ['ai'], 'human_active')).toMatchObject({ mode: 'human_active' })
      expect(await store().change(id, ['ai'], 'human_active')).toBeUndefined()
      expect(await store().mode(id)).toBe('human_active')
      expect(await store().change(buildId('chat'), ['ai'], 'closed')).toBeUndefined()
      expect(await store().mode(buildId('chat'))).toBeUndefined()
    })

    it('an answer of the service is not stored once a person has taken over', async () => {
      const { id } = await store().begin(buildConversation())
      await store().change(id, ['ai'], 'human_active')
      expect(await store().answer(buildAnswer(id))).toBe(false)
      expect(await store().find(id)).toMatchObject({ messages: 1 })
      expect(await store().messages(id, 10)).toHaveLength(1)
      await store().change(id, ['human_active'], 'ai')
      expect(await store().answer(buildAnswer(id))).toBe(true)
    })

    it('of a takeover and an answer that meet, the answer is stored before or not at all', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await store().begin(buildConversation())
        const [isStored, reply] = await Promise.all([
          store().answer(buildAnswer(id)),
          store().reply(id, buildMessage('I am here.')),
        ])
        expect(reply).toMatchObject({ mode: 'human_active' })
        const roles = (await store().messages(id, 10)).map(({ role }) => role)
        expect(roles).toEqual(isStored ? ['visitor', 'bot', 'human'] : ['visitor', 'human'])
      }
    })

    it('a person’s reply takes the conversation over and ends the wait', async () => {
      const { id } = await store().begin(buildConversation())
      expect(await store().reply(id, buildMessage('Hello'))).toMatchObject({
        mode: 'human_active',
        waitingSince: undefined,
        messages: 2,
      })
      expect(await store().reply(buildId('chat'), buildMessage())).toBeUndefined()
    })

    it('a closed conversation takes no message of anybody, and nobody waits in it', async () => {
      const { id } = await store().begin(buildConversation())
      expect(await store().change(id, ['ai', 'human_active'], 'closed')).toMatchObject({
        waitingSince: undefined,
      })
      const more = { category: undefined, contact: undefined, message: buildMessage() }
      expect(await store().say({ ...visit(id), ...more })).toBeUndefined()
      expect(await store().reply(id, buildMessage())).toBeUndefined()
      expect(await store().answer(buildAnswer(id))).toBe(false)
    })

    it('visitors read what people wrote after the message they name, oldest first', async () => {
      const { id } = await store().begin(buildConversation())
      await store().answer(buildAnswer(id))
      const [one, two] = [buildMessage('one'), buildMessage('two')]
      expect(await store().replies(visit(id), undefined)).toEqual({ mode: 'ai', messages: [] })
      await store().reply(id, one)
      await store().reply(id, two)
      const all = await store().replies(visit(id), undefined)
      expect(all?.messages.map(({ text }) => text)).toEqual(['one', 'two'])
      expect(all?.mode).toBe('human_active')
      const rest = await store().replies(visit(id), one.id)
      expect(rest?.messages).toMatchObject([{ id: two.id, role: 'human', text: 'two' }])
      expect((await store().replies(visit(id), two.id))?.messages).toEqual([])
      expect((await store().replies(visit(id), buildId('msg')))?.messages).toHaveLength(2)
    })

    it('a message of another conversation is no place to read on from', async () => {
      const [one, other] = [
        await store().begin(buildConversation()),
        await store().begin(buildConversation()),
      ]
      await store().reply(one.id, buildMessage())
      const far = buildMessage()
      for (const message of [buildMessage(), buildMessage(), far]) await store().reply(other.id, message)
      expect((await store().replies(visit(one.id), far.id))?.messages).toHaveLength(1)
    })

    it('replies are for the visitor’s own session, while the conversation is young, closed or not', async () => {
      const clock = new FakeClock()
      const { id } = await store().begin(buildConversation(), clock.now())
      await store().reply(id, buildMessage(), clock.now())
      await store().change(id, ['human_active'], 'closed')
      expect(await store().replies(visit(id), undefined, clock.now())).toMatchObject({ mode: 'closed' })
      expect(await store().replies(visit(id, 'session-2'), undefined, clock.now())).toBeUndefined()
      expect(await store().replies(visit(buildId('chat')), undefined, clock.now())).toBeUndefined()
      clock.advance({ days: 90 })
      expect(await store().replies(visit(id), undefined, clock.now())).toBeUndefined()
    })
  })
}
