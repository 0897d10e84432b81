import { ofLicense, PLATFORM, type Scope, type Storage } from '@svc/core'
import { type NewTransferKey, PIN_TRIES, type TransferKey } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../../work/agents/build-heartbeat.ts'
import { buildTransferKey } from './build-transfer-key.ts'

/** Contract suite of stores of transfer keys. */
export function transferKeysStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`transfer keys store on ${name}`, () => {
    const storage = openedStorage(open)
    const keys = () => storage().transferKeys

    async function scene(fields: Partial<NewTransferKey> = {}) {
      const clock = new FakeClock()
      const licenseId = buildId('lic')
      for (const fingerprint of ['fp-1', 'fp-2'])
        await storage().agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), clock.now())
      const build = (more: Partial<NewTransferKey> = {}) =>
        buildTransferKey({ licenseId, ...fields, ...more })
      const add = async (more: Partial<NewTransferKey> = {}) => {
        const key = await keys().add(build(more), clock.now())
        if (typeof key === 'string') throw new Error(key)
        return key
      }
      const redeem = (key: TransferKey, isReserved = false) => {
        const hosts = { callerFingerprint: 'fp-1', peerFingerprint: 'fp-2' }
        return keys().redeem({ id: buildId('xfs'), keyId: key.id, ...hosts, isReserved }, clock.now())
      }
      return { clock, licenseId, build, add, redeem }
    }

    it('keeps everything that a key is made of, but not the key', async () => {
      const at = await scene()
      const scope = { app: 'shop', paths: ['a "b"', 'ü'], max_bytes: 2 ** 53 }
      const pins = { pinKind: 'secret', pinSpki: 'sha256/x', pinHash: 'scrypt$' } as const
      const { mostActive: _, ...given } = at.build({ mode: 'drop', maxUses: 8, ...pins, scope })
      const none = { uses: 0, pinFails: 0, lastUsedAt: undefined, revokedAt: undefined }
      const expected = { ...given, ...none, createdAt: at.clock.now() }
      expect(await keys().add({ ...given, mostActive: 1 }, at.clock.now())).toEqual(expected)
      expect(await keys().get(PLATFORM, given.id)).toEqual(expected)
      expect(await keys().list(ofLicense(at.licenseId), 9)).toEqual([expected])
      expect(await keys().get(PLATFORM, 'xfr_none')).toBeUndefined()
    })

    it('is between two hosts of the license', async () => {
      const at = await scene()
      for (const fields of [
        { sourceFingerprint: 'fp-3' },
        { targetFingerprint: 'fp-3' },
        { targetFingerprint: 'fp-1' },
        { licenseId: buildId('lic') },
      ])
        expect(await keys().add(at.build(fields), at.clock.now())).toBe('no-host')
      expect(await keys().list(ofLicense(at.licenseId), 9)).toEqual([])
      expect(await keys().knowsHost(at.licenseId, 'fp-1')).toBe(true)
      expect(await keys().knowsHost(at.licenseId, 'fp-3')).toBe(false)
      expect(await keys().knowsHost('lic_none', 'fp-1')).toBe(false)
    })

    it('an id and a digest are given once', async () => {
      const at = await scene()
      const { id, keyDigest } = await at.add()
      await expect(at.add({ id })).rejects.toThrow()
      await expect(at.add({ keyDigest })).rejects.toThrow()
    })

    it('active keys of a license have a limit; those that ended do not count', async () => {
      const at = await scene({ mostActive: 4 })
      const [used, revoked, locked] = [await at.add(), await at.add(), await at.add()]
      await at.add({ expiresAt: new Date(at.clock.now().getTime() + 1000) })
      expect(await keys().add(at.build(), at.clock.now())).toBe('full')
      await at.redeem(used)
      await keys().revoke(ofLicense(at.licenseId), revoked.id, at.clock.now())
      for (let tried = 0; tried < PIN_TRIES; tried += 1) await keys().tryPin(locked.id, at.clock.now())
      at.clock.advance({ seconds: 1 })
      for (let made = 0; made < 4; made += 1) await at.add()
      expect(await keys().add(at.build(), at.clock.now())).toBe('full')
    })

    it('opens as many sessions as it may, each noted, also when they are asked for at once', async () => {
      const at = await scene()
      const key = await at.add({ maxUses: 3 })
      const asked = await Promise.all(Array.from({ length: 20 }, () => at.redeem(key)))
      const uses = asked.flatMap((each) => (each === undefined ? [] : [each.uses]))
      expect(uses.sort()).toEqual([1, 2, 3])
      const now = at.clock.now()
      expect(await keys().get(PLATFORM, key.id)).toMatchObject({ uses: 3, lastUsedAt: now })
      const session = { keyId: key.id, at: now, callerFingerprint: 'fp-1', peerFingerprint: 'fp-2' }
      expect(await keys().uses(key.id)).toMatchObject([session, session, session])
    })

    it('opens nothing at the instant it ends, or once it is revoked, and notes nothing', async () => {
      const at = await scene({ maxUses: 8 })
      const [expired, revoked] = [await at.add(), await at.add()]
      at.clock.advance({ minutes: 59, seconds: 59.999 })
      expect(await at.redeem(expired)).toBeDefined()
      await keys().revoke(ofLicense(at.licenseId), revoked.id, at.clock.now())
      at.clock.advance(1)
      for (const key of [expired, revoked]) {
        expect(await at.redeem(key)).toBeUndefined()
        expect(await keys().tryPin(key.id, at.clock.now())).toBeUndefined()
      }
      expect(await keys().uses(revoked.id)).toEqual([])
      expect(await keys().uses(expired.id)).toHaveLength(1)
    })

    it('counts a try at its PIN before it is checked, and gives a right one back', async () => {
      const at = await scene({ maxUses: 8 })
      const key = await at.add()
      const tries = async (count: number) => {
        const asked = Array.from({ length: count }, () => keys().tryPin(key.id, at.clock.now()))
        return (await Promise.all(asked)).flatMap((each) => each?.pinFails ?? [])
      }
      expect((await tries(4)).sort()).toEqual([1, 2, 3, 4])
      await tries(1)
      expect(await at.redeem(key, true)).toMatchObject({ uses: 1, pinFails: 4 })
      expect((await tries(9)).length).toBe(1)
      expect(await at.redeem(key)).toBeUndefined()
      expect(await keys().get(PLATFORM, key.id)).toMatchObject({ uses: 1, pinFails: PIN_TRIES })
    })

    it('is revoked by its own license, once, for good', async () => {
      const at = await scene()
      const key = await at.add()
      const revokedAt = at.clock.now()
      expect(await keys().revoke(ofLicense('lic_other'), key.id, revokedAt)).toBeUndefined()
      expect(await keys().revoke(ofLicense(at.licenseId), key.id, revokedAt)).toEqual({ ...key, revokedAt })
      const later = at.clock.advance({ hours: 2 })
      expect(await keys().revoke(ofLicense(at.licenseId), key.id, later)).toEqual({ ...key, revokedAt })
    })

    it('is listed newest first, by license', async () => {
      const [at, other] = [await scene(), await scene()]
      const made = [await at.add(), await at.add(), await at.add()]
      await other.add()
      const ids = async (limit: number, scope: Scope) => (await keys().list(scope, limit)).map(({ id }) => id)
      const newest = made.map(({ id }) => id).reverse()
      expect(await ids(9, ofLicense(at.licenseId))).toEqual(newest)
      expect(await ids(2, ofLicense(at.licenseId))).toEqual(newest.slice(0, 2))
      expect((await ids(1000, PLATFORM)).length).toBeGreaterThanOrEqual(4)
    })

    it('is forgotten with its sessions when it ended long enough ago', async () => {
      const at = await scene()
      const [used, revoked, good] = [
        await at.add(),
        await at.add(),
        await at.add({ expiresAt: new Date('2090-01-01T00:00:00Z') }),
      ]
      await at.redeem(used)
      await keys().revoke(ofLicense(at.licenseId), revoked.id, at.clock.now())
      await keys().purge(30, at.clock.advance({ days: 30 }))
      expect(await keys().get(PLATFORM, revoked.id)).toBeDefined()
      expect(await keys().purge(30, at.clock.advance(1))).toBeGreaterThanOrEqual(1)
      expect(await keys().get(PLATFORM, revoked.id)).toBeUndefined()
      expect(await keys().get(PLATFORM, used.id)).toBeDefined()
      await keys().purge(30, at.clock.advance({ hours: 1 }))
      expect(await keys().get(PLATFORM, used.id)).toBeUndefined()
      expect(await keys().uses(used.id)).toEqual([])
      expect(await keys().get(PLATFORM, good.id)).toBeDefined()
    })

    it('without an instant the database’s clock counts', async () => {
      const at = await scene()
      const { now } = await storage().health()
      const key = await keys().add(at.build({ expiresAt: new Date(now.getTime() + 60_000), maxUses: 2 }))
      if (typeof key === 'string') throw new Error(key)
      expect(Math.abs(key.createdAt.getTime() - now.getTime())).toBeLessThan(60_000)
      expect(await keys().tryPin(key.id)).toBeDefined()
      const use = { id: buildId('xfs'), keyId: key.id, callerFingerprint: 'a', peerFingerprint: 'b' }
      expect(await keys().redeem({ ...use, isReserved: true })).toMatchObject({ uses: 1, pinFails: 0 })
      expect(await keys().revoke(ofLicense(at.licenseId), key.id)).toMatchObject({
        revokedAt: expect.any(Date),
      })
      await keys().purge(1)
      expect(await keys().get(PLATFORM, key.id)).toBeDefined()
    })
  })
}
