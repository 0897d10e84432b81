import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import type { NewScan, ScanSettlement } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildFinding, buildScan, buildSettlement } from './build-surface.ts'
import { MANY, surfaceScene } from './surface-scene.ts'

/** Contract suite of stores of scans and findings. */
export function surfaceScansStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`surface scans store on ${name}`, () => {
    const storage = openedStorage(open)
    const targets = () => storage().surfaceTargets
    const scans = () => storage().surfaceScans
    const scene = (fields: { readonly isProven?: boolean } = {}) => surfaceScene(storage, fields)

    it('a scan keeps what it was asked for, and one of a target is active at a time', async () => {
      const at = await scene()
      const params = { hosts: ['a.example'], ports: [22, 80] }
      const scan = await at.queued({ checks: ['ports'], params })
      expect(scan).toMatchObject({ ...at.own, state: 'queued', checks: ['ports'], params, attempts: 0 })
      expect(await scans().get(PLATFORM, scan.id)).toEqual(scan)
      expect(await scans().last(at.licenseId, at.domain)).toEqual(scan)
      expect(await at.start()).toEqual({ outcome: 'running', id: scan.id })
      const crowd = await scene()
      const asked = await Promise.all(Array.from({ length: 5 }, () => crowd.start()))
      expect(asked.map(({ outcome }) => outcome).sort()).toEqual(['queued', ...Array(4).fill('running')])
    })

    it('a domain has a limit in an hour over all licenses, and a license in a day', async () => {
      const at = await scene()
      const other = buildId('lic')
      await targets().add({ licenseId: other, domain: at.domain, most: 9 }, at.clock.now())
      await targets().note({ ...at.own, licenseId: other, isProven: true, reason: undefined }, at.clock.now())
      const ask = async (more: Partial<NewScan> = {}) => {
        const asked = await at.start({ perHour: 2, perDay: 3, ...more })
        if (asked.outcome === 'queued') await scans().abort(PLATFORM, asked.scan.id, 'enough', at.clock.now())
        return asked
      }
      expect(await ask()).toMatchObject({ outcome: 'queued' })
      at.clock.advance({ minutes: 10 })
      expect(await ask({ licenseId: other })).toMatchObject({ outcome: 'queued' })
      expect(await ask()).toEqual({ outcome: 'limited', retryAfterSeconds: 3000 })
      expect(await ask({ licenseId: other })).toMatchObject({ outcome: 'limited' })
      at.clock.advance({ hours: 1 })
      expect(await ask()).toMatchObject({ outcome: 'queued' })
      at.clock.advance({ hours: 1 })
      expect(await ask()).toMatchObject({ outcome: 'queued' })
      at.clock.advance({ hours: 1 })
      expect(await ask()).toEqual({ outcome: 'limited', retryAfterSeconds: 86_400 - 3 * 3600 - 600 })
      at.clock.advance({ hours: 21 })
      expect(await ask()).toMatchObject({ outcome: 'queued' })
    })

    it('no more scans run than the setting says, and each is taken once', async () => {
      const at = await scene()
      const { id } = await at.queued()
      expect(await at.take('none', { mostRunning: 0 })).toBeUndefined()
      const takes = await Promise.all(Array.from({ length: 9 }, (_, n) => at.take(`crowd ${n}`)))
      expect(takes.filter((each) => each?.id === id)).toHaveLength(1)
      expect(await scans().get(PLATFORM, id)).toMatchObject({
        state: 'running',
        startedAt: at.clock.now(),
        attempts: 1,
      })
    })

    it('only the holder of the lease renews it, gives the scan back or ends it', async () => {
      const at = await scene()
      const { id = '' } = (await at.taken('mine')) ?? {}
      const renew = (token: string, progress: number) =>
        scans().renew({ id, token, leaseSeconds: 60, progress }, at.clock.now())
      expect(await renew('other', 0.9)).toBe(false)
      expect(await renew('mine', 0.5)).toBe(true)
      expect(await renew('mine', 0.2)).toBe(true)
      expect(await scans().get(PLATFORM, id)).toMatchObject({ progress: 0.5 })
      expect(await at.finish(id, 'other', { seen: [buildFinding()] })).toBeUndefined()
      expect(await scans().findings(ofLicense(at.licenseId), { limit: 9 })).toEqual([])
      expect(await scans().giveBack(id, 'other')).toBe(false)
      expect(await scans().giveBack(id, 'mine')).toBe(true)
      const fresh = { state: 'queued', attempts: 0, progress: 0, startedAt: undefined }
      expect(await scans().get(PLATFORM, id)).toMatchObject(fresh)
      expect(await at.finish(id, 'mine')).toBeUndefined()
      expect(await renew('mine', 1)).toBe(false)
    })

    it('a scan whose process died is begun once more, then failed', async () => {
      const at = await scene()
      const { id = '' } = (await at.taken('first')) ?? {}
      const again = async (token: string) => {
        at.clock.advance({ seconds: 60 })
        for (let tries = 0; tries < 100; tries += 1) {
          const got = await at.take(token)
          if (got === undefined || got.id === id) return got
          await scans().abort(PLATFORM, got.id, 'in the way', at.clock.now())
        }
        return undefined
      }
      expect(await again('second')).toMatchObject({ id, attempts: 2 })
      expect(await again('third')).toBeUndefined()
      expect(await scans().get(PLATFORM, id)).toMatchObject({ state: 'failed', finishedAt: at.clock.now() })
      expect(await at.finish(id, 'second')).toBeUndefined()
    })

    it('findings open when they are seen, stay open since then, and are fixed when they are not', async () => {
      const at = await scene()
      const [git, env] = [buildFinding(), buildFinding({ id: 'exposed-env', severity: 'medium' })]
      const scan = async (seen: ScanSettlement['seen'], fixed: readonly string[] = []) => {
        const token = buildId('t')
        const { id = '' } = (await at.taken(token, { perHour: 99 })) ?? {}
        return at.finish(id, token, { seen, fixed })
      }
      const findings = (more: object = {}) => scans().findings(ofLicense(at.licenseId), { limit: 9, ...more })
      const begun = at.clock.now()
      expect(await scan([env, git])).toMatchObject({ state: 'done', progress: 1 })
      const first = { ...at.own, status: 'open' as const, firstSeenAt: begun, lastSeenAt: begun }
      expect(await findings()).toEqual([
        { ...first, ...git },
        { ...first, ...env },
      ])
      expect(await scans().counts(at.licenseId, at.domain)).toEqual({ high: 1, medium: 1, low: 0, info: 0 })
      const later = at.clock.advance({ hours: 1 })
      await scan([{ ...git, evidence: 'other' }], [env.fingerprint, 'unknown'])
      const kept = { ...git, evidence: 'other', firstSeenAt: begun, lastSeenAt: later, status: 'open' }
      expect(await findings({ status: 'open' })).toMatchObject([kept])
      expect(await findings({ status: 'fixed' })).toMatchObject([{ ...env, lastSeenAt: begun }])
      expect(await findings({ severity: 'high', domain: at.domain })).toHaveLength(1)
      const back = at.clock.advance({ hours: 1 })
      await scan([env, git])
      expect(await findings({ severity: 'medium' })).toMatchObject([{ firstSeenAt: back, status: 'open' }])
      expect(await scans().counts('lic_none', at.domain)).toEqual({ high: 0, medium: 0, low: 0, info: 0 })
    })

    it('the result and the error of a scan are kept', async () => {
      const at = await scene()
      const { id = '' } = (await at.taken('mine')) ?? {}
      const result = {
        hosts: [],
        findings: [],
        skipped: [{ host: 'a.example', reason: 'private_address' }],
        errors: [{ check: 'ct', source: 'crt.sh', error: 'HTTP 502' }],
      }
      const ended = await at.finish(id, 'mine', { state: 'partial', error: 'time', result })
      expect(ended).toMatchObject({ state: 'partial', error: 'time', result, progress: 0 })
      expect(await scans().get(PLATFORM, id)).toEqual(ended)
    })

    it('an active scan is aborted, and one that ended stays as it is', async () => {
      const at = await scene()
      const { id = '' } = (await at.taken('mine')) ?? {}
      const aborted = await scans().abort(PLATFORM, id, 'somebody asked', at.clock.now())
      expect(aborted).toMatchObject({ state: 'aborted', error: 'somebody asked' })
      expect(await scans().renew({ id, token: 'mine', leaseSeconds: 60, progress: 1 })).toBe(false)
      expect(await scans().abort(PLATFORM, id, 'again', at.clock.advance({ hours: 1 }))).toEqual(aborted)
      expect(await scans().abort(PLATFORM, 'scn_none', 'x')).toBeUndefined()
    })

    it('ended scans but the newest, and fixed findings, are forgotten when they are old enough', async () => {
      const at = await scene()
      const ids: string[] = []
      for (const fixed of [[], [buildFinding().fingerprint]]) {
        const { id = '' } = (await at.taken(`t${ids.length}`)) ?? {}
        await at.finish(id, `t${ids.length}`, { seen: fixed.length === 0 ? [buildFinding()] : [], fixed })
        ids.push(id)
      }
      await scans().purge(30, at.clock.advance({ days: 30 }))
      expect(await scans().get(PLATFORM, ids[0] ?? '')).toBeDefined()
      expect(await scans().purge(30, at.clock.advance(1))).toBeGreaterThanOrEqual(0)
      const left = await Promise.all(ids.map((id) => scans().get(PLATFORM, id)))
      expect(left.filter((each) => each !== undefined)).toHaveLength(1)
      expect(await scans().findings(ofLicense(at.licenseId), { limit: 9 })).toEqual([])
    })

    it('without an instant the database’s clock counts', async () => {
      const licenseId = buildId('lic')
      const own = { licenseId, domain: 'shop.example' }
      await targets().add({ ...own, most: 9 })
      expect(await targets().note({ ...own, isProven: true, reason: undefined })).toMatchObject({
        reason: undefined,
      })
      await targets().noteAddress({ licenseId, address: '11.22.33.44', most: 9 })
      expect(await targets().addresses(licenseId, 60)).toEqual(['11.22.33.44'])
      await targets().purgeAddresses(3600)
      expect(await targets().addresses(licenseId, 60)).toHaveLength(1)
      const started = await scans().start(buildScan({ ...own, perHour: MANY }))
      if (started.outcome !== 'queued') throw new Error(started.outcome)
      await scans().take({ token: 'x', leaseSeconds: 60, mostRunning: MANY, attempts: 2 })
      expect(await scans().renew({ id: started.scan.id, token: 'none', leaseSeconds: 60, progress: 0 })).toBe(
        false,
      )
      expect(await scans().finish(buildSettlement(started.scan.id, 'none'))).toBeUndefined()
      expect(await scans().abort(PLATFORM, started.scan.id, 'x')).toMatchObject({ id: started.scan.id })
      expect(await targets().takeDue({ olderSeconds: MANY, limit: 1 })).toEqual(expect.any(Array))
      await scans().purge(1)
      expect(await scans().get(PLATFORM, started.scan.id)).toBeDefined()
    })
  })
}
