import { ofLicense, PLATFORM, type Scope, type Storage } from '@svc/core'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildFinding } from './build-surface.ts'
import { surfaceScene } from './surface-scene.ts'

/** Contract suite of stores of targets. */
export function surfaceTargetsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`surface targets store on ${name}`, () => {
    const storage = openedStorage(open)
    const targets = () => storage().surfaceTargets
    const scans = () => storage().surfaceScans
    const scene = (fields: { readonly isProven?: boolean } = {}) => surfaceScene(storage, fields)

    it('a domain is added once, and a license has a limit of them', async () => {
      const at = await scene()
      const [first] = await targets().list(ofLicense(at.licenseId), { limit: 9 })
      expect(first).toEqual({
        ...at.own,
        verifiedAt: at.clock.now(),
        checkedAt: at.clock.now(),
        reason: undefined,
        createdAt: at.clock.now(),
      })
      const again = await targets().add({ ...at.own, most: 1 }, at.clock.advance({ hours: 1 }))
      expect(again).toEqual({ target: first, isNew: false })
      expect(await targets().add({ ...at.own, domain: 'more.example', most: 1 })).toBe('full')
      expect(await targets().get(at.licenseId, 'more.example')).toBeUndefined()
    })

    it('a proof keeps its first instant, a lost one ends it and the scan, and silence keeps it', async () => {
      const at = await scene()
      const provenAt = at.clock.now()
      const note = (isProven: boolean | undefined, reason?: string) =>
        targets().note({ ...at.own, isProven, reason }, at.clock.advance({ minutes: 1 }))
      expect(await note(true)).toMatchObject({ verifiedAt: provenAt, checkedAt: at.clock.now() })
      const { id } = await at.queued()
      expect(await note(undefined, 'timeout')).toMatchObject({ verifiedAt: provenAt, reason: 'timeout' })
      expect(await scans().get(PLATFORM, id)).toMatchObject({ state: 'queued' })
      expect(await note(false, 'no TXT record')).toMatchObject({
        verifiedAt: undefined,
        reason: 'no TXT record',
      })
      expect(await scans().get(PLATFORM, id)).toMatchObject({ state: 'aborted', finishedAt: at.clock.now() })
      expect(await at.start()).toEqual({ outcome: 'unproven' })
      expect(
        await targets().note({ ...at.own, domain: 'x.example', isProven: true, reason: undefined }),
      ).toBeUndefined()
    })

    it('proven targets are due when nobody looked for long enough, each once', async () => {
      const [at, unproven] = [await scene(), await scene({ isProven: false })]
      const due = async () => {
        const taken = await targets().takeDue({ olderSeconds: 60, limit: 1000 }, at.clock.now())
        return taken.filter(({ licenseId }) => [at.licenseId, unproven.licenseId].includes(licenseId))
      }
      at.clock.advance({ seconds: 59.999 })
      expect(await due()).toEqual([])
      at.clock.advance(1)
      expect(await due()).toMatchObject([{ ...at.own, checkedAt: at.clock.now() }])
      expect(await due()).toEqual([])
    })

    it('a target goes with its scans and findings', async () => {
      const at = await scene()
      const { id = '' } = (await at.taken('mine')) ?? {}
      await at.finish(id, 'mine', { seen: [buildFinding()] })
      const running = await at.taken('more')
      expect(await targets().remove(at.licenseId, at.domain)).toBe(true)
      expect(await targets().remove(at.licenseId, at.domain)).toBe(false)
      expect(await scans().get(PLATFORM, id)).toBeUndefined()
      expect(await scans().findings(ofLicense(at.licenseId), { limit: 9 })).toEqual([])
      expect(await at.finish(running?.id ?? '', 'more', { seen: [buildFinding()] })).toBeUndefined()
    })

    it('addresses of heartbeats count for a while, and a license has a limit of them', async () => {
      const at = await scene()
      const note = (address: string, most = 2) =>
        targets().noteAddress({ licenseId: at.licenseId, address, most }, at.clock.now())
      const known = () => targets().addresses(at.licenseId, 60, at.clock.now())
      await note('11.22.33.44')
      at.clock.advance({ seconds: 30 })
      await note('2001:db8::1')
      await note('11.22.33.99')
      expect(await known()).toEqual(['11.22.33.44', '2001:db8::1'])
      expect(await targets().addresses('lic_none', 60, at.clock.now())).toEqual([])
      at.clock.advance({ seconds: 30 })
      expect(await known()).toEqual(['2001:db8::1'])
      await note('11.22.33.44')
      expect(await known()).toHaveLength(2)
      expect(await targets().purgeAddresses(30, at.clock.now())).toBeGreaterThanOrEqual(1)
      expect(await known()).toEqual(['11.22.33.44'])
    })

    it('targets are listed by domain, for one license or for all', async () => {
      const at = await scene()
      await targets().add({ licenseId: at.licenseId, domain: 'aaa.example', most: 9 }, at.clock.now())
      const domains = async (scope: Scope, filter: object) =>
        (await targets().list(scope, { limit: 1000, ...filter })).map(({ domain }) => domain)
      const own = ofLicense(at.licenseId)
      expect(await domains(own, {})).toEqual(['aaa.example', at.domain])
      expect(await domains(own, { limit: 1 })).toEqual(['aaa.example'])
      expect(await domains(PLATFORM, { domain: at.domain })).toEqual([at.domain])
      expect((await domains(PLATFORM, {})).length).toBeGreaterThanOrEqual(2)
    })
  })
}
