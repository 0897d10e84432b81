import type { Job, Storage } from '@svc/core'
import { KEPT_REVISIONS, type NewSecurityRevision, SUPERSEDED_ERROR } from '@svc/core/ports'
import { openedStorage } from '../../opened-storage.ts'
import { beforeEach, describe, expect, it } from '../../runner.ts'
import { HOST, JobsScene, OTHER } from '../../work/jobs/jobs-scene.ts'
import { buildSecurityRevision } from './build-security-revision.ts'

/** Contract suite of stores of the documents of hosts. */
export function nodeSecurityStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`node security store on ${name}`, () => {
    const storage = openedStorage(open)
    let scene: JobsScene
    beforeEach(() => {
      scene = new JobsScene(storage())
    })
    const store = () => storage().nodeSecurity
    const host = (fingerprint = HOST) => ({ licenseId: scene.licenseId, fingerprint })
    const built = (fields: Partial<NewSecurityRevision> = {}) =>
      buildSecurityRevision({ ...host(), ...fields })
    const add = (fields: Partial<NewSecurityRevision> = {}) => store().add(built(fields), scene.now)
    const carry = (revision: number, fields = {}): Promise<Job> => {
      const { sha256, settings, fingerprint } = built({ revision })
      const payload = { revision, sha256, settings }
      return scene.enqueue({ kind: 'firewall', target: fingerprint, payload, ...fields })
    }
    const end = async (job: Job, state: 'succeeded' | 'failed', error?: string) => {
      expect(await scene.claimedId()).toBe(job.id)
      await scene.report(job, state, { error })
    }
    const applied = async () => (await store().current(host()))?.applied

    it('a host that was given no document has none', async () => {
      expect(await store().current(host())).toBeUndefined()
      expect(await store().revision(host(), 1)).toBeUndefined()
      expect(await store().history(host(), 10)).toEqual([])
    })

    it('keeps everything that a revision is made of', async () => {
      const { licenseId: _, fingerprint: __, ...given } = built()
      const kept = { ...given, updatedAt: scene.now }
      expect(await add()).toEqual(kept)
      expect(await store().revision(host(), 1)).toEqual(kept)
      expect(await store().history(host(), 10)).toEqual([kept])
      expect(await store().current(host())).toEqual({
        desired: kept,
        applied: { state: 'none', revision: 0, at: undefined, error: undefined },
        job: undefined,
      })
    })

    it('revisions of a host count from 1, each once, whatever other hosts have', async () => {
      expect(await add({ revision: 2 })).toBeUndefined()
      expect(await add()).toBeDefined()
      expect(await add({ sha256: 'other' })).toBeUndefined()
      expect(await add({ revision: 3 })).toBeUndefined()
      expect(await add({ revision: 2 })).toBeDefined()
      expect(await add({ fingerprint: OTHER })).toBeDefined()
      expect((await store().history(host(), 1)).map(({ revision }) => revision)).toEqual([2])
      expect((await store().current(host()))?.desired.revision).toBe(2)
      expect((await store().current(host(OTHER)))?.desired.revision).toBe(1)
    })

    it('of writers at once one gets the number', async () => {
      const writers = Array.from({ length: 8 }, (_, index) => add({ updatedBy: `writer ${index}` }))
      const stored = (await Promise.all(writers)).filter((revision) => revision !== undefined)
      expect(stored).toHaveLength(1)
      expect(await store().history(host(), 10)).toEqual(stored)
    })

    it('keeps a number of revisions, and lets go of the oldest', async () => {
      for (const revision of [1, 2, 3]) await add({ ...host('fp-neighbour'), revision })
      for (let revision = 1; revision <= KEPT_REVISIONS + 1; revision += 1) await add({ revision })
      const kept = await store().history(host(), KEPT_REVISIONS + 10)
      expect(kept).toHaveLength(KEPT_REVISIONS)
      expect(kept.at(-1)?.revision).toBe(2)
      expect(await store().revision(host(), 1)).toBeUndefined()
      // A write that is refused removes nothing.
      expect(await add({ revision: 2 * KEPT_REVISIONS })).toBeUndefined()
      expect(await store().history(host(), KEPT_REVISIONS + 10)).toEqual(kept)
      // Revisions of a neighbour are counted for themselves.
      expect(await store().history(host('fp-neighbour'), 10)).toHaveLength(3)
    })

    it('what is applied follows from the job, from its making to its end', async () => {
      await add()
      const job = await carry(1)
      expect(await store().current(host())).toMatchObject({
        applied: { state: 'none', revision: 0 },
        job: { id: job.id, state: 'pending' },
      })
      scene.clock.advance({ seconds: 5 })
      await end(job, 'succeeded')
      expect(await store().current(host())).toMatchObject({
        applied: { state: 'applied', revision: 1, at: scene.now, error: undefined },
        job: { id: job.id, state: 'succeeded' },
      })
    })

    it('a failure leaves the revision that was applied, and says whether the host went back', async () => {
      await add()
      await end(await carry(1), 'succeeded')
      await add({ revision: 2 })
      await end(await carry(2), 'failed', 'rolled back: no answer')
      expect(await applied()).toMatchObject({
        state: 'rolled_back',
        revision: 1,
        error: 'rolled back: no answer',
      })
      await end(await carry(2), 'failed', 'sshd: no such option, not rolled back: x')
      expect(await applied()).toMatchObject({ state: 'failed', revision: 1 })
      await end(await carry(2), 'succeeded')
      expect(await applied()).toMatchObject({ state: 'applied', revision: 2, error: undefined })
    })

    it('a late end of an older revision changes nothing', async () => {
      await add()
      await add({ revision: 2 })
      const [old, newer] = [await carry(1), await carry(2)]
      await scene.claimedId()
      await end(newer, 'succeeded')
      await scene.report(old, 'failed', { error: 'rolled back: late' })
      expect(await applied()).toMatchObject({ state: 'applied', revision: 2 })
      expect((await store().current(host()))?.job?.id).toBe(newer.id)
    })

    it('a job that was superseded or never taken says nothing about the host', async () => {
      await add()
      await end(await carry(1), 'succeeded')
      await add({ revision: 2 })
      const given = await carry(2)
      await scene.claimedId()
      await scene.report(given, 'pending')
      await scene.jobs.supersede(
        { licenseId: given.licenseId, jobIds: [given.id], reason: SUPERSEDED_ERROR },
        scene.now,
      )
      const cancelled = await carry(2)
      await scene.cancel(cancelled)
      expect(await store().current(host())).toMatchObject({
        applied: { state: 'applied', revision: 1 },
        job: { id: cancelled.id, state: 'failed' },
      })
    })

    it('only jobs for the host that carry the very document count', async () => {
      await add()
      const { settings, sha256 } = built()
      await end(await carry(1, { payload: { revision: 1, sha256: 'other', settings } }), 'succeeded')
      await end(await carry(1, { payload: { revision: 1, settings } }), 'succeeded')
      await end(await carry(1, { target: '' }), 'succeeded')
      await end(await carry(1, { payload: { revision: 1.5, sha256, settings } }), 'succeeded')
      const foreign = await carry(1, { target: OTHER })
      expect(await scene.claimedId(OTHER)).toBe(foreign.id)
      await scene.report(foreign, 'succeeded', { fingerprint: OTHER })
      expect(await store().current(host())).toMatchObject({ applied: { state: 'none' }, job: undefined })
    })

    it('tells of every host with a document how far it is, as for the host alone', async () => {
      await add({ fingerprint: OTHER })
      await add()
      await end(await carry(1), 'succeeded')
      await add({ revision: 2 })
      await end(await carry(2), 'failed', 'rolled back: no answer')
      const all = await store().standings()
      const standings = all.filter(({ licenseId }) => licenseId === scene.licenseId)
      expect(standings.map(({ fingerprint }) => fingerprint)).toEqual([HOST, OTHER].sort())
      for (const { desired, applied, ...key } of standings) {
        const current = await store().current(key)
        expect([current?.desired, current?.applied]).toMatchObject([desired, applied])
      }
      expect(standings.find(({ fingerprint }) => fingerprint === HOST)).toEqual({
        ...host(),
        desired: { revision: 2, updatedAt: scene.now },
        applied: { state: 'rolled_back', revision: 1, at: scene.now, error: 'rolled back: no answer' },
      })
    })

    it('without an instant the database’s clock counts', async () => {
      const { now } = await storage().health()
      const added = await store().add(built())
      expect(Math.abs(Number(added?.updatedAt) - now.getTime())).toBeLessThan(60_000)
    })
  })
}
