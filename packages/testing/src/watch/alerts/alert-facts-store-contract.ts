import { ofLicense, type Storage } from '@svc/core'
import type { NewJob } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../../work/agents/build-heartbeat.ts'
import { buildJob } from '../../work/jobs/build-job.ts'

const DAY_SECONDS = 86_400

/** Contract suite of the facts that alert rules look up. */
export function alertFactsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`alert facts store on ${name}`, () => {
    const storage = openedStorage(open)
    const facts = () => storage().alertFacts

    function host() {
      const clock = new FakeClock()
      const [licenseId, fingerprint] = [buildId('lic'), buildId('fp')]
      const beat = (bootId: string | undefined, hostname = 'web') =>
        storage().agents.heartbeat(buildHeartbeat({ licenseId, fingerprint, bootId, hostname }), clock.now())
      const clone = async () =>
        (await facts().clones(clock.now())).find((each) => each.fingerprint === fingerprint)
      return { clock, licenseId, fingerprint, beat, clone }
    }

    it('two boot ids that take turns are a clone, until ten minutes after the last turn', async () => {
      const { clock, licenseId, fingerprint, beat, clone } = host()
      await beat('a')
      clock.advance({ seconds: 30 })
      await beat('b')
      expect(await clone()).toBeUndefined()
      const returnedAt = clock.advance({ seconds: 30 })
      await beat('a')
      const hostnames = ['web']
      expect(await clone()).toEqual({ licenseId, fingerprint, hostnames, bootIds: ['a', 'b'], returnedAt })
      clock.advance({ ms: 599_999 })
      expect(await clone()).toBeDefined()
      clock.advance(1)
      expect(await clone()).toBeUndefined()
    })

    it('three machines that report in turn are clones too', async () => {
      const { clock, beat, clone } = host()
      for (const boot of ['a', 'b', 'c', 'a']) {
        clock.advance({ seconds: 20 })
        await beat(boot)
      }
      expect(await clone()).toMatchObject({ bootIds: ['a', 'b', 'c'] })
    })

    it('two hostnames that take turns are a clone', async () => {
      const { clock, beat, clone } = host()
      for (const hostname of ['one', 'two', 'one']) {
        clock.advance({ seconds: 20 })
        await beat(undefined, hostname)
      }
      expect(await clone()).toMatchObject({ hostnames: ['one', 'two'] })
    })

    it('a restart, a new name, and a return after more than ten minutes are none', async () => {
      const { clock, beat, clone } = host()
      await beat('a')
      await beat('b')
      await beat('c', 'renamed')
      clock.advance({ seconds: 601 })
      await beat('b')
      expect(await clone()).toBeUndefined()
    })

    it('a host that is forgotten is no clone any more', async () => {
      const { clock, licenseId, fingerprint, beat, clone } = host()
      for (const boot of ['a', 'b', 'a']) {
        clock.advance({ seconds: 20 })
        await beat(boot)
      }
      await storage().agents.forget(licenseId, fingerprint)
      expect(await clone()).toBeUndefined()
    })

    /** Makes a license whose jobs end as soon as they are enqueued. */
    function queue() {
      const clock = new FakeClock()
      const licenseId = buildId('lic')
      const end = async (state: 'succeeded' | 'failed', fields: Partial<NewJob> = {}, seconds = 1) => {
        clock.advance({ seconds })
        const fingerprint = fields.target || 'fp'
        const { job } = await storage().jobs.enqueue(buildJob({ ...fields, licenseId }), clock.now())
        const lease = { licenseId, fingerprint, leaseSeconds: 300, claimKey: undefined }
        await storage().jobs.lease(lease, clock.now())
        const owner = { jobId: job.id, licenseId, fingerprint, attempt: undefined, leaseSeconds: 300 }
        await storage().jobs.report({ ...owner, state, exitCode: undefined, error: undefined }, clock.now())
        return job.id
      }
      const failed = async (withinSeconds = DAY_SECONDS) =>
        (await facts().failures(withinSeconds, clock.now()))
          .filter((job) => job.licenseId === licenseId)
          .map(({ id }) => id)
      return { clock, licenseId, end, failed }
    }

    it('a failure of an application stands until a later job of it succeeds', async () => {
      const { end, failed } = queue()
      await end('failed', { kind: 'deploy', app: 'shop' })
      const latest = await end('failed', { kind: 'redeploy', app: 'shop' })
      await end('succeeded', { kind: 'deploy', app: 'blog' })
      expect(await failed()).toEqual([latest])
      await end('succeeded', { kind: 'deploy', app: 'shop' })
      expect(await failed()).toEqual([])
    })

    it('of a success and a failure at one instant the success counts, whichever was told first', async () => {
      const { end, failed } = queue()
      await end('succeeded', { kind: 'deploy', app: 'shop' })
      await end('failed', { kind: 'deploy', app: 'shop' }, 0)
      expect(await failed()).toEqual([])
      await end('failed', { kind: 'deploy', app: 'shop' })
      await end('succeeded', { kind: 'deploy', app: 'shop' }, 0)
      expect(await failed()).toEqual([])
    })

    it('other jobs are made good by their kind on the same host only', async () => {
      const { end, failed } = queue()
      const prune = await end('failed', { kind: 'prune', target: 'h1' })
      await end('succeeded', { kind: 'prune', target: 'h2' })
      await end('succeeded', { kind: 'db', target: 'h1' })
      expect(await failed()).toEqual([prune])
      await end('succeeded', { kind: 'prune', target: 'h1' })
      expect(await failed()).toEqual([])
    })

    it('a failure is told as lists tell jobs, without its payload', async () => {
      const { clock, licenseId, end } = queue()
      await end('failed', { kind: 'prune', payload: { path: '/srv' } })
      const told = (await facts().failures(DAY_SECONDS, clock.now())).filter(
        (job) => job.licenseId === licenseId,
      )
      expect(told).toStrictEqual(await storage().jobs.list(ofLicense(licenseId), { limit: 2 }))
      expect(Object.keys(told[0] ?? {})).not.toContain('payload')
    })

    it('a failure is forgotten after its time', async () => {
      const { clock, end, failed } = queue()
      await end('failed')
      clock.advance({ ms: DAY_SECONDS * 1000 - 1 })
      expect(await failed()).toHaveLength(1)
      clock.advance(1)
      expect(await failed()).toEqual([])
    })

    it('refused requests add up over replicas and five minutes', async () => {
      const clock = new FakeClock()
      const licenseId = buildId('lic')
      const count = async () =>
        (await facts().refusals(clock.now())).find((each) => each.licenseId === licenseId)?.count
      await Promise.all([1, 2, 3].map((many) => facts().addRefusals(licenseId, many, clock.now())))
      await facts().addRefusals(licenseId, 4, clock.advance({ minutes: 4 }))
      expect(await count()).toBe(10)
      clock.advance({ minutes: 1 })
      expect(await count()).toBe(4)
      clock.advance({ minutes: 4 })
      expect(await count()).toBeUndefined()
    })

    it('a gap between evaluations is told for an hour after it', async () => {
      // Later than any other evaluation of this storage.
      const clock = new FakeClock('2030-01-01T00:00:00.000Z')
      const evaluated = () => facts().evaluated(900, clock.now())
      await evaluated()
      clock.advance({ hours: 2 })
      await evaluated()
      const from = clock.advance({ seconds: 900 })
      const first = {
        from: new Date('2030-01-01T00:00:00.000Z'),
        until: new Date('2030-01-01T02:00:00.000Z'),
      }
      expect(await evaluated()).toEqual(first)
      const until = clock.advance({ seconds: 901 })
      expect(await evaluated()).toEqual({ from, until })
      for (let minutes = 0; minutes < 59; minutes += 1) {
        clock.advance({ minutes: 1 })
        expect(await evaluated()).toEqual({ from, until })
      }
      clock.advance({ minutes: 1 })
      expect(await evaluated()).toBeUndefined()
    })
  })
}
