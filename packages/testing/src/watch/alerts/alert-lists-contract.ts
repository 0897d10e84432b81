import { ofLicense, ofTenant, PLATFORM, type Scope, type Storage } from '@svc/core'
import { ALERT_STATUSES } from '@svc/core/adapters'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildAlertWrite } from './build-alert-write.ts'

const LATER = { minutes: 1 } as const

/** Contract suite of reading alerts: filters, order, pages and scopes. */
export function alertListsContract(name: string, open: () => Promise<Storage>): void {
  describe(`alert lists on ${name}`, () => {
    const storage = openedStorage(open)
    const alerts = () => storage().alerts

    it('a snooze that ends counts for every named alert of its key', async () => {
      const clock = new FakeClock()
      const key = { licenseId: buildId('lic'), dedupKey: 'host_offline:both' }
      const ids = [buildId('alr'), buildId('alr')]
      const steps = [[ids[0], 'open'] as const, [ids[0], 'resolve'] as const, [ids[1], 'open'] as const]
      for (const [alertId = '', alert] of steps) {
        const revision = (await alerts().watches(key, clock.now())).watches[0]?.revision ?? 0
        const write = buildAlertWrite({ ...key, alertId, revision, alert })
        await alerts().move(write, clock.advance(LATER), clock.now())
      }
      const until = new Date(clock.now().getTime() + 3_600_000)
      await alerts().write({ ids, action: 'snooze', actor: 'ann', until }, clock.now())
      const end = { ids, action: 'unsnooze', actor: 'ann', until: undefined } as const
      expect([...(await alerts().write(end, clock.now()))].sort()).toEqual(ids.toSorted())
      expect(await alerts().write(end, clock.now())).toEqual([])
    })

    it('of a key with several the open one is the latest, then the one that was closed last, whatever their ids', async () => {
      const clock = new FakeClock()
      const key = { licenseId: buildId('lic'), dedupKey: 'host_offline:one' }
      const watch = async () => (await alerts().watches(key, clock.now())).watches[0]
      for (const order of ['5', '7', '3']) {
        const alertId = `alr_${order}_${key.licenseId}`
        for (const alert of ['open', 'resolve'] as const) {
          clock.advance(LATER)
          const revision = (await watch())?.revision ?? 0
          await alerts().move(buildAlertWrite({ ...key, alertId, revision, alert }), clock.now(), clock.now())
          expect((await watch())?.alert?.id).toBe(alertId)
        }
      }
    })

    it('lists by status, host, kind and time, unresolved first and newest first, page by page', async () => {
      const clock = new FakeClock()
      const licenseId = buildId('lic')
      const made: string[] = []
      for (const kind of ['disk_high', 'mem_high', 'cpu_high'] as const) {
        const alertId = buildId('alr')
        made.push(alertId)
        const host = { fingerprint: `${kind}-fingerprint`, hostname: `host of ${kind}` }
        const move = buildAlertWrite({ licenseId, dedupKey: kind, alertId, content: { kind, host } })
        await alerts().move(move, clock.now(), clock.now())
        clock.advance(LATER)
      }
      const [disk = '', mem = '', cpu = ''] = made
      const resolve = buildAlertWrite({
        licenseId,
        dedupKey: 'cpu_high',
        alertId: cpu,
        revision: 1,
        alert: 'resolve',
      })
      await alerts().move(resolve, clock.now(), clock.now())
      const until = new Date(clock.now().getTime() + 60_000)
      await alerts().write({ ids: [mem], action: 'ack', actor: 'ann', until }, clock.now())
      const ids = async (filter: object) =>
        (await alerts().list(ofLicense(licenseId), { limit: 9, ...filter }, clock.now())).map(({ id }) => id)
      expect(await ids({})).toEqual([mem, disk, cpu])
      expect(await ids({ status: 'resolved' })).toEqual([cpu])
      expect(await ids({ status: 'acknowledged' })).toEqual([mem])
      expect(await ids({ status: 'firing' })).toEqual([disk])
      expect(await ids({ kind: 'mem_high' })).toEqual([mem])
      for (const host of ['host of disk_high', 'disk_high-fingerprint', 'agt_disk_high-fi']) {
        expect(await ids({ host })).toEqual([disk])
      }
      expect(await ids({ since: new Date(new FakeClock().now().getTime() + 60_000) })).toEqual([mem, cpu])
      expect(await ids({ limit: 1 })).toEqual([mem])
      expect(await ids({ after: { id: mem, isResolved: false } })).toEqual([disk, cpu])
      expect(await ids({ after: { id: cpu, isResolved: true } })).toEqual([])
      clock.advance(LATER)
      expect(await ids({ status: 'firing' })).toEqual([mem, disk])
    })

    it('a snooze and an acknowledgement are over at the instant they end, in lists, watches and writes', async () => {
      const clock = new FakeClock()
      const key = { licenseId: buildId('lic'), dedupKey: 'disk_high' }
      const alertId = buildId('alr')
      await alerts().move(buildAlertWrite({ ...key, alertId }), clock.now(), clock.now())
      const until = new Date(clock.now().getTime() + 60_000)
      const asked = { ids: [alertId], actor: 'ann', until }
      const shownAt = async (now: Date) => {
        const listed = await Promise.all(
          ALERT_STATUSES.map((status) => alerts().list(ofLicense(key.licenseId), { status, limit: 9 }, now)),
        )
        const { watches } = await alerts().watches(key, now)
        const status = ALERT_STATUSES.filter((_, at) => listed[at]?.length === 1)
        return [...status, watches[0]?.alert?.isAcknowledged]
      }
      const last = new Date(until.getTime() - 1)
      await alerts().write({ ...asked, action: 'ack' }, clock.now())
      expect(await shownAt(last)).toEqual(['acknowledged', true])
      expect(await shownAt(until)).toEqual(['firing', false])
      await alerts().write({ ...asked, action: 'snooze' }, clock.now())
      expect(await shownAt(last)).toEqual(['snoozed', true])
      expect(await shownAt(until)).toEqual(['firing', false])
      const again = { ...asked, action: 'ack', until: new Date(until.getTime() + 60_000) } as const
      expect(await alerts().write(again, last)).toEqual([])
      expect(await alerts().write(again, until)).toEqual([alertId])
    })

    it('a scope shows a license its own and its tenant’s, and a tenant those of all its licenses', async () => {
      const clock = new FakeClock()
      const tenantId = buildId('ten')
      await storage().tenants.add({ id: tenantId, name: tenantId }, clock.now())
      const licenses = [buildLicense({ tenantId }), buildLicense({ tenantId })]
      for (const license of licenses) await storage().licenses.add(license, clock.now())
      const [mine = '', other = ''] = licenses.map(({ id }) => id)
      const made = new Map<string, string>()
      const owners = {
        mine: { licenseId: mine, tenantId },
        other: { licenseId: other, tenantId },
        tenant: { licenseId: '', tenantId },
        stranger: { licenseId: '', tenantId: buildId('ten') },
        platform: { licenseId: '', tenantId: undefined },
      }
      for (const [who, owner] of Object.entries(owners)) {
        const alertId = buildId('alr')
        made.set(who, alertId)
        const dedupKey = `of ${who} ${mine}`
        await alerts().move(buildAlertWrite({ ...owner, dedupKey, alertId }), clock.now(), clock.now())
      }
      const ids = [...made.values()]
      const seen = async (scope: Scope) => (await alerts().byIds(scope, ids)).map(({ id }) => id)
      expect(await seen(ofLicense(mine))).toEqual([made.get('mine'), made.get('tenant')])
      expect(await seen(ofTenant(tenantId))).toEqual(['mine', 'other', 'tenant'].map((who) => made.get(who)))
      expect(await seen(PLATFORM)).toEqual(ids)
      expect(await alerts().byKey(ofLicense(mine), `of other ${mine}`)).toEqual([])
    })
  })
}
