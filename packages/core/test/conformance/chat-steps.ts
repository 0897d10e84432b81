import { CHAT_CATEGORIES, CHAT_MODES } from '@svc/core/adapters'
import { CHAT_ENGINES } from '@svc/core/ports'
import fc from 'fast-check'
import { order, pick, rarely, type Step, steps, type World, words } from './world.ts'

const sessionId = fc.constantFrom('visitor-1', 'visitor-2')
const category = rarely(fc.constantFrom(...CHAT_CATEGORIES))
const retentionDays = fc.constantFrom(30, 30, 1, 0)

/** Returns one of the conversations so far, or none. */
async function conversationAt(world: World, which: number) {
  const known = await world.fake.conversations.list({ waiting: false, limit: 50 })
  return known[which % (known.length + 1)]
}

const ABSENT = 'chat_absent'

async function idAt(world: World, which: number): Promise<string> {
  return (await conversationAt(world, which))?.id ?? ABSENT
}

const begin = steps(
  'begin conversation',
  fc.record({ order, sessionId, category, contact: rarely(words), text: words }),
  ({ order: place, text, ...given }) =>
    (world) => {
      const id = world.id('chat', place)
      const message = { id: world.id('msg', place), text }
      return ({ conversations }, now) => conversations.begin({ ...given, id, message }, now)
    },
)

const visit = { pick, isForeign: fc.nat(7).map((number) => number === 0), retentionDays }

async function visitOf(world: World, { pick: which, isForeign, retentionDays: days }: VisitGiven) {
  const conversation = await conversationAt(world, which)
  const session = isForeign ? 'visitor-3' : (conversation?.sessionId ?? 'visitor-1')
  return { conversationId: conversation?.id ?? ABSENT, sessionId: session, retentionDays: days }
}
interface VisitGiven {
  readonly pick: number
  readonly isForeign: boolean
  readonly retentionDays: number
}

const say = steps(
  'say',
  fc.record({
    ...visit,
    order,
    category,
    contact: rarely(words),
    text: words,
    isRepeat: fc.nat(9).map((number) => number === 0),
  }),
  ({ order: place, category: about, contact, text, isRepeat, ...given }) =>
    async (world) => {
      const who = await visitOf(world, given)
      const [first] = isRepeat ? await world.fake.conversations.messages(who.conversationId, 1) : []
      const message = { id: first?.id ?? world.id('msg', place), text }
      return ({ conversations }, now) => conversations.say({ ...who, category: about, contact, message }, now)
    },
)

const answer = steps(
  'answer',
  fc.record({
    pick,
    order,
    text: words,
    engine: fc.constantFrom(...CHAT_ENGINES),
    sources: fc.array(fc.record({ title: words, url: fc.constant('/docs/a') }), { maxLength: 2 }),
    truncated: fc.boolean(),
    answers: fc.boolean(),
  }),
  ({ pick: which, order: place, text, ...given }) =>
    async (world) => {
      const conversationId = await idAt(world, which)
      const message = { id: world.id('msg', place), text }
      return ({ conversations }, now) => conversations.answer({ ...given, conversationId, message }, now)
    },
)

const reply = steps(
  'reply',
  fc.record({ pick, order, text: words }),
  ({ pick: which, order: place, text }) =>
    async (world) => {
      const id = await idAt(world, which)
      const message = { id: world.id('msg', place), text }
      return ({ conversations }, now) => conversations.reply(id, message, now)
    },
)

const change = steps(
  'change mode',
  fc.record({ pick, from: fc.subarray([...CHAT_MODES]), to: fc.constantFrom(...CHAT_MODES) }),
  ({ pick: which, from, to }) =>
    async (world) => {
      const id = await idAt(world, which)
      return async ({ conversations }) => [
        await conversations.change(id, from, to),
        await conversations.mode(id),
      ]
    },
)

const read = steps(
  'read conversation',
  fc.record({ ...visit, after: rarely(pick), limit: fc.constantFrom(1, 3, 50), waiting: fc.boolean() }),
  ({ after, limit, waiting, ...given }) =>
    async (world) => {
      const who = await visitOf(world, given)
      const said = await world.fake.conversations.messages(who.conversationId, 50)
      const last = after === undefined ? undefined : (said[after % (said.length + 1)]?.id ?? 'msg_absent')
      return async ({ conversations }, now) => [
        await conversations.find(who.conversationId),
        await conversations.messages(who.conversationId, limit),
        await conversations.replies(who, last, now),
        await conversations.list({ waiting, limit }),
      ]
    },
)

const count = steps(
  'count answers',
  fc.record({ pick, max: fc.constantFrom(0, 1, 2) }),
  ({ pick: which, max }) =>
    async (world) => {
      const id = await idAt(world, which)
      return async ({ conversations }, now) => [
        await conversations.takeSmallTalk(id, max),
        await conversations.takeModelCall(max, now),
      ]
    },
)

const purge = steps(
  'purge conversations',
  fc.record({ retentionDays, batch: fc.constant(1000) }),
  ({ retentionDays: days, batch }) =>
    () =>
    ({ conversations }, now) =>
      conversations.purge(days, batch, now),
)

/** Messages of visitors, the service and people. */
export const chatSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 3, arbitrary: begin },
  { weight: 4, arbitrary: say },
  { weight: 2, arbitrary: answer },
  { weight: 2, arbitrary: reply },
  { weight: 2, arbitrary: change },
  { weight: 2, arbitrary: read },
  { weight: 1, arbitrary: count },
  { weight: 1, arbitrary: purge },
]
