import type { Storage } from '@svc/core'
import { IDLE_SECONDS } from '@svc/core/adapters'
import { type NewApiToken, PENDING_SECONDS, SESSION_SECONDS, TOUCH_SECONDS } from '@svc/core/ports'
import { buildId } from '../build-id.ts'
import { FakeClock } from '../fake-clock.ts'
import { buildApiToken } from '../people/api-tokens/build-api-token.ts'
import { buildUser } from '../people/users/build-user.ts'
import { buildConversation } from '../reach/chat/build-conversation.ts'
import { AFTER, type Boundary, UNTIL } from './boundary.ts'

interface Session {
  readonly storage: Storage
  readonly userId: string
  readonly digest: string
}

/** A boundary of a session that is used every hour until the hour before it. */
const ofSession = (
  name: string,
  { seconds, answers }: { readonly seconds: number; readonly answers: Boundary['answers'] },
  ask: (session: Session, now: Date) => Promise<unknown>,
): Boundary => ({
  name,
  answers,
  ask: async (storage, offset) => {
    const clock = new FakeClock()
    const userId = (await storage.users.add(buildUser(), clock.now()))?.id ?? ''
    const digest = buildId('digest')
    await storage.sessions.open({ digest, userId }, clock.now())
    const isUsed = seconds === SESSION_SECONDS
    for (let left = seconds; isUsed && left > 3600; left -= 3600)
      await storage.sessions.use(digest, clock.advance({ hours: 1 }))
    const spent = isUsed ? seconds - 3600 : 0
    return ask({ storage, userId, digest }, clock.advance((seconds - spent) * 1000 + offset))
  },
})

const idle = { seconds: IDLE_SECONDS, answers: UNTIL } as const
const over = { seconds: SESSION_SECONDS, answers: UNTIL } as const

const isUsable = async ({ storage, digest }: Session, now: Date) =>
  (await storage.sessions.use(digest, now)) !== undefined
const isListed = async ({ storage, userId }: Session, now: Date) =>
  (await storage.sessions.live(userId, now)).length > 0
const isRevoked = async ({ storage, userId }: Session, now: Date) =>
  (await storage.sessions.revokeOthers({ userId, kept: 'another', id: undefined }, now)) > 0
const isEnded = async ({ storage, userId }: Session, now: Date) =>
  (await storage.sessions.revokeAll(userId, now)) > 0
const isReset = async ({ storage, userId }: Session, now: Date) =>
  (await storage.secondFactors.reset(userId, now)).ended > 0

async function isTouched({ storage, userId, digest }: Session, now: Date): Promise<boolean> {
  await storage.sessions.use(digest, now)
  const [session] = await storage.sessions.live(userId, now)
  return session?.lastUsedAt.getTime() === now.getTime()
}

const ofPending = (
  name: string,
  ask: (storage: Storage, userId: string, now: Date) => Promise<unknown>,
): Boundary => ({
  name: `the end of the time of a second factor that is ${name}`,
  answers: UNTIL,
  ask: async (storage, offset) => {
    const clock = new FakeClock()
    const userId = (await storage.users.add(buildUser(), clock.now()))?.id ?? ''
    await storage.secondFactors.begin(userId, 'SECRET', clock.now())
    return ask(storage, userId, clock.advance(PENDING_SECONDS * 1000 + offset))
  },
})

const DAYS = 30

async function isKept({ conversations }: Storage, offset: number): Promise<boolean> {
  const clock = new FakeClock()
  const { id } = await conversations.begin(buildConversation(), clock.now())
  clock.advance({ days: DAYS })
  await conversations.purge(DAYS, 100, clock.advance(offset))
  return (await conversations.find(id)) !== undefined
}

const ofToken = (
  name: string,
  answers: Boundary['answers'],
  ask: (storage: Storage, token: NewApiToken, offset: number) => Promise<unknown>,
): Boundary => ({
  name,
  answers,
  ask: async (storage, offset) => {
    const clock = new FakeClock()
    const token = buildApiToken({ expiresAt: clock.advance({ hours: 1 }) })
    await storage.apiTokens.add(token, new FakeClock().now())
    return ask(storage, token, offset)
  },
})

const isGood = async ({ apiTokens }: Storage, { digest, expiresAt }: NewApiToken, offset: number) =>
  (await apiTokens.use(digest, new Date(Number(expiresAt) + offset))) !== undefined

async function isNoted({ apiTokens }: Storage, { id, digest }: NewApiToken, offset: number) {
  const clock = new FakeClock()
  await apiTokens.use(digest, clock.now())
  const again = clock.advance(TOUCH_SECONDS * 1000 + offset)
  await apiTokens.use(digest, again)
  const token = (await apiTokens.list()).find((each) => each.id === id)
  return token?.lastUsedAt?.getTime() === again.getTime()
}

/** Boundaries of sessions, API tokens, second factors and conversations. */
export const PEOPLE_BOUNDARIES: readonly Boundary[] = [
  ofSession('the end of an idle session that is used', idle, isUsable),
  ofSession('the end of an idle session that is listed', idle, isListed),
  ofSession('the end of an idle session that is ended with the others', idle, isRevoked),
  ofSession('the last end of a session that is used', over, isUsable),
  ofSession('the last end of a session that is listed', over, isListed),
  ofSession('the last end of a session that is ended with the others', over, isRevoked),
  ofSession('the last end of a session that is ended with all', over, isEnded),
  ofSession('the last end of a session that a reset ends', over, isReset),
  ofSession('a use that is noted', { seconds: TOUCH_SECONDS, answers: AFTER }, isTouched),
  ofToken('the end of an API token', UNTIL, isGood),
  ofToken('a use of an API token that is noted', AFTER, isNoted),
  ofPending('found', async ({ secondFactors }, userId, now) => {
    const { factor } = await secondFactors.find(userId, now)
    return factor !== undefined
  }),
  ofPending('confirmed', ({ secondFactors }, userId, now) =>
    secondFactors.confirm({ userId, secret: 'SECRET', step: 1, recovery: [], keptSession: '' }, now),
  ),
  { name: 'the time that a conversation is kept', answers: UNTIL, ask: isKept },
]
