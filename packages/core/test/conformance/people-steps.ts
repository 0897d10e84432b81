import { type NewUser, sessionPublicId } from '@svc/core/ports'
import fc from 'fast-check'
import { fields, order, rarely, type Step, steps, words } from './world.ts'

const userId = fc.constantFrom('usr_1', 'usr_2')
const anyUserId = fc.constantFrom('usr_1', 'usr_2', 'adm_1', 'adm_2')
const email = fc.constantFrom('a@x', 'a.b@x', 'ab@x', 'ä@x', '😀@x')
/** Digests of all possible sessions. */
export const SESSION_DIGESTS = ['session-1', 'session-2', 'session-3'] as const
const digest = fc.constantFrom(...SESSION_DIGESTS)

const addUser = steps(
  'add user',
  fc.record({
    id: userId,
    email,
    tenantId: fc.option(fc.constantFrom('ten_a', 'ten_b'), { nil: undefined }),
    passwordHash: rarely(fc.constant('hash-1')),
  }),
  (given) => () => (stores, now) => {
    const isStaff = given.tenantId === undefined
    const id = isStaff ? given.id.replace('usr', 'adm') : given.id
    return stores.users.add({ ...given, id, role: isStaff ? 'operator' : 'owner' } as NewUser, now)
  },
)

const addFirst = steps('add first administrator', email, (address) => () => async (stores, now) => {
  const id = `adm_${address}`
  const given = {
    id,
    email: address,
    role: 'super_admin',
    tenantId: undefined,
    passwordHash: 'hash-1',
  } as const
  return [await stores.users.addFirst(given, now), await stores.users.hasFirst()]
})

const changeUser = steps(
  'change user',
  fc.record({
    userId: anyUserId,
    change: fc.record(
      {
        role: fc.constant('viewer' as const),
        passwordHash: words,
        disabled: fc.boolean(),
        formerHash: rarely(fc.constant('hash-1')),
      },
      { requiredKeys: [] },
    ),
  }),
  (given) => () => (stores, now) => stores.users.change(given.userId, given.change, now),
)

const readUser = steps('read user', email, (address) => () => async ({ users }) => [
  await users.byEmail(address),
  await users.credentials(address),
])

const openSession = steps(
  'open session',
  fc.record({ digest, userId: anyUserId, minted: fc.boolean() }),
  (session) => () => (stores, now) => stores.sessions.open(session, now),
)

const useSession = steps(
  'use session',
  digest,
  (given) => () => (stores, now) => stores.sessions.use(given, now),
)

const liveSessions = steps(
  'live sessions',
  anyUserId,
  (userId) => () => (stores, now) => stores.sessions.live(userId, now),
)

const endOthers = steps(
  'end other sessions',
  fc.record({
    userId: anyUserId,
    kept: digest,
    id: fc.option(digest.map(sessionPublicId), { nil: undefined }),
  }),
  (others) => () => (stores, now) => stores.sessions.revokeOthers(others, now),
)

const endSession = steps(
  'end sessions',
  fc.oneof(fc.record({ digest }), fc.record({ userId: anyUserId })),
  (which) => () => (stores, now) =>
    'digest' in which
      ? stores.sessions.revoke(which.digest, now)
      : stores.sessions.revokeAll(which.userId, now),
)

const purgeSessions = steps(
  'purge sessions',
  fc.constantFrom(30, 1, 0, 0),
  (days) => () => (stores, now) => stores.sessions.purge(days, now),
)

const record = steps(
  'record',
  fc.record({ order, actor: words, outcome: words, input: fields }),
  ({ order: place, ...entry }) =>
    (world) => {
      const id = world.id('aud', place)
      return (stores, now) => stores.audit.add({ ...entry, id, operation: 'jobs.enqueue' }, now)
    },
)

const lookAtRecords = steps(
  'look through the records',
  fc.record({ rows: fc.constantFrom(1, 2, 3), place: rarely(order) }),
  ({ rows, place }) =>
    (world) => {
      const before = place === undefined ? undefined : world.id('aud', place)
      return (stores) => stores.audit.lookedTo(rows, before)
    },
)

const task = fc.constantFrom('alerts', 'chat')
const begin = steps(
  'begin task',
  fc.record({ task, everySeconds: fc.constantFrom(1, 60, 300), reopens: fc.boolean() }),
  ({ task: name, everySeconds, reopens }) =>
    () =>
    async ({ scheduler }, now) => {
      if (reopens) await scheduler.reopen(name)
      return [await scheduler.begin(name, everySeconds, now), await scheduler.lastBegun(name)]
    },
)

/** Steps of users, their sessions and the audit log. */
export const peopleSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: addUser },
  { weight: 1, arbitrary: addFirst },
  { weight: 2, arbitrary: changeUser },
  { weight: 1, arbitrary: readUser },
  { weight: 2, arbitrary: openSession },
  { weight: 3, arbitrary: useSession },
  { weight: 1, arbitrary: liveSessions },
  { weight: 1, arbitrary: endSession },
  { weight: 1, arbitrary: endOthers },
  { weight: 1, arbitrary: purgeSessions },
  { weight: 1, arbitrary: record },
  { weight: 1, arbitrary: lookAtRecords },
  { weight: 1, arbitrary: begin },
]
