import { PLATFORM, type Storage } from '@svc/core'
import type { NewScan, ScanSettlement, StartOutcome } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { buildScan, buildSettlement } from './build-surface.ts'

/** More scans than any suite makes. */
export const MANY = 1_000_000

/** A license with a domain of its own, and the ways to have it scanned. */
export async function surfaceScene(storage: () => Storage, fields: { readonly isProven?: boolean } = {}) {
  const targets = () => storage().surfaceTargets
  const scans = () => storage().surfaceScans
  const { isProven = true } = fields
  const clock = new FakeClock()
  const licenseId = buildId('lic')
  const domain = `d${licenseId.slice(-12)}.example`
  const own = { licenseId, domain }
  await targets().add({ ...own, most: 100 }, clock.now())
  if (isProven) await targets().note({ ...own, isProven, reason: undefined }, clock.now())
  const start = (more: Partial<NewScan> = {}): Promise<StartOutcome> =>
    scans().start(buildScan({ ...own, ...more }), clock.now())
  const queued = async (more: Partial<NewScan> = {}) => {
    const started = await start(more)
    if (started.outcome !== 'queued') throw new Error(started.outcome)
    return started.scan
  }
  const take = (token: string, more: object = {}) =>
    scans().take({ token, leaseSeconds: 60, mostRunning: MANY, attempts: 2, ...more }, clock.now())
  const finish = (id: string, token: string, more: Partial<ScanSettlement> = {}) =>
    scans().finish({ ...buildSettlement(id, token), ...more }, clock.now())
  // Scans of other scenes are taken first, so that the one that is taken is this scene's.
  const taken = async (token: string, more: Partial<NewScan> = {}) => {
    const scan = await queued(more)
    for (let at = 0; at < 100; at += 1) {
      const got = await take(token)
      if (got === undefined || got.id === scan.id) return got
      await scans().abort(PLATFORM, got.id, 'in the way', clock.now())
    }
    throw new Error('the scan was not taken')
  }
  return { clock, ...own, own, start, queued, take, taken, finish }
}
