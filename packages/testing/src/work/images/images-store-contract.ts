import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { registrationContract } from './contract-registration.ts'
import { ImagesScene, OTHER } from './images-scene.ts'

/** Contract suite of ledgers of images. */
export function imagesStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`images store on ${name}`, () => {
    const storage = openedStorage(open)
    const scene = () => ImagesScene.of(storage())

    registrationContract(storage)

    describe('what a repository still has', () => {
      it('leaves that available and prunes the rest of the repository, once', async () => {
        const at = await scene()
        const [kept, gone] = [await at.registered(), await at.registered()]
        const others = [{ fingerprint: OTHER }, { repo: 'repo-2' }]
        for (const fields of others) await at.registered(fields)
        const now = at.clock.advance({ hours: 1 })
        const { images } = storage()
        expect(await images.reconcile(at.repository(), [kept.checksum, 'unknown-id'], now)).toBe(1)
        expect(await images.reconcile(at.repository(), [kept.checksum], at.clock.advance(1))).toBe(0)
        expect(await images.get(PLATFORM, gone.id)).toMatchObject({ state: 'pruned', prunedAt: now })
        expect(await at.list({ state: 'available' })).toHaveLength(3)
        expect(await images.reconcile(at.repository(), [], now)).toBe(1)
      })

      it('a pruned image is available again when it is registered again', async () => {
        const at = await scene()
        const image = await at.registered()
        await storage().images.reconcile(at.repository(), [], at.clock.now())
        await at.register({ ...image, id: buildId('img') })
        expect(await storage().images.get(PLATFORM, image.id)).toMatchObject({
          state: 'available',
          prunedAt: undefined,
        })
      })
    })

    describe('a read', () => {
      it('finds by the beginning of a checksum, in a license or anywhere', async () => {
        const [at, foreign] = [await scene(), await scene()]
        const start = `${buildId('sum').slice(4)}%_`
        const one = await at.registered({ checksum: `${start}aa` })
        const two = await at.registered({ checksum: `${start}ab` })
        const three = await foreign.registered({ checksum: `${start}ba` })
        const { images } = storage()
        const found = async (prefix: string, scope = PLATFORM, limit = 10) =>
          (await images.find(scope, prefix, limit)).map(({ id }) => id)
        expect(await found(`${start}a`)).toEqual([one.id, two.id])
        expect(await found(start)).toEqual([one.id, two.id, three.id])
        expect(await found(start, PLATFORM, 2)).toEqual([one.id, two.id])
        expect(await found(start, ofLicense(foreign.licenseId))).toEqual([three.id])
        expect(await found(start.replace('%', 'x'))).toEqual([])
      })

      it('lists the latest capture first, by host, app and state', async () => {
        const at = await scene()
        const captured = (second: number) => ({ capturedAt: new Date(Date.UTC(2030, 0, 1, 0, 0, second)) })
        const first = await at.registered({ ...captured(1), app: 'shop' })
        const last = await at.registered(captured(3))
        const [same, later] = [await at.registered(captured(2)), await at.registered(captured(2))]
        const host = await at.registered({ ...captured(0), fingerprint: OTHER })
        const ids = async (fields = {}) => (await at.list(fields)).map(({ id }) => id)
        expect(await ids()).toEqual([last.id, later.id, same.id, first.id, host.id])
        expect(await ids({ limit: 2 })).toEqual([last.id, later.id])
        expect(await ids({ app: 'shop' })).toEqual([first.id])
        expect(await ids({ fingerprint: OTHER })).toEqual([host.id])
        expect(await ids({ state: 'pruned' })).toEqual([])
      })
    })

    it('forgets a pruned image, and an available one by force alone', async () => {
      const at = await scene()
      const image = await at.registered()
      const { images } = storage()
      expect(await images.forget(image.id, false)).toBeUndefined()
      expect(await images.get(PLATFORM, image.id)).toBeDefined()
      expect(await images.forget(image.id, true)).toMatchObject({ id: image.id })
      expect(await images.forget(image.id, true)).toBeUndefined()
      const pruned = await at.registered()
      await images.reconcile(at.repository(), [], at.clock.now())
      expect(await images.forget(pruned.id, false)).toMatchObject({ id: pruned.id, state: 'pruned' })
    })

    it('purges what was pruned long enough ago, and nothing else', async () => {
      const at = await scene()
      const [kept, gone] = [await at.registered(), await at.registered()]
      const { images } = storage()
      await images.reconcile(at.repository(), [kept.checksum], at.clock.now())
      const after = (days: number, milliseconds = 0) =>
        new Date(at.clock.now().getTime() + days * 86_400_000 + milliseconds)
      await images.purge(180, after(180))
      expect(await images.get(PLATFORM, gone.id)).toBeDefined()
      expect(await images.purge(180, after(180, 1))).toBeGreaterThanOrEqual(1)
      expect(await images.get(PLATFORM, gone.id)).toBeUndefined()
      expect(await images.get(PLATFORM, kept.id)).toBeDefined()
    })

    it('without an instant the database’s clock counts', async () => {
      const at = await scene()
      const { now } = await storage().health()
      const image = at.image()
      const { images } = storage()
      expect(await images.register(image)).toMatchObject({ outcome: 'created' })
      const { firstSeenAt } = (await images.get(PLATFORM, image.id)) ?? {}
      expect(Math.abs(Number(firstSeenAt) - now.getTime())).toBeLessThan(60_000)
      expect(await images.reconcile(at.repository(), [])).toBe(1)
      await images.purge(1)
      expect(await images.get(PLATFORM, image.id)).toBeDefined()
    })
  })
}
