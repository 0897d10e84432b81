// Examples from the random sequences: in each, the fake once answered differently from the database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { ofTenant, PLATFORM } from '@svc/core'
import type { NewUser } from '@svc/core/ports'
import {
  buildAuditEntry,
  buildEndpoint,
  buildHeartbeat,
  buildJob,
  buildLicense,
  buildMonitor,
  FakeClock,
  memoryStorage,
} from '@svc/testing'
import { buildAlertWrite } from '../../../testing/src/watch/alerts/build-alert-write.ts'
import { type Database, pgliteDatabase } from './database.ts'
import { type Ask, FAILED, outcome } from './world.ts'

const NOW = new FakeClock().now()

let database: Database
beforeAll(async () => {
  database = await pgliteDatabase()
})
beforeEach(() => database.empty())
afterAll(async () => {
  await database[Symbol.asyncDispose]()
})

/** Returns the results of the last of several calls, on both storages. */
async function both(...asks: readonly Ask[]): Promise<readonly unknown[]> {
  const last = []
  for (const storage of [memoryStorage(), database.storage]) {
    let seen = ''
    for (const ask of asks) seen = await outcome(ask, storage, NOW)
    last.push(seen.startsWith(FAILED) ? seen : JSON.parse(seen))
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

  it('an endpoint is of the tenant of its license alone, whatever tenant it names', async () => {
    const endpoint = buildEndpoint({ licenseId: 'lic_absent', tenantId: 'ten_a' })
    const add: Ask = ({ webhooks }, now) => webhooks.add(endpoint, 9, now)
    const list: Ask = ({ webhooks }) => webhooks.list(ofTenant('ten_a'), { limit: 9 })
    expect(await both(add, list)).toEqual([[], []])
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
    const [fake, stored] = await both(beat, ({ agents }) => agents.list(PLATFORM))
    expect(fake).toMatchObject([{ hostname: kept }])
    expect(stored).toMatchObject([{ hostname: kept }])
  })

  it('NUL fails the statement', async () => {
    const beat: Ask = ({ agents }, now) => agents.heartbeat(buildHeartbeat({ hostname: 'a\u0000b' }), now)
    expect(await both(beat)).toEqual([FAILED, FAILED])
  })

  it.each<[string, Ask]>([
    ['a name that is looked for', ({ tenants }) => tenants.find(PLATFORM, 'n\u0000l')],
    ['the label of a license', ({ licenses }, now) => licenses.add(buildLicense({ label: 'n\u0000l' }), now)],
    ['who acted', ({ audit }, now) => audit.add(buildAuditEntry({ actor: 'n\u0000l' }), now)],
  ])('NUL in %s fails for good: no caller is told to try again', async (_, ask) => {
    expect(await both(ask)).toEqual([FAILED, FAILED])
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

  it('what a person did to an alert that is not there is not recorded', async () => {
    const entry = { id: 'act_1', alertId: 'alr_absent', actor: 'a', action: 'ack' as const, note: undefined }
    expect(await both(({ alerts }, now) => alerts.record([entry], now))).toEqual([FAILED, FAILED])
  })

  it('a lone surrogate fails a step of an alert, one that comes too late as well', async () => {
    const late = buildAlertWrite({ revision: 7, content: { summary: '\ud800' } })
    expect(await both(({ alerts }, now) => alerts.move(late, now, now))).toEqual([FAILED, FAILED])
  })

  it('NUL in an answer fails it, of a conversation that is not there too', async () => {
    const say = (text: string, title: string): Ask => {
      const message = { id: 'msg_1', text }
      const answer = { conversationId: 'chat_absent', message, sources: [{ title, url: '/docs' }] }
      const rest = { engine: 'llm' as const, truncated: false, answers: true }
      return ({ conversations }, now) => conversations.answer({ ...answer, ...rest }, now)
    }
    expect(await both(say('a\u0000', 'a'))).toEqual([FAILED, FAILED])
    expect(await both(say('a', 'a\u0000'))).toEqual([FAILED, FAILED])
    expect(await both(say('a', '\ud800'))).toEqual([FAILED, FAILED])
  })

  it.each([
    ['more often than a minute', { intervalSeconds: 1 }],
    ['after six confirmations', { confirmations: 6 }],
    ['for a tenant that is not there', { tenantId: 'ten_absent' }],
    ['for a tenant and a license', { tenantId: 'ten_absent', licenseId: 'lic_a' }],
  ])('a monitor is not asked %s', async (_, fields) => {
    const add: Ask = ({ monitors }, now) => monitors.add(buildMonitor(fields), now)
    expect(await both(add)).toEqual([FAILED, FAILED])
  })

  it('monitors that are due at once are taken by id, whatever the order of their making', async () => {
    const add =
      (id: string): Ask =>
      ({ monitors }, now) =>
        monitors.add(buildMonitor({ id, name: id }), now)
    const take: Ask = ({ monitors }, now) => monitors.takeDue({ token: 't', leaseSeconds: 60, limit: 2 }, now)
    const ids = [{ id: 'mon_a' }, { id: 'mon_b' }]
    const [fake, stored] = await both(add('mon_b'), add('mon_a'), take)
    expect(fake).toMatchObject(ids)
    expect(stored).toMatchObject(ids)
  })

  it('a rate window of the future is over: the clock was set back', async () => {
    const limit = { name: 'claim', limit: 60, windowSeconds: 60 }
    const count =
      (secondsAgo: number): Ask =>
      async (stores, now) =>
        (stores as Storage).rates.count(limit, 'subject', new Date(now.getTime() - 1000 * secondsAgo))
    const fresh = { count: 1, windowLeftMs: 60_000 }
    expect(await both(count(0), count(3600))).toEqual([fresh, fresh])
  })

  it('a payload that spells an escape out is no escape', async () => {
    const stored: Ask = async ({ jobs }, now) =>
      (await jobs.enqueue(twin({ key: '\\ud800' }), now)).job.payload
    expect(await both(stored)).toEqual([{ key: '\\ud800' }, { key: '\\ud800' }])
  })
})
