import { PLATFORM, type Storage } from '@svc/core'
import type { NewImage } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { describe, expect, it } from '../../runner.ts'
import { HOST, ImagesScene, OTHER } from './images-scene.ts'

/** Contract of registering images. */
export function registrationContract(storage: () => Storage): void {
  const scene = () => ImagesScene.of(storage())

  describe('a registration', () => {
    it('keeps everything that a host says', async () => {
      const at = await scene()
      const { attempt: _, ...image } = at.image({
        engine: 'restic',
        kind: 'db_dump',
        app: 'shop',
        hostname: 'wéb-1',
        label: 'nightly',
        sizeBytes: 2 ** 53,
        addedBytes: 0,
        capturedAt: new Date('2030-01-02T03:00:00Z'),
        durationSeconds: 1.5,
        paths: ['/srv/a b', '{"x"}'],
        tags: ['svc', ''],
        parent: 'p'.repeat(64),
        encrypted: false,
        verifiedAt: new Date('2030-01-02T02:00:00Z'),
      })
      const now = at.clock.now()
      const seen = { state: 'available', firstSeenAt: now, lastSeenAt: now, prunedAt: undefined }
      const expected = { ...image, ...seen }
      expect(await at.register({ ...image, attempt: undefined })).toEqual({
        outcome: 'created',
        image: expected,
      })
      expect(await storage().images.get(PLATFORM, image.id)).toEqual(expected)
      expect(await at.list()).toEqual([expected])
    })

    it('without more than an id is a snapshot of some engine, captured now, to the second', async () => {
      const at = await scene()
      expect(await at.register(at.image())).toMatchObject({
        image: {
          engine: 'other',
          kind: 'snapshot',
          capturedAt: new Date('2030-01-02T03:04:05Z'),
          paths: [],
          tags: [],
        },
      })
    })

    it('happens once: a repeat is known, with what is newer, and nothing else', async () => {
      const at = await scene()
      const first = await at.registered({ label: 'old', tags: ['a'], app: 'shop', sizeBytes: undefined })
      at.clock.advance({ hours: 1 })
      const verifiedAt = new Date('2030-01-02T02:00:00Z')
      const again = { ...first, id: buildId('img'), label: 'new', tags: ['b'], app: 'blog', verifiedAt }
      const news = { label: 'new', tags: ['b'], sizeBytes: 7, verifiedAt, lastSeenAt: at.clock.now() }
      const known = { outcome: 'known', image: { ...news, id: first.id, app: 'shop' } }
      expect(await at.register({ ...again, sizeBytes: 7 })).toMatchObject(known)
      const bare = { ...at.image(), checksum: first.checksum }
      expect(await at.register(bare)).toMatchObject(known)
      const older = { ...bare, verifiedAt: new Date('2030-01-01T00:00:00Z') }
      expect(await at.register(older)).toMatchObject(known)
      expect(await at.list()).toHaveLength(1)
    })

    it.each<Partial<NewImage>>([
      { kind: 'image' },
      { sizeBytes: 6 },
      { capturedAt: new Date('2030-01-02T03:00:01Z') },
    ])('with another content than is known, %j, changes nothing', async (other) => {
      const at = await scene()
      const capturedAt = new Date('2030-01-02T03:00:00Z')
      const first = await at.registered({ kind: 'snapshot', sizeBytes: 5, capturedAt })
      const before = await at.list()
      at.clock.advance({ hours: 1 })
      const again = { ...first, id: buildId('img'), label: 'x', ...other }
      expect(await at.register(again)).toEqual({ outcome: 'different', image: before[0] })
      expect(await at.list()).toEqual(before)
    })

    it('of another host, another repository or another license is another image', async () => {
      const [at, foreign] = [await scene(), await scene()]
      const { checksum } = await at.registered()
      for (const fields of [{ fingerprint: OTHER }, { repo: 'repo-2' }, { licenseId: foreign.licenseId }])
        expect(await at.register(at.image({ checksum, ...fields }))).toMatchObject({ outcome: 'created' })
      expect(await storage().images.find(PLATFORM, checksum, 10)).toHaveLength(4)
    })

    it('of a host that the license has not stores nothing', async () => {
      const [at, foreign] = [await scene(), new ImagesScene(storage())]
      expect(await at.register(at.image({ fingerprint: 'fp-3' }))).toEqual({ outcome: 'no-host' })
      expect(await at.register(at.image({ licenseId: foreign.licenseId }))).toEqual({ outcome: 'no-host' })
      expect([...(await at.list()), ...(await foreign.list())]).toEqual([])
    })

    it('that names a job is of the host that holds it, at that attempt', async () => {
      const at = await scene()
      const { id: jobId, attempt } = await at.heldJob()
      const refused = { outcome: 'no-job' }
      expect(await at.register(at.image({ jobId: 'job_none' }))).toEqual(refused)
      expect(await at.register(at.image({ jobId, fingerprint: OTHER }))).toEqual(refused)
      expect(await at.register(at.image({ jobId, attempt: attempt + 1 }))).toEqual(refused)
      expect(await at.list()).toEqual([])
      expect(await at.register(at.image({ jobId, attempt }))).toMatchObject({ image: { jobId } })
      const owner = { licenseId: at.licenseId, fingerprint: HOST, jobId, attempt, leaseSeconds: 300 }
      const report = { ...owner, state: 'succeeded', exitCode: 0, error: undefined } as const
      await storage().jobs.report(report, at.clock.now())
      const late = at.image({ jobId, attempt })
      expect(await at.register(late)).toEqual(refused)
    })

    it('sent many times at once is made once', async () => {
      const at = await scene()
      const { checksum } = at.image()
      const sent = Array.from({ length: 8 }, () => at.register(at.image({ checksum, sizeBytes: 5 })))
      const outcomes = (await Promise.all(sent)).map(({ outcome }) => outcome)
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'known')).toHaveLength(7)
    })
  })
}
