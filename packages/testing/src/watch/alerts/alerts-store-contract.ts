import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import type { Alert } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildAlertWrite, type WriteFields } from './build-alert-write.ts'

const LATER = { minutes: 1 } as const

/** Contract suite of stores of alerts: one unresolved row per dedup key, and each step counts once. */
export function alertsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`alerts store on ${name}`, () => {
    const storage = openedStorage(open)
    const alerts = () => storage().alerts

    /** Makes one dedup key with a clock of its own. */
    function scene() {
      const clock = new FakeClock()
      const key = { licenseId: buildId('lic'), dedupKey: `host_offline:${buildId('fp')}` }
      const alertId = buildId('alr')
      const move = async (fields: WriteFields = {}) => {
        const { at, watches } = await alerts().watches(key, clock.now())
        const revision = watches[0]?.revision ?? 0
        const made = buildAlertWrite({ ...key, alertId, revision, ...fields })
        return alerts().move(made, at, clock.now())
      }
      const shown = async () => (await alerts().byIds(PLATFORM, [alertId]))[0]
      return { clock, key, alertId, move, shown }
    }

    it('an alert opens with what its condition shows and is found by id, key and list', async () => {
      const { clock, key, alertId, move } = scene()
      const opened = await move()
      const expected: Alert = {
        ...key,
        id: alertId,
        tenantId: undefined,
        kind: 'host_offline',
        severity: 'critical',
        summary: 'web-1 has not reported',
        host: { fingerprint: 'fp-0123456789', hostname: 'web-1' },
        details: { last_heartbeat: 1 },
        count: 1,
        flapping: false,
        startsAt: clock.now(),
        lastSeenAt: clock.now(),
        acknowledgedAt: undefined,
        acknowledgedBy: undefined,
        ackExpiresAt: undefined,
        snoozedUntil: undefined,
        resolvedAt: undefined,
        notifiedAt: undefined,
      }
      expect(opened?.alert).toEqual(expected)
      expect(await alerts().byIds(PLATFORM, [alertId, 'unknown'])).toEqual([expected])
      expect(await alerts().byKey(PLATFORM, key.dedupKey)).toEqual([expected])
      expect(await alerts().list(ofLicense(key.licenseId), { limit: 10 })).toEqual([expected])
    })

    it('a key that nothing is known of has no watch, and the reading has its instant', async () => {
      const { clock, key } = scene()
      expect(await alerts().watches(key, clock.now())).toEqual({ at: clock.now(), watches: [] })
    })

    it('a watch remembers what the step says, and the latest alert', async () => {
      const { clock, key, alertId, move } = scene()
      await move({ alert: 'none', state: { pendingSince: clock.now(), isPresent: true } })
      const first = await alerts().watches(key, clock.now())
      expect(first.watches).toMatchObject([{ revision: 1, pendingSince: clock.now(), alert: undefined }])
      clock.advance(LATER)
      await move({ state: { transitions: [clock.now().getTime()] }, content: { event: 'job_1' } })
      const { watches } = await alerts().watches(key, clock.now())
      const alert = { id: alertId, resolvedAt: undefined, flapping: false, event: 'job_1' }
      const seen = { isAcknowledged: false, isAnnounced: false }
      expect(watches).toEqual([
        {
          ...key,
          tenantId: undefined,
          revision: 2,
          pendingSince: undefined,
          isPresent: true,
          transitions: [clock.now().getTime()],
          dismissed: undefined,
          snoozedUntil: undefined,
          alert: { ...alert, ...seen },
        },
      ])
    })

    it('a step that was decided on an older revision changes nothing', async () => {
      const { clock, move, shown } = scene()
      await move()
      clock.advance(LATER)
      await move({ alert: 'keep', content: { summary: 'new' } })
      expect(await move({ revision: 1, alert: 'resolve' })).toBeUndefined()
      expect(await move({ revision: 0 })).toBeUndefined()
      expect(await shown()).toMatchObject({ summary: 'new', resolvedAt: undefined })
    })

    it('an evaluation that began before the last one was written changes nothing', async () => {
      const { clock, key, alertId, move } = scene()
      await move()
      const late = buildAlertWrite({ ...key, alertId, revision: 1, alert: 'keep' })
      expect(await alerts().move(late, clock.now(), clock.now())).toBeUndefined()
      const at = clock.advance(LATER)
      expect(await alerts().move(late, at, clock.now())).toBeDefined()
    })

    it('of sixteen that open one key at once, one does', async () => {
      const { clock, key } = scene()
      const at = clock.now()
      const moves = Array.from({ length: 16 }, () => alerts().move(buildAlertWrite(key), at, clock.now()))
      expect((await Promise.all(moves)).filter((done) => done?.alert !== undefined)).toHaveLength(1)
      expect(await alerts().list(ofLicense(key.licenseId), { limit: 99 })).toHaveLength(1)
    })

    it('a resolved alert keeps its row, and coming back opens it again with a count', async () => {
      const { clock, move, shown, alertId } = scene()
      await move()
      const until = new Date(clock.now().getTime() + 60_000)
      await alerts().write({ ids: [alertId], action: 'ack', actor: 'ann', until }, clock.now())
      const resolvedAt = clock.advance(LATER)
      await move({ alert: 'resolve' })
      expect(await shown()).toMatchObject({ resolvedAt, count: 1, lastSeenAt: new FakeClock().now() })
      clock.advance(LATER)
      await move({ alert: 'reopen', flapping: true })
      expect(await shown()).toMatchObject({
        count: 2,
        flapping: true,
        resolvedAt: undefined,
        acknowledgedAt: undefined,
        acknowledgedBy: undefined,
        lastSeenAt: clock.now(),
      })
    })

    it('what is not seen keeps what it shows', async () => {
      const { clock, move, shown } = scene()
      await move()
      const before = await shown()
      clock.advance(LATER)
      await move({ alert: 'keep', isSeen: false, flapping: true })
      expect({ ...(await shown()), lastSeenAt: before?.lastSeenAt }).toEqual({ ...before, flapping: true })
    })

    it('an acknowledgement stands until it ends, and asking again changes nothing', async () => {
      const { clock, move, shown, alertId } = scene()
      await move()
      const first = clock.now()
      const until = new Date(first.getTime() + 3_600_000)
      await alerts().write({ ids: [alertId], action: 'ack', actor: 'ann', until }, first)
      await alerts().write({ ids: [alertId], action: 'ack', actor: 'bob', until }, clock.advance(LATER))
      expect(await shown()).toMatchObject({
        acknowledgedBy: 'ann',
        acknowledgedAt: first,
        ackExpiresAt: until,
      })
      const end = clock.advance({ hours: 1 })
      const next = new Date(end.getTime() + 3_600_000)
      await alerts().write({ ids: [alertId], action: 'ack', actor: 'bob', until: next }, end)
      expect(await shown()).toMatchObject({ acknowledgedBy: 'bob', acknowledgedAt: end })
      await alerts().write({ ids: [alertId], action: 'unack', actor: 'bob', until: undefined }, end)
      expect(await shown()).toMatchObject({ acknowledgedBy: undefined, ackExpiresAt: undefined })
    })

    it('a snooze is its key’s: it outlives the alert and voids steps that do not know of it', async () => {
      const { clock, key, move, alertId, shown } = scene()
      await move()
      const until = new Date(clock.now().getTime() + 3_600_000)
      await alerts().write({ ids: [alertId], action: 'snooze', actor: 'ann', until }, clock.now())
      expect(await shown()).toMatchObject({ snoozedUntil: until })
      clock.advance(LATER)
      expect(await move({ revision: 1, alert: 'keep' })).toBeUndefined()
      await move({ alert: 'resolve' })
      const [watch] = (await alerts().watches(key, clock.now())).watches
      expect(watch).toMatchObject({ snoozedUntil: until, alert: { resolvedAt: clock.now() } })
      await alerts().write(
        { ids: [alertId], action: 'unsnooze', actor: 'ann', until: undefined },
        clock.now(),
      )
      expect(await shown()).toMatchObject({ snoozedUntil: undefined })
    })

    it('ack and snooze change nothing of a resolved alert', async () => {
      const { clock, move, alertId, shown } = scene()
      await move()
      clock.advance(LATER)
      await move({ alert: 'resolve' })
      const before = await shown()
      const until = new Date(clock.now().getTime() + 3_600_000)
      for (const action of ['ack', 'snooze'] as const) {
        await alerts().write({ ids: [alertId], action, actor: 'ann', until }, clock.now())
      }
      expect(await shown()).toEqual(before)
    })

    it('of sixteen who do the same at once one is told that they did it', async () => {
      const { clock, move, alertId } = scene()
      await move()
      const until = new Date(clock.now().getTime() + 3_600_000)
      for (const action of ['ack', 'snooze', 'unsnooze', 'unack'] as const) {
        const write = { ids: [alertId], action, actor: 'ann', until }
        const told = await Promise.all(Array.from({ length: 16 }, () => alerts().write(write, clock.now())))
        expect([action, told.flat()]).toEqual([action, [alertId]])
      }
    })

    it('a forgotten key is new again', async () => {
      const { clock, key, move } = scene()
      await move({ alert: 'none' })
      clock.advance(LATER)
      expect(await move({ alert: 'none', forget: true })).toEqual({ alert: undefined })
      expect((await alerts().watches(key, clock.now())).watches).toEqual([])
    })

    it('records what people did, in order', async () => {
      const { clock, move, alertId } = scene()
      await move()
      const entry = { alertId, actor: 'ann', action: 'ack' as const, note: 'on it' }
      const said = (note: string | undefined) => ({ ...entry, id: buildId('act'), note })
      const [first, second] = [said('on it'), said(undefined)]
      await alerts().record([first, second], clock.now())
      const kept = [first, second].map((each) => ({ ...each, at: clock.now() }))
      expect(await alerts().actions(alertId)).toEqual(kept)
      const [again, repeat] = [said('on it'), said('on it')]
      for (const each of [again, repeat]) await alerts().record([{ ...each, onlyNews: true }], clock.now())
      expect(await alerts().actions(alertId)).toEqual([...kept, { ...again, at: clock.now() }])
    })

    it('counts by status and severity, and purges what was resolved long ago', async () => {
      const { clock, move, alertId } = scene()
      clock.advance({ days: -400 })
      const count = async () => (await alerts().counts(clock.now())).get('resolved info') ?? 0
      const before = await count()
      await move({ content: { severity: 'info' } })
      clock.advance(LATER)
      await move({ alert: 'resolve' })
      expect(await count()).toBe(before + 1)
      await alerts().purge(90, clock.advance({ days: 90 }))
      expect(await alerts().byIds(PLATFORM, [alertId])).toHaveLength(1)
      expect(await alerts().purge(90, clock.advance(1))).toBeGreaterThan(0)
      expect(await alerts().byIds(PLATFORM, [alertId])).toEqual([])
    })
  })
}
