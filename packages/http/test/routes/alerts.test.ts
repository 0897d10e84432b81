import { describe, expect, it } from '@jest/globals'
import { serving } from '../support/serving.ts'

const PATH = '/api/v1/fleet/alerts'
const NOW = 1_767_603_600

describe('/api/v1/fleet/alerts', () => {
  const served = serving()

  async function tick(): Promise<void> {
    served().clock.advance({ minutes: 1 })
    await served().plane.scheduler.tick()
  }
  /** Opens an alert for a full disk on each host; returns the alert ids, newest first. */
  async function opened(...hostnames: string[]): Promise<string[]> {
    for (const hostname of hostnames) {
      await served().post('/v1/telemetry/heartbeat', {
        fingerprint: `${hostname}-0123456789`,
        hostname,
        disk_pct: 95,
      })
    }
    await tick()
    await tick()
    const { body } = await served().get(PATH)
    return (body as { alerts: { id: string }[] }).alerts.map(({ id }) => id)
  }
  const act = (body: object | string) => served().post(PATH, body)
  const alertOf = ({ body }: { body: unknown }) => (body as { alert: Record<string, unknown> }).alert

  it('an alert has exactly the fields of the contract, and those of its state', async () => {
    const [id] = await opened('web-1')
    const firing = {
      id,
      dedup_key: 'disk_high:web-1-0123456789',
      kind: 'disk_high',
      severity: 'warning',
      status: 'firing',
      summary: 'the disk of web-1 is at 95 %',
      host: { id: 'agt_web-1-012345', hostname: 'web-1' },
      details: { percent: 95, threshold: 90 },
      count: 1,
      flapping: false,
      starts_at: NOW + 120,
      last_seen_at: NOW + 120,
      notified_at: NOW + 120,
    }
    expect((await served().get(PATH)).body).toEqual({ alerts: [firing] })
    const acknowledged = {
      ...firing,
      status: 'acknowledged',
      acknowledged_at: NOW + 120,
      acknowledged_by: `license ${served().licenseId}`,
      ack_expires_at: NOW + 120 + 86_400,
    }
    expect(await act({ id, action: 'ack' })).toMatchObject({
      status: 200,
      body: { ok: true, alert: acknowledged },
    })
    expect(alertOf(await act({ id, action: 'ack' }))).toEqual(acknowledged)
    const until = NOW + 4000
    expect(alertOf(await act({ id, action: 'snooze', until }))).toEqual({
      ...acknowledged,
      status: 'snoozed',
      snoozed_until: until,
    })
    expect(alertOf(await act({ id, action: 'unsnooze' }))).toEqual(acknowledged)
    expect(alertOf(await act({ id, action: 'unack' }))).toEqual(firing)
    const resolved = { ...firing, status: 'resolved', resolved_at: NOW + 120 }
    expect(alertOf(await act({ id, action: 'resolve', note: 'done' }))).toEqual(resolved)
    for (const action of ['resolve', 'ack', 'snooze'])
      expect(alertOf(await act({ id, action }))).toEqual(resolved)
  })

  it('alerts are named by id, by dedup key, or by several ids at once', async () => {
    const ids = await opened('web-1', 'web-2')
    expect(alertOf(await act({ dedup_key: 'disk_high:web-1-0123456789', action: 'ack' }))).toMatchObject({
      status: 'acknowledged',
    })
    const { body } = await act({ ids, action: 'snooze', for_seconds: 60 })
    expect(body).toMatchObject({ ok: true, alerts: ids.map((id) => ({ id, status: 'snoozed' })) })
  })

  it('the list is unresolved first and newest first, filtered, and goes on by a cursor', async () => {
    const [second, first] = await opened('web-1', 'web-2')
    await act({ id: second, action: 'resolve' })
    const ids = async (query: string) => {
      const { body, status } = await served().get(`${PATH}${query}`)
      expect(status).toBe(200)
      const page = body as { alerts: { id: string }[]; next_cursor?: string }
      return { ids: page.alerts.map(({ id }) => id), next: page.next_cursor }
    }
    expect(await ids('')).toEqual({ ids: [first, second], next: undefined })
    expect((await ids('?status=resolved')).ids).toEqual([second])
    expect((await ids('?host=web-1')).ids).toEqual([first])
    expect((await ids('?host=agt_web-1-012345&kind=disk_high&status=firing')).ids).toEqual([first])
    // No stored name holds a NUL: such a value finds nothing, as in a path.
    expect((await ids('?host=web-1%00')).ids).toEqual([])
    expect((await ids('?kind=host_offline')).ids).toEqual([])
    expect((await ids(`?since=${NOW + 121}`)).ids).toEqual([])
    expect((await ids(`?since=${NOW + 120}`)).ids).toHaveLength(2)
    const page = await ids('?limit=1')
    expect(page.ids).toEqual([first])
    expect(await ids(`?limit=1&cursor=${page.next}`)).toEqual({ ids: [second], next: undefined })
  })

  it.each([
    'status=open',
    'kind=x',
    'since=-1',
    'since=x',
    'since=8640000000001',
    'limit=0',
    'limit=501',
    'limit=1e2',
    'cursor=x',
  ])('a filter %s that cannot be read is 400', async (query) => {
    expect(await served().get(`${PATH}?${query}`)).toMatchObject({
      status: 400,
      body: {
        error: 'invalid query',
        details: [expect.stringContaining(query.split('=')[0] ?? '')],
      },
    })
  })

  it.each([
    [{ action: 'ack' }, 400],
    [{ id: 'alr_x', action: 'close' }, 400],
    [{ id: 'alr_x' }, 400],
    [{ id: 'alr_x', ids: ['alr_y'], action: 'ack' }, 400],
    [{ ids: Array.from({ length: 101 }, () => 'alr_x'), action: 'ack' }, 400],
    [{ id: 'alr_x', action: 'ack', note: 'n'.repeat(513) }, 400],
    ['{"id":"alr_x","action":"snooze","until":1e999}', 400],
    [{ id: 'alr_x', action: 'snooze', until: 8e15 }, 400],
    [{ id: 'alr_x', action: 'snooze', for_seconds: 0 }, 400],
    [{ id: null, action: 'ack' }, 400],
    [{ id: 'alr_x', action: 'ack' }, 404],
    [{ id: '\u0000', action: 'ack' }, 400],
    [{ dedup_key: 'x', action: 'unsnooze' }, 404],
    [{ ids: ['alr_x'], action: 'resolve' }, 404],
  ])('%j is %i', async (body, status) => {
    expect(await act(body)).toMatchObject({ status })
  })

  it('another license sees and changes nothing', async () => {
    const [id] = await opened('web-1')
    const { key } = await served().license('other')
    const as = { authorization: `Bearer ${key}` }
    expect((await served().get(PATH, as)).body).toEqual({ alerts: [] })
    for (const names of [{ id }, { ids: [id] }, { dedup_key: 'disk_high:web-1-0123456789' }]) {
      for (const action of ['ack', 'snooze', 'resolve']) {
        expect(await served().post(PATH, { ...names, action }, as)).toMatchObject({
          status: 404,
          body: { error: 'not found' },
        })
      }
    }
    expect((await served().get(PATH)).body).toMatchObject({ alerts: [{ id, status: 'firing' }] })
  })

  it('without a good key nothing is read or done, whatever the body says', async () => {
    const headers = { authorization: 'Bearer x' }
    for (const sent of [{ method: 'GET' }, { method: 'POST', body: '{' }]) {
      expect(await served().send({ ...sent, path: PATH, headers })).toMatchObject({
        status: 401,
        body: { error: 'unauthorized' },
      })
    }
  })

  it('is served at its written path only', async () => {
    expect(await served().get('/v1/fleet/alerts')).toMatchObject({ status: 404 })
  })

  it('a fleet that its limits refuse has an alert', async () => {
    for (let beat = 0; beat < 45; beat += 1)
      await served().post('/v1/telemetry/heartbeat', { fingerprint: 'fp' })
    await tick()
    await tick()
    expect((await served().get(PATH)).body).toMatchObject({
      alerts: [{ kind: 'rate_limited_fleet', details: { refused: 15 } }],
    })
  })
})
