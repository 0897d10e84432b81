import { ofLicense, ofTenant, PLATFORM, type Storage } from '@svc/core'
import type { HeartbeatWrite, Overview } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../../work/agents/build-heartbeat.ts'
import { HOST, JobsScene } from '../../work/jobs/jobs-scene.ts'
import { buildAlertWrite } from '../alerts/build-alert-write.ts'

const SILENT_SECONDS = 140
const LATE_AFTER = { silentSeconds: SILENT_SECONDS, backupHours: 26, drillDays: 35 }
const DAY_SECONDS = 86_400

/** The figures of somebody who has nothing. */
const NOTHING: Overview = {
  hosts: { up: 0, silent: 0, draining: 0 },
  jobs: { running: 0, waiting: 0, oldestSeconds: 0, failed: 0 },
  alerts: { critical: 0, warning: 0 },
  apps: { troubled: 0 },
  backups: { late: 0, drills: 0 },
}

/** Contract suite of the storage of the overview's figures. */
export function overviewStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`overview store on ${name}`, () => {
    const storage = openedStorage(open)
    const scene = () => new JobsScene(storage(), true)
    const figures = (jobs: JobsScene, scope = ofLicense(jobs.licenseId)) =>
      storage().overview.read(scope, LATE_AFTER, jobs.now)
    const beat = ({ licenseId, now }: JobsScene, fields: Partial<HeartbeatWrite> = {}) =>
      storage().agents.heartbeat(buildHeartbeat({ licenseId, fingerprint: buildId('fp'), ...fields }), now)

    it('who has nothing has zeros', async () => {
      const jobs = scene()
      await jobs.license()
      expect(await figures(jobs)).toEqual(NOTHING)
      expect(await figures(jobs, ofTenant('ten_none'))).toEqual(NOTHING)
      expect(await storage().overview.read(ofLicense('lic_none'), LATE_AFTER)).toEqual(NOTHING)
    })

    it('a host is up until its silence is longer than allowed, and one that drains counts as well', async () => {
      const jobs = scene()
      await jobs.license()
      const fingerprint = buildId('fp')
      await beat(jobs)
      await beat(jobs, { fingerprint })
      await storage().agents.change(jobs.licenseId, fingerprint, { drained: true }, jobs.now)
      expect((await figures(jobs)).hosts).toEqual({ up: 2, silent: 0, draining: 1 })
      jobs.clock.advance({ seconds: SILENT_SECONDS })
      expect((await figures(jobs)).hosts).toEqual({ up: 2, silent: 0, draining: 1 })
      await beat(jobs, { fingerprint })
      jobs.clock.advance({ seconds: 1 })
      expect((await figures(jobs)).hosts).toEqual({ up: 1, silent: 1, draining: 1 })
    })

    it('a backup or a drill is late when it failed or is too old, and a host without any is not', async () => {
      const jobs = scene()
      await jobs.license()
      const second = jobs.now.getTime() / 1000
      const [backup, drill] = [second - 26 * 3600, second - 35 * DAY_SECONDS]
      await beat(jobs)
      await beat(jobs, { lastCaptureAt: 0, lastDrillAt: 0 })
      await beat(jobs, {
        lastCaptureAt: backup + 1,
        captureSuccess: true,
        lastDrillAt: drill + 1,
        drillPass: true,
      })
      expect((await figures(jobs)).backups).toEqual({ late: 0, drills: 0 })
      await beat(jobs, { lastCaptureAt: backup - 1, captureSuccess: true })
      await beat(jobs, { lastCaptureAt: second, captureSuccess: false })
      await beat(jobs, { lastDrillAt: drill - 1, drillPass: true })
      await beat(jobs, { lastDrillAt: second, drillPass: false })
      expect((await figures(jobs)).backups).toEqual({ late: 2, drills: 2 })
    })

    it('a job waits from the time that it is due, runs once it is claimed, and counts as failed for a day', async () => {
      const jobs = scene()
      await jobs.license()
      await jobs.enqueue({ runAt: jobs.in(60) })
      await jobs.enqueue()
      jobs.clock.advance({ seconds: 30.5 })
      expect((await figures(jobs)).jobs).toEqual({ running: 0, waiting: 1, oldestSeconds: 30, failed: 0 })
      const held = await jobs.claim()
      if (held.job === undefined) throw new Error('the job is due')
      expect((await figures(jobs)).jobs).toMatchObject({ running: 1, waiting: 0, oldestSeconds: 0 })
      await jobs.report(held.job, 'failed', { fingerprint: HOST })
      jobs.clock.advance({ seconds: DAY_SECONDS })
      expect((await figures(jobs)).jobs).toMatchObject({ running: 0, waiting: 1, failed: 1 })
      jobs.clock.advance({ seconds: 1 })
      expect((await figures(jobs)).jobs).toMatchObject({ failed: 0 })
    })

    it('a job has waited for no time at least, also by a clock that was set back', async () => {
      const jobs = scene()
      await jobs.license()
      await jobs.enqueue({ urgent: true })
      jobs.clock.advance({ hours: -1 })
      expect((await figures(jobs)).jobs).toMatchObject({ waiting: 1, oldestSeconds: 0 })
    })

    it('an alert counts while it fires, not while it is acknowledged, nor once it is resolved', async () => {
      const jobs = scene()
      await jobs.license()
      const { licenseId } = jobs
      const opened = async (severity: 'critical' | 'warning', dedupKey: string) => {
        const write = buildAlertWrite({ licenseId, dedupKey, content: { severity } })
        await storage().alerts.move(write, jobs.now, jobs.now)
        return write.alertId
      }
      const critical = await opened('critical', 'one')
      await opened('warning', 'two')
      expect((await figures(jobs)).alerts).toEqual({ critical: 1, warning: 1 })
      const until = jobs.in(60)
      await storage().alerts.write({ ids: [critical], action: 'ack', actor: 'ann', until }, jobs.now)
      expect((await figures(jobs)).alerts).toEqual({ critical: 0, warning: 1 })
      jobs.clock.advance({ seconds: 61 })
      expect((await figures(jobs)).alerts).toEqual({ critical: 1, warning: 1 })
    })

    it('an app with trouble on two hosts counts once', async () => {
      const jobs = scene()
      await jobs.license()
      const { licenseId } = jobs
      const state = { app: 'shop', release: 1, up: 0, of: 1, restarts: 0 }
      for (const [fingerprint, word] of [
        ['a', 'down'],
        ['b', 'degraded'],
        ['c', 'up'],
      ] as const) {
        await beat(jobs, { fingerprint })
        const entries = [
          { ...state, state: word },
          { ...state, app: `other-${word}`, state: 'stopped' as const },
        ]
        await storage().observedApps.note({ licenseId, fingerprint }, entries, 10, jobs.now)
      }
      expect((await figures(jobs)).apps).toEqual({ troubled: 1 })
    })

    it('a scope counts its own things alone', async () => {
      const [own, other] = [scene(), scene()]
      const tenantId = buildId('ten')
      await storage().tenants.add({ id: tenantId, name: tenantId }, own.now)
      await storage().licenses.add(buildLicense({ id: own.licenseId, tenantId }))
      await other.license()
      const before = await figures(own, PLATFORM)
      for (const jobs of [own, other, other]) {
        await beat(jobs)
        await jobs.enqueue()
      }
      const counts = async (scope: Parameters<typeof figures>[1]) => {
        const { hosts, jobs } = await figures(own, scope)
        return [hosts.up, jobs.waiting]
      }
      expect(await counts(ofLicense(own.licenseId))).toEqual([1, 1])
      expect(await counts(ofTenant(tenantId))).toEqual([1, 1])
      expect(await counts(ofLicense(other.licenseId))).toEqual([2, 2])
      const [up = 0, waiting = 0] = await counts(PLATFORM)
      expect([up - before.hosts.up, waiting - before.jobs.waiting]).toEqual([3, 3])
    })
  })
}
