import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { FakeClock, memoryStorage } from '@svc/testing'
import { chatPost } from '../support/chat-scene.ts'
import { serving } from '../support/serving.ts'

const PATH = '/api/v1/monitors/run'
const SECRET = 'a-cron-secret-that-the-tests-give'
const UNAUTHORIZED = { status: 401, body: { error: 'unauthorized' } }
const bearer = { authorization: `Bearer ${SECRET}` }
const asKey = `key=${SECRET}`
const NOTHING = { ok: true, ran: 0, changed: 0, alerted: 0, purgedChats: 0 }

const WATCHED = {
  name: 'www',
  host: 'www.example.com',
  type: 'A',
  mode: 'baseline',
  match: 'exact',
  expected: undefined,
  intervalSeconds: 300,
  confirmations: 1,
  resolvers: [],
  tenantId: undefined,
  licenseId: undefined,
} as const

describe.each(['GET', 'POST'] as const)('%s /api/v1/monitors/run', (method) => {
  const served = serving()
  const run = (query = '', headers: Record<string, string> = bearer) =>
    served().send({ method, path: `${PATH}${query}`, headers })
  const opened = async () => (await served().plane.alerts.list(PLATFORM, {})).alerts.map(({ kind }) => kind)

  it('answers with exactly ok, ran, changed, alerted and purgedChats', async () => {
    const answer = await run()
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual(NOTHING)
  })

  it('runs what is due, once', async () => {
    served().dns.answer('www.example.com', '192.0.2.1')
    await served().plane.monitors.add(WATCHED)
    expect((await run()).body).toEqual({ ...NOTHING, ran: 1 })
    expect((await run()).body).toEqual(NOTHING)
    served().dns.answer('www.example.com', '192.0.2.2')
    served().clock.advance({ hours: 1 })
    expect((await run()).body).toMatchObject({ ran: 1, changed: 1 })
  })

  it('a drift opens its alert and is counted in the run that confirmed it', async () => {
    served().dns.answer('www.example.com', '192.0.2.1')
    await served().plane.monitors.add(WATCHED)
    await run()
    served().dns.answer('www.example.com', '192.0.2.2')
    served().clock.advance({ minutes: 6 })
    expect((await run()).body).toEqual({ ...NOTHING, ran: 1, changed: 1, alerted: 1 })
    expect(await opened()).toEqual(['monitor_drift'])
    const told = served().log.lines.filter(({ message }) => message === 'alerts')
    expect(told).toMatchObject([{ fields: { alerts: [{ transition: 'firing', kind: 'monitor_drift' }] } }])
    served().clock.advance({ minutes: 1 })
    expect((await run()).body).toEqual(NOTHING)
  })

  it('counts no alert that is not about a drift', async () => {
    served().dns.replies('www.example.com', { status: 'error', error: 'timeout' })
    await served().plane.monitors.add(WATCHED)
    for (let failed = 0; failed < 3; failed += 1) {
      expect((await run()).body).toEqual({ ...NOTHING, ran: 1 })
      served().clock.advance({ minutes: 6 })
    }
    expect(await opened()).toEqual(['dns_unreachable'])
  })

  it('two calls within 20 seconds are one tick: what only they have seen opens no alert', async () => {
    const beat = { fingerprint: 'web-1-0123456789', hostname: 'web-1', disk_pct: 95 }
    expect(await served().post('/v1/telemetry/heartbeat', beat)).toMatchObject({ status: 200 })
    await run()
    served().clock.advance(700)
    expect((await run()).body).toEqual(NOTHING)
    served().clock.advance({ seconds: 19 })
    await run()
    expect(await opened()).toEqual([])
    served().clock.advance(300)
    expect((await run()).body).toEqual(NOTHING)
    expect(await opened()).toEqual(['disk_high'])
  })

  it('counts the rows of conversations past their retention: each with its question and its answer', async () => {
    for (let count = 0; count < 2; count += 1) {
      expect(await served().send(chatPost({ message: 'How do I install the agent?' }))).toMatchObject({
        status: 200,
      })
    }
    served().clock.advance({ days: 89 })
    expect((await run()).body).toMatchObject({ purgedChats: 0 })
    served().clock.advance({ days: 1 })
    expect((await run()).body).toMatchObject({ ok: true, purgedChats: 6 })
    expect((await run()).body).toMatchObject({ ok: true, purgedChats: 0 })
  })

  it('takes the secret as bearer or as key, whatever the other one is', async () => {
    expect(await run(`?${asKey}`, {})).toMatchObject({ status: 200 })
    expect(await run('', bearer)).toMatchObject({ status: 200 })
    expect(await run('?key=nope', bearer)).toMatchObject({ status: 200 })
    const gateways = { authorization: 'Bearer of-a-gateway' }
    expect(await run(`?${asKey}`, gateways)).toMatchObject({ status: 200 })
    expect(await run(`?${asKey}`, { authorization: 'Basic bm9wZQ==' })).toMatchObject({ status: 200 })
  })

  it.each([
    ['no secret', '', {}],
    ['an empty key', '?key=', {}],
    ['another key', '?key=nope', {}],
    ['half the secret', `?key=${SECRET.slice(0, 5)}`, {}],
    ['another bearer', '', { authorization: 'Bearer nope' }],
    ['another bearer beside another key', '?key=nope', { authorization: 'Bearer nope' }],
    ['a key that is wrong first', `?key=nope&${asKey}`, {}],
    ['a key by index', `?${asKey.replace('key', 'key[0]')}`, {}],
    ['a key in another case', `?${asKey.replace('key', 'KEY')}`, {}],
    ['a long key', `?key=${'x'.repeat(8000)}`, {}],
    ['a broken escape', '?key=%E0%A4%A', {}],
  ])('refuses %s', async (_, query, headers) => {
    expect(await run(query, headers)).toMatchObject(UNAUTHORIZED)
  })

  it('a repeated key counts by its first value', async () => {
    expect(await run(`?${asKey}&key=nope`, {})).toMatchObject({ status: 200 })
  })

  it('never logs the secret, whatever comes of the request', async () => {
    await run(`?${asKey}`, {})
    await run('?key=a-wrong-secret', {})
    expect(served().log.text()).not.toMatch(/a-cron-secret|a-wrong-secret/)
  })
})

describe('/api/v1/monitors/run', () => {
  const served = serving()

  it.each(['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    '%s is not allowed and runs nothing',
    async (method) => {
      await served().plane.monitors.add(WATCHED)
      const answer = await served().send({ method, path: PATH, headers: bearer })
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } })
      expect(served().dns.questions).toEqual([])
    },
  )

  it('answers at its written path only', async () => {
    expect(await served().send({ method: 'POST', path: '/v1/monitors/run', headers: bearer })).toMatchObject({
      status: 404,
    })
  })
})

describe('without MONITORS_CRON_SECRET', () => {
  const served = serving({ env: { MONITORS_CRON_SECRET: undefined } })

  it.each([
    ['no secret', '', {}],
    ['an empty key', '?key=', {}],
    ['an empty bearer', '', { authorization: 'Bearer ' }],
    ['the word undefined', '?key=undefined', {}],
  ])('every run is refused: %s', async (_, query, headers) => {
    expect(await served().send({ method: 'POST', path: `${PATH}${query}`, headers })).toMatchObject(
      UNAUTHORIZED,
    )
  })
})

describe('without MONITORS_CRON_SECRET and with bad settings of monitors', () => {
  const served = serving({ env: { MONITORS_CRON_SECRET: undefined, MONITOR_DNS_SERVERS: 'not an address' } })

  it('every run is refused as without the secret alone', async () => {
    expect(await served().send({ method: 'POST', path: PATH })).toMatchObject(UNAUTHORIZED)
  })
})

describe('with bad settings of monitors', () => {
  const served = serving({ env: { MONITOR_DNS_SERVERS: 'not an address' } })

  it('monitors are out of order, and all else that is due on the tick is done', async () => {
    await served().plane.monitors.add(WATCHED)
    expect(await served().send(chatPost({ message: 'How do I install the agent?' }))).toMatchObject({
      status: 200,
    })
    served().clock.advance({ days: 90 })
    const answer = await served().send({ method: 'POST', path: PATH, headers: bearer })
    expect(answer).toMatchObject({ status: 200, body: { ok: true, ran: 0, purgedChats: 3 } })
    expect(await served().get('/healthz')).toMatchObject({ status: 200 })
  })

  it.each([
    ['no secret', '', {}],
    ['another bearer', '', { authorization: 'Bearer nope' }],
    ['another bearer beside another key', '?key=nope', { authorization: 'Bearer nope' }],
  ])('who does not know the secret does not hear of them: %s', async (_, query, headers) => {
    const sent = { method: 'POST', path: `${PATH}${query}`, headers }
    expect(await served().send(sent)).toMatchObject(UNAUTHORIZED)
  })

  it('the tick asks nobody for a monitor, since those to ask are not known', async () => {
    await served().plane.monitors.add(WATCHED)
    expect(await served().plane.scheduler.tick()).toMatchObject({ ran: 0 })
    expect(served().dns.questions).toEqual([])
  })
})

describe('when conversations cannot be removed', () => {
  const storage = memoryStorage(new FakeClock())
  const purge = () => Promise.reject(new Error('secret detail of the database'))
  const served = serving({ storage: { ...storage, conversations: { ...storage.conversations, purge } } })

  it('the run is none the worse for it, and the log says so', async () => {
    served().dns.answer('www.example.com', '192.0.2.1')
    await served().plane.monitors.add(WATCHED)
    const answer = await served().send({ method: 'POST', path: PATH, headers: bearer })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({ ...NOTHING, ran: 1 })
    const failed = served().log.lines.filter(({ fields }) => fields.task !== undefined)
    expect(failed).toMatchObject([{ level: 'error', fields: { task: 'chat-purge' } }])
  })
})

describe('when the run itself fails', () => {
  const storage = memoryStorage(new FakeClock())
  const broken = {
    ...storage,
    monitors: {
      ...storage.monitors,
      takeDue: () => Promise.reject(new Error('secret detail of the database')),
    },
  }
  const served = serving({ storage: broken })

  it('answers 500 with ok false and one constant sentence', async () => {
    const answer = await served().send({ method: 'POST', path: PATH, headers: bearer })
    expect(answer).toMatchObject({ status: 500 })
    expect(answer.body).toEqual({ ok: false, error: 'monitor run failed' })
  })
})
