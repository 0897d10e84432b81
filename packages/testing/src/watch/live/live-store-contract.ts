import { ofLicense, ofTenant, PLATFORM, type Scope, type Storage } from '@svc/core'
import {
  type HeartbeatWrite,
  LIVE_LISTS,
  LIVE_TICK_SECONDS,
  type LiveSubject,
  standingOf,
} from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { buildUser } from '../../people/users/build-user.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../../work/agents/build-heartbeat.ts'
import { buildApp } from '../../work/apps/build-app.ts'
import { JobsScene } from '../../work/jobs/jobs-scene.ts'
import { buildAlertWrite } from '../alerts/build-alert-write.ts'

const SILENT_SECONDS = 140

/** Contract suite of the storage that looks at what open pages show. */
export function liveStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`live store on ${name}`, () => {
    const storage = openedStorage(open)
    const beat = ({ licenseId, now }: JobsScene, fields: Partial<HeartbeatWrite> = {}) =>
      storage().agents.heartbeat(buildHeartbeat({ licenseId, fingerprint: 'host one', ...fields }), now)
    const look = ({ now }: JobsScene, subjects: readonly LiveSubject[]) =>
      storage().live.versions(subjects, SILENT_SECONDS, now)

    /** A license of a tenant of its own, with its queue. */
    async function scene() {
      const jobs = new JobsScene(storage(), true)
      const tenantId = buildId('ten')
      await storage().tenants.add({ id: tenantId, name: tenantId }, jobs.now)
      await storage().licenses.add(buildLicense({ id: jobs.licenseId, tenantId }))
      return { jobs, tenantId, scope: ofTenant(tenantId) }
    }

    /** Returns which of the subjects another version has after some work. */
    async function changed(jobs: JobsScene, subjects: readonly LiveSubject[], work: () => Promise<unknown>) {
      const before = await look(jobs, subjects)
      await work()
      const after = await look(jobs, subjects)
      return subjects.map((_, index) => before[index] !== after[index])
    }

    it('every list has a version that stays while nothing happens, for staff and for tenants', async () => {
      const { jobs, scope } = await scene()
      const all = [PLATFORM, scope].flatMap((each) => LIVE_LISTS.map((topic) => ({ scope: each, topic })))
      const found = await look(jobs, all)
      expect(found.slice(0, LIVE_LISTS.length)).not.toContain(undefined)
      expect(found.slice(LIVE_LISTS.length)).toContain(undefined)
      expect(await look(jobs, all)).toEqual(found)
      expect(await look(jobs, [])).toEqual([])
    })

    it('a tenant has no version of lists that are for staff', async () => {
      const { jobs, scope } = await scene()
      const staff = [
        'users',
        'tokens',
        'audit',
        'chat',
        'security',
        'email-queue',
        'provision-orders',
      ] as const
      const found = await look(
        jobs,
        staff.map((topic) => ({ scope, topic })),
      )
      expect(found).toEqual(staff.map(() => undefined))
    })

    it('each step of a job is seen in its list, at its license and at the job itself', async () => {
      const { jobs, scope } = await scene()
      const lists: readonly LiveSubject[] = [
        { scope, topic: 'jobs' },
        { scope: PLATFORM, topic: 'jobs' },
        { scope, topic: 'license-jobs', key: jobs.licenseId },
      ]
      expect(await changed(jobs, lists, () => jobs.enqueue())).toEqual([true, true, true])
      let job = await jobs.claim()
      expect(job.job).toBeDefined()
      const held = job.job
      if (held === undefined) return
      const all: readonly LiveSubject[] = [...lists, { scope, topic: 'job', key: held.id }]
      const seen = [true, true, true, true]
      expect(await changed(jobs, all, () => jobs.report(held, 'running'))).toEqual(seen)
      expect(await changed(jobs, all, () => jobs.cancel(held))).toEqual(seen)
      expect(await changed(jobs, all, () => jobs.append(held, ['one']))).toEqual(seen.map(() => false))
      expect(await changed(jobs, all, () => jobs.report(held, 'failed'))).toEqual(seen)
      job = await jobs.claim()
      expect(job.job).toBeUndefined()
    })

    it('a job that runs shows how long, so it has another version from time to time', async () => {
      const { jobs, scope } = await scene()
      const job = await jobs.held()
      const subjects: readonly LiveSubject[] = [
        { scope, topic: 'jobs' },
        { scope, topic: 'job', key: job.id },
      ]
      const wait = async (seconds: number) => jobs.clock.advance({ seconds })
      expect(await changed(jobs, subjects, () => wait(LIVE_TICK_SECONDS))).toEqual([true, true])
      await jobs.report(job, 'succeeded')
      expect(await changed(jobs, subjects, () => wait(LIVE_TICK_SECONDS))).toEqual([false, false])
    })

    it('a log has as many lines as were appended, and a job without a log has none', async () => {
      const { jobs } = await scene()
      const job = await jobs.held()
      const ends = () => storage().live.logEnds([job.id, 'job_none'])
      expect(await ends()).toEqual([0, 0])
      await jobs.append(job, ['one', 'two'])
      expect(await ends()).toEqual([2, 0])
      await jobs.append(job, ['three'])
      expect(await ends()).toEqual([3, 0])
      expect(await storage().live.logEnds([])).toEqual([])
    })

    it('a host that falls silent changes no row and is seen, and so is one that is labelled', async () => {
      const { jobs, scope } = await scene()
      const { licenseId } = jobs
      await beat(jobs)
      const subjects: readonly LiveSubject[] = [
        { scope, topic: 'fleet' },
        { scope, topic: 'host', key: `${licenseId} agt_host one` },
      ]
      const label = () => storage().agents.change(licenseId, 'host one', { label: 'blue' }, jobs.now)
      expect(await changed(jobs, subjects, label)).toEqual([true, true])
      const wait = async (seconds: number) => jobs.clock.advance({ seconds })
      expect(await changed(jobs, subjects, () => wait(SILENT_SECONDS))).toEqual([false, false])
      expect(await changed(jobs, subjects, () => wait(1))).toEqual([true, true])
      expect(await changed(jobs, subjects, () => beat(jobs))).toEqual([true, true])
    })

    it('an alert, a change of an app, a release and a state of an app are seen', async () => {
      const { jobs, tenantId, scope } = await scene()
      const { licenseId, now } = jobs
      const subjects: readonly LiveSubject[] = [
        { scope, topic: 'alerts' },
        { scope, topic: 'apps' },
      ]
      const write = buildAlertWrite({ licenseId, tenantId, dedupKey: 'one' })
      expect(await changed(jobs, subjects, () => storage().alerts.move(write, now, now))).toEqual([
        true,
        false,
      ])
      const ack = { ids: [write.alertId], action: 'ack', actor: 'ann', until: jobs.in(60) } as const
      expect(await changed(jobs, subjects, () => storage().alerts.write(ack, now))).toEqual([true, false])
      const wait = async () => jobs.clock.advance({ seconds: 61 })
      expect(await changed(jobs, subjects, wait)).toEqual([true, false])
      const app = buildApp({ licenseId, name: 'shop' })
      expect(await changed(jobs, subjects, () => storage().apps.add(app, 9, now))).toEqual([false, true])
      await beat(jobs, { fingerprint: 'a' })
      const observed = (state: 'up' | 'down') =>
        storage().observedApps.note(
          { licenseId, fingerprint: 'a' },
          [{ app: 'shop', state, release: 1, up: 1, of: 1, restarts: 0 }],
          9,
          jobs.now,
        )
      expect(await changed(jobs, subjects, () => observed('up'))).toEqual([false, true])
      expect(await changed(jobs, subjects, () => observed('up'))).toEqual([false, false])
      expect(await changed(jobs, subjects, () => observed('down'))).toEqual([false, true])
    })

    it('nobody has a version of the things of others, and no list changes with them', async () => {
      const [own, other] = [await scene(), await scene()]
      const { jobs } = other
      const job = await jobs.held()
      await beat(jobs)
      const things = (scope: Scope): readonly LiveSubject[] => [
        { scope, topic: 'job', key: job.id },
        { scope, topic: 'host', key: `${jobs.licenseId} agt_host one` },
        { scope, topic: 'license-jobs', key: jobs.licenseId },
      ]
      expect(await look(jobs, things(other.scope))).not.toContain(undefined)
      expect(await look(jobs, things(PLATFORM))).not.toContain(undefined)
      const nothing = [undefined, undefined, undefined]
      for (const scope of [own.scope, ofTenant('ten_none'), ofTenant(jobs.licenseId)])
        expect(await look(jobs, things(scope))).toEqual(nothing)
      const lists = LIVE_LISTS.map((topic) => ({ scope: own.scope, topic }))
      const work = async () => {
        await jobs.enqueue()
        await jobs.report(job, 'succeeded')
        await beat(jobs, { hostname: 'renamed', fingerprint: 'host two' })
        const write = buildAlertWrite({
          ...jobs,
          licenseId: jobs.licenseId,
          tenantId: other.tenantId,
          dedupKey: 'x',
        })
        await storage().alerts.move(write, jobs.now, jobs.now)
        await storage().apps.add(buildApp({ licenseId: jobs.licenseId, name: 'theirs' }), 9, jobs.now)
        await storage().tenants.add({ id: buildId('ten'), name: buildId('name') }, jobs.now)
      }
      expect(await changed(own.jobs, lists, work)).toEqual(lists.map(() => false))
      expect(await look(jobs, [{ scope: ofLicense(jobs.licenseId), topic: 'jobs' }])).toEqual([undefined])
    })

    it('a session stands for its person in their role until it ends', async () => {
      const { jobs, tenantId } = await scene()
      const user = buildUser({ role: 'owner', tenantId })
      await storage().users.add(user, jobs.now)
      const digest = buildId('digest')
      await storage().sessions.open({ digest, userId: user.id }, jobs.now)
      const standing = async () => (await look(jobs, [{ scope: PLATFORM, topic: 'session', key: digest }]))[0]
      expect(await standing()).toBe(standingOf(user))
      await storage().users.change(user.id, { role: 'viewer' }, jobs.now)
      expect(await standing()).toBe(standingOf({ ...user, role: 'viewer' }))
      await storage().sessions.revoke(digest, jobs.now)
      expect(await standing()).toBeUndefined()
    })

    it('a session ends with its person, and with its time', async () => {
      const { jobs } = await scene()
      const [user, gone] = [buildUser(), buildUser()]
      const digests = [buildId('digest'), buildId('digest')]
      for (const [index, each] of [user, gone].entries()) {
        await storage().users.add(each, jobs.now)
        await storage().sessions.open({ digest: digests[index] ?? '', userId: each.id }, jobs.now)
      }
      const standings = () =>
        look(
          jobs,
          digests.map((key) => ({ scope: PLATFORM, topic: 'session', key })),
        )
      await storage().users.change(gone.id, { disabled: true }, jobs.now)
      expect(await standings()).toEqual([standingOf(user), undefined])
      jobs.clock.advance({ seconds: 7200 })
      expect(await standings()).toEqual([undefined, undefined])
    })
  })
}
