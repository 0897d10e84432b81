import { ofLicense, ofTenant, PLATFORM, type Scope } from '@svc/core'
import { firstIdAt, type JobCounts, type JobFilter, type LookFilter } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { expect, it } from '../../runner.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

/** The id of a job that was made at `instant`, unlike any other. */
const idAt = (instant: Date): string =>
  buildId('job').replace(/^job_.{10}/, firstIdAt('job', instant).slice(0, 14))

/** Tests of reading the queue. */
export function readsContract(scene: Scene): void {
  it('an unknown job is none', async () => {
    expect(await scene().jobs.get(PLATFORM, buildId('job'))).toBeUndefined()
  })

  it('lists by license, state, host and app, newest first, at most so many', async () => {
    const { jobs, licenseId } = scene()
    const ended = await scene().held({ app: 'shop' }, OTHER)
    await scene().report(ended, 'succeeded', { fingerprint: OTHER })
    const [aimed, shop, last] = [
      await scene().enqueue({ target: HOST }),
      await scene().enqueue({ app: 'shop' }),
      await scene().enqueue(),
    ]
    const ids = async (filter: Partial<JobFilter>) =>
      (await jobs.list(ofLicense(licenseId), { limit: 10, ...filter })).map(({ id }) => id)
    expect(await ids({})).toEqual([last.id, shop.id, aimed.id, ended.id])
    expect(await ids({ limit: 2 })).toEqual([last.id, shop.id])
    expect(await ids({ state: 'pending' })).toEqual([last.id, shop.id, aimed.id])
    expect(await ids({ host: HOST })).toEqual([aimed.id])
    expect(await ids({ host: OTHER })).toEqual([ended.id])
    expect(await ids({ app: 'shop' })).toEqual([shop.id, ended.id])
    expect(await ids({ app: 'shop', state: 'succeeded', host: OTHER })).toEqual([ended.id])
    expect(await jobs.list(ofLicense(buildId('lic')), { limit: 10 })).toEqual([])
  })

  it('a list leaves payloads out, and one job has its own', async () => {
    const { jobs, licenseId } = scene()
    const payload = { note: 'x'.repeat(1_000_000) }
    const { id } = await scene().enqueue({ payload })
    for (const scope of [PLATFORM, ofLicense(licenseId)]) {
      const [first] = await jobs.list(scope, { limit: 1 })
      expect(first?.id).toBe(id)
      expect(first).not.toHaveProperty('payload')
      expect(first).not.toHaveProperty('sealedEnv')
    }
    expect((await jobs.get(PLATFORM, id))?.payload).toEqual(payload)
  })

  it('counts the jobs of a license that wait, up to a number', async () => {
    const { jobs, licenseId } = scene()
    const counts = async () => [await jobs.pending(licenseId, 9), await jobs.pending(licenseId, 2)]
    expect(await counts()).toEqual([0, 0])
    await scene().enqueue({ licenseId: buildId('lic') })
    await scene().enqueue({ serialKey: 'one' })
    await scene().enqueue({ serialKey: 'one' })
    await scene().enqueue({ runAt: scene().in(600) })
    expect(await counts()).toEqual([3, 2])
    const { id } = await scene().enqueue({ urgent: true })
    expect(await counts()).toEqual([4, 2])
    expect(await scene().claimedId()).toBe(id)
    expect(await counts()).toEqual([3, 2])
  })

  it('lists by kind, by the time and the end of the id, and on from an id', async () => {
    const { jobs, licenseId } = scene()
    const old = new Date('2001-01-01T00:00:00Z')
    const first = await scene().enqueue({ kind: 'prune', id: idAt(old) })
    const [second, third] = [await scene().enqueue({ kind: 'db' }), await scene().enqueue({ kind: 'prune' })]
    const ids = async (filter: Partial<JobFilter>) =>
      (await jobs.list(ofLicense(licenseId), { limit: 10, ...filter })).map(({ id }) => id)
    expect(await ids({ kind: 'prune' })).toEqual([third.id, first.id])
    expect(await ids({ since: old })).toEqual([third.id, second.id, first.id])
    expect(await ids({ since: new Date(old.getTime() + 1) })).toEqual([third.id, second.id])
    expect(await ids({ since: new Date(8.64e15) })).toEqual([])
    expect(await ids({ before: third.id })).toEqual([second.id, first.id])
    expect(await ids({ before: third.id, limit: 1 })).toEqual([second.id])
    await scene().claim()
    await scene().claim()
    expect(await ids({ before: third.id })).toEqual([second.id, first.id])
    expect(await ids({ before: second.id })).toEqual([first.id])
    expect(await ids({ idEnd: second.id.slice(-6) })).toEqual([second.id])
    expect(await ids({ idEnd: second.id.slice(4) })).toEqual([second.id])
    expect(await ids({ idEnd: '%%%%' })).toEqual([])
  })

  it('lists the licenses of a tenant as one, newest first, and none for a tenant without one', async () => {
    const { jobs, storage } = scene()
    const tenantId = buildId('ten')
    await storage.tenants.add({ id: tenantId, name: tenantId })
    const [one, other] = [buildLicense({ tenantId }), buildLicense({ tenantId })]
    for (const license of [one, other]) await storage.licenses.add(license)
    const add = async (licenseId: string) => (await scene().enqueue({ licenseId })).id
    const [first, second, last] = [await add(one.id), await add(other.id), await add(one.id)]
    const ids = async (scope: Scope, limit = 10) => (await jobs.list(scope, { limit })).map(({ id }) => id)
    expect(await ids(ofTenant(tenantId))).toEqual([last, second, first])
    expect(await ids(ofTenant(tenantId), 2)).toEqual([last, second])
    expect(await ids(ofTenant(buildId('ten')))).toEqual([])
  })

  it('without a license lists all licenses', async () => {
    const [one, other] = [await scene().enqueue(), await scene().enqueue({ licenseId: buildId('lic') })]
    expect((await scene().jobs.list(PLATFORM, { limit: 2 })).map(({ id }) => id)).toEqual([other.id, one.id])
  })

  it('knows the last of the newest jobs of a license that ended', async () => {
    const { jobs, licenseId } = scene()
    const ids: string[] = []
    for (const state of ['succeeded', 'failed'] as const) {
      const job = await scene().held({ maxAttempts: 1 })
      await scene().report(job, state)
      ids.push(job.id)
    }
    const { id: waits } = await scene().enqueue()
    const [good = '', bad = ''] = ids
    const last = (rows: number, filter: LookFilter = {}) => jobs.lookedTo(ofLicense(licenseId), filter, rows)
    expect([await last(1), await last(2), await last(3)]).toEqual([bad, good, undefined])
    expect([await last(1, { before: bad }), await last(1, { failed: true })]).toEqual([good, bad])
    expect([await last(2, { failed: true }), await last(1, { since: new Date(8.64e15) })]).toEqual([
      undefined,
      undefined,
    ])
    expect(await jobs.lookedTo(PLATFORM, {}, 1)).toBe(waits)
    const found = await jobs.list(ofLicense(licenseId), { limit: 9, from: bad })
    expect(found.map(({ id }) => id)).toEqual([waits, bad])
  })

  it('knows it for a tenant license by license: the newest of their last ones', async () => {
    const { storage, jobs } = scene()
    const tenantId = buildId('ten')
    await storage.tenants.add({ id: tenantId, name: tenantId })
    const [one, other] = [buildLicense({ tenantId }), buildLicense({ tenantId })]
    const ended: string[] = []
    for (const license of [one, other]) await storage.licenses.add(license)
    for (const { id: licenseId } of [one, one, other]) {
      const { id } = await scene().enqueue({ licenseId })
      await jobs.requestCancel(ofLicense(licenseId), { jobId: id, fingerprint: undefined, reason: '' })
      ended.push(id)
    }
    const [first, , last] = ended
    const looked = (rows: number) => jobs.lookedTo(ofTenant(tenantId), {}, rows)
    expect([await looked(1), await looked(2), await looked(3)]).toEqual([last, first, undefined])
    expect(await jobs.lookedTo(ofTenant(buildId('ten')), {}, 1)).toBeUndefined()
  })

  it('knows when a host of the license last took a job', async () => {
    const { jobs, licenseId } = scene()
    await scene().enqueue()
    expect(await jobs.lastClaim(licenseId)).toBeUndefined()
    scene().clock.advance({ seconds: 5 })
    const took = scene().now
    const job = (await scene().claim()).job
    scene().clock.advance({ seconds: 5 })
    if (job !== undefined) await scene().report(job, 'succeeded')
    expect(await jobs.lastClaim(licenseId)).toEqual(took)
  })

  it('counts unfinished jobs by state', async () => {
    const { jobs, now } = scene()
    const before = await jobs.counts(now)
    const states = ['claimed', 'running', 'succeeded', 'failed'] as const
    for (const state of states) await scene().report(await scene().held(), state)
    await scene().enqueue()
    const more = await jobs.counts(now)
    const grown = Object.keys(before.byState).map((state) => {
      const key = state as keyof JobCounts['byState']
      return more.byState[key] - before.byState[key]
    })
    expect(Object.keys(before.byState)).toEqual(['pending', 'claimed', 'running'])
    expect(grown).toEqual([1, 1, 1])
  })

  it('tells how long the oldest job that could be claimed has waited', async () => {
    // Ten years before every other test, so that jobs of those are not due.
    scene().clock.advance({ days: -3650 })
    const { jobs } = scene()
    expect((await jobs.counts(scene().now)).oldestClaimableSeconds).toBe(0)
    const job = await scene().enqueue({ serialKey: 'k' })
    await scene().enqueue({ serialKey: 'k' })
    await scene().enqueue({ runAt: scene().in(20) })
    scene().clock.advance(30_500)
    expect((await jobs.counts(scene().now)).oldestClaimableSeconds).toBeCloseTo(30.5, 6)
    await scene().claim()
    expect((await jobs.counts(scene().now)).oldestClaimableSeconds).toBeCloseTo(10.5, 6)
    await scene().cancel(job)
  })

  it('tells how many jobs lost their host: those whose lease is over, until somebody takes or ends them', async () => {
    // Ten years after every other test, so that leases of those have ended and only jobs of this test count.
    scene().clock.advance({ days: 3650 })
    const { jobs } = scene()
    const before = (await jobs.counts(scene().now)).expiredLeases
    const lost = async () => (await jobs.counts(scene().now)).expiredLeases - before
    const job = await scene().held()
    expect(await lost()).toBe(0)
    scene().clock.advance({ seconds: 300 })
    expect(await lost()).toBe(1)
    await scene().report(job, 'running')
    expect(await lost()).toBe(0)
  })
}
