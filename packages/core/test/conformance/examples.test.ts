// What the random sequences found, kept: each was answered otherwise by the fake than by the database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { NewUser } from '@svc/core'
import { buildHeartbeat, buildJob, FakeClock, memoryStorage } from '@svc/testing'
import { type Database, pgliteDatabase } from './database.ts'
import { type Ask, outcome } from './world.ts'

const NOW = new FakeClock().now()
const FAILED = 'failed'

let database: Database
beforeAll(async () => {
  database = await pgliteDatabase()
})
beforeEach(() => database.empty())
afterAll(async () => {
  await database[Symbol.asyncDispose]()
})

/** What the last of several calls gives, on both storages. */
async function both(...asks: readonly Ask[]): Promise<readonly unknown[]> {
  const last = []
  for (const storage of [memoryStorage(), database.storage]) {
    let seen = ''
    for (const ask of asks) seen = await outcome(ask, storage, NOW)
    last.push(seen === FAILED ? FAILED : JSON.parse(seen))
  }
  return last
}

const openSession: Ask = ({ sessions }, now) => sessions.open({ digest: 'd', userId: 'usr_absent' }, now)
const member = { id: 'usr_1', email: 'a@x', role: 'owner', tenantId: 'ten_absent', passwordHash: undefined }
const twin = (payload: Record<string, unknown>) => buildJob({ dedupeKey: 'twin', payload })

describe('the fake and the database agree', () => {
  it('a member of a tenant that is not there is refused', async () => {
    expect(await both(({ users }, now) => users.add(member as NewUser, now))).toEqual([FAILED, FAILED])
  })

  it('a second session under one digest is refused', async () => {
    expect(await both(openSession, openSession)).toEqual([FAILED, FAILED])
  })

  it('barring a user who is gone ends the sessions that are left of them', async () => {
    const bar: Ask = ({ users }, now) => users.change('usr_absent', { disabled: true }, now)
    const end: Ask = ({ sessions }, now) => sessions.revokeAll('usr_absent', now)
    expect(await both(openSession, bar, end)).toEqual([0, 0])
  })

  it('log lines after the last possible number are none', async () => {
    const read: Ask = ({ jobs }) => jobs.logs('job_absent', Number.MAX_SAFE_INTEGER, 10)
    expect(await both(read)).toEqual([[], []])
  })

  it.each([
    ['a lone surrogate is kept as U+FFFD', 'a\udc00b', 'a\ufffdb'],
    ['a pair is kept', '😀', '😀'],
  ])('%s', async (_, hostname, kept) => {
    const beat: Ask = ({ agents }, now) => agents.heartbeat(buildHeartbeat({ hostname }), now)
    const [fake, stored] = await both(beat, ({ agents }) => agents.list())
    expect(fake).toMatchObject([{ hostname: kept }])
    expect(stored).toMatchObject([{ hostname: kept }])
  })

  it('NUL fails the statement', async () => {
    const beat: Ask = ({ agents }, now) => agents.heartbeat(buildHeartbeat({ hostname: 'a\u0000b' }), now)
    expect(await both(beat)).toEqual([FAILED, FAILED])
  })

  it.each([
    ['a lone surrogate in a value', { key: '\ud800' }],
    ['a lone surrogate in a name', { '\udfff': 1 }],
    ['NUL', { key: 'a\u0000' }],
  ])('%s fails a payload, of a repeated job too', async (_, payload) => {
    const first: Ask = ({ jobs }, now) => jobs.enqueue(twin({}), now)
    const again: Ask = ({ jobs }, now) => jobs.enqueue(twin(payload), now)
    expect(await both(first, again)).toEqual([FAILED, FAILED])
  })

  it('a payload that spells an escape out is no escape', async () => {
    const stored: Ask = async ({ jobs }, now) =>
      (await jobs.enqueue(twin({ key: '\\ud800' }), now)).job.payload
    expect(await both(stored)).toEqual([{ key: '\\ud800' }, { key: '\\ud800' }])
  })
})
