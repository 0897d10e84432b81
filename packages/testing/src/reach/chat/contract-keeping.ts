import type { Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildAnswer, buildConversation, buildMessage } from './build-conversation.ts'

const DAYS = 30

/** Tests of lists, counts and retention of conversations. */
export function contractChatKeeping(storage: () => Storage): void {
  const store = () => storage().conversations

  describe('keeping', () => {
    it('the latest conversation is listed first; of those that wait, the one that waits longest', async () => {
      const clock = new FakeClock('2031-01-01T00:00:00Z')
      const begin = () => store().begin(buildConversation(), clock.advance({ minutes: 1 }))
      const [first, second, third] = [await begin(), await begin(), await begin()]
      await store().answer(buildAnswer(first.id), clock.advance({ minutes: 1 }))
      const listed = await store().list({ waiting: false, limit: 3 })
      expect(listed.map(({ id }) => id)).toEqual([first.id, third.id, second.id])
      const waiting = await store().list({ waiting: true, limit: 1000 })
      const own = waiting.map(({ id }) => id).filter((id) => [first.id, second.id, third.id].includes(id))
      expect(own).toEqual([second.id, third.id])
      expect(waiting.every(({ waitingSince }) => waitingSince !== undefined)).toBe(true)
    })

    it('small talk is counted up to its limit, however many ask at once', async () => {
      const { id } = await store().begin(buildConversation())
      const taken = await Promise.all(Array.from({ length: 6 }, () => store().takeSmallTalk(id, 3)))
      expect(taken.filter(Boolean)).toHaveLength(3)
      expect(await store().find(id)).toMatchObject({ smallTalk: 3 })
      expect(await store().takeSmallTalk(buildId('chat'), 3)).toBe(false)
    })

    it('calls of the model are counted by day up to the limit, however many ask at once', async () => {
      const clock = new FakeClock('2032-03-04T23:59:59Z')
      const ask = () => store().takeModelCall(2, clock.now())
      const taken = await Promise.all([ask(), ask(), ask(), ask()])
      expect(taken.filter(Boolean)).toHaveLength(2)
      clock.advance({ seconds: 1 })
      expect(await ask()).toBe(true)
      expect(await store().takeModelCall(0, clock.now())).toBe(false)
    })

    it('retention removes what nobody has spoken in for so many days, with its messages, and nothing else', async () => {
      const clock = new FakeClock('1999-01-01T00:00:00Z')
      const old = await store().begin(buildConversation(), clock.now())
      await store().answer(buildAnswer(old.id), clock.now())
      const kept = await store().begin(buildConversation(), clock.now())
      clock.advance({ days: 1 })
      await store().reply(kept.id, buildMessage(), clock.now())
      clock.advance({ days: DAYS - 1 })
      expect(await store().purge(DAYS, 100, clock.now())).toEqual({ conversations: 1, messages: 2 })
      expect(await store().find(old.id)).toBeUndefined()
      expect(await store().messages(old.id, 10)).toEqual([])
      expect(await store().find(kept.id)).toMatchObject({ messages: 2 })
      expect(await store().purge(DAYS, 100, clock.now())).toEqual({ conversations: 0, messages: 0 })
      await store().purge(DAYS, 100, clock.advance({ days: 1 }))
    })

    it('retention takes a batch at a time, the oldest first', async () => {
      const clock = new FakeClock('1998-01-01T00:00:00Z')
      const begin = () => store().begin(buildConversation(), clock.advance({ hours: 1 }))
      const [first, second, third] = [await begin(), await begin(), await begin()]
      clock.advance({ days: DAYS })
      expect(await store().purge(DAYS, 2, clock.now())).toEqual({ conversations: 2, messages: 2 })
      const left = [first, second, third].map(({ id }) => store().find(id))
      expect((await Promise.all(left)).map((each) => each?.id)).toEqual([undefined, undefined, third.id])
      expect(await store().purge(DAYS, 2, clock.now())).toEqual({ conversations: 1, messages: 1 })
    })
  })
}
