import type { Storage } from '@svc/core'
import { COARSE, type UsageRow, type UsageTaking } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../agents/build-heartbeat.ts'
import { buildUsage } from './build-usage.ts'

const NOON = new Date('2026-01-05T12:00:00Z')
const hour = (hours: number): Date => new Date(NOON.getTime() + 3_600_000 * hours)

/** Contract suite of the storage of hosts' figures. */
export function hostUsageStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`host usage store on ${name}`, () => {
    const storage = openedStorage(open)
    const hosts = async (...fingerprints: readonly string[]) => {
      const licenseId = buildId('lic')
      await storage().licenses.add(buildLicense({ id: licenseId }))
      for (const fingerprint of fingerprints)
        await storage().agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), NOON)
      const row = (fields: Partial<UsageRow> = {}) =>
        buildUsage({}, { licenseId, fingerprint: fingerprints[0] ?? '', startsAt: NOON, ...fields })
      const read = async (fingerprint = fingerprints[0] ?? '', from = hour(-999)) =>
        (await storage().hostUsage.read({ licenseId, fingerprint }, from)).map((each) => seen(each))
      // Other tests of the same storage have hosts before these.
      const take = async (taking: Partial<UsageTaking> = {}) => {
        const after = { licenseId, fingerprint: '' }
        const given = { after, hosts: 9, from: hour(-99), to: hour(99), onlyShared: false, ...taking }
        const { rows } = await storage().hostUsage.take(given)
        return rows.filter((each) => each.licenseId === licenseId).map((each) => seen(each))
      }
      return { licenseId, row, read, take }
    }
    const seen = ({ figures, ...row }: UsageRow) => ({
      ...row,
      figures: Buffer.from(figures).toString('hex'),
    })

    it('rows come back as they were added, by start and share, and from a time on', async () => {
      const { row, read } = await hosts('fp')
      const rows = [
        row({ startsAt: hour(-1), share: 2, figures: Buffer.from([0, 255, 92, 39, 10, 0]) }),
        row({ share: 1 }),
        row({ share: 2 ** 31 - 1, ...COARSE, slots: undefined } as Partial<UsageRow>),
      ].map(({ licenseId, fingerprint, startsAt, slotSeconds, share, figures }) => ({
        ...{ licenseId, fingerprint, startsAt, slotSeconds, share, figures },
      }))
      await storage().hostUsage.add(rows.toReversed())
      expect(await read()).toEqual(rows.map(seen))
      expect(await read('fp', NOON)).toEqual(rows.slice(1).map(seen))
      expect(await read('fp', hour(1))).toEqual([])
    })

    it('a row that is there stays, those of unknown hosts are left out, and no rows are none', async () => {
      const { row, read } = await hosts('fp')
      await storage().hostUsage.add([])
      await storage().hostUsage.add([row()])
      const repeated = row({ figures: Buffer.from([1, 2]) })
      await storage().hostUsage.add([repeated, row({ fingerprint: 'nobody' }), row({ share: 2 })])
      expect(await read()).toEqual([seen(row()), seen(row({ share: 2 }))])
      expect(await read('nobody')).toEqual([])
    })

    it('the figures of a host that is forgotten go, and those of others stay', async () => {
      const { licenseId, row, read } = await hosts('fp', 'other')
      await storage().hostUsage.add([row(), row({ fingerprint: 'other' })])
      await storage().agents.forget(licenseId, 'fp')
      await storage().agents.heartbeat(buildHeartbeat({ licenseId, fingerprint: 'fp' }), NOON)
      expect(await read()).toEqual([])
      expect(await read('other')).toHaveLength(1)
    })

    it('rows of hours within a time are taken once, by host and start', async () => {
      const { row, read, take } = await hosts('b', 'B')
      const rows = [
        row({ fingerprint: 'B', startsAt: hour(1) }),
        row({ fingerprint: 'b', startsAt: hour(-1) }),
        row({ fingerprint: 'b', startsAt: NOON, share: 1 }),
        row({ fingerprint: 'b', startsAt: NOON, share: 2 }),
      ]
      const late = row({ fingerprint: 'b', startsAt: hour(2) })
      const coarse = row({ fingerprint: 'b', startsAt: NOON, share: 3, slotSeconds: COARSE.slotSeconds })
      await storage().hostUsage.add([...rows, late, coarse].toReversed())
      expect(await take({ from: hour(-1), to: hour(2) })).toEqual(rows.map(seen))
      expect(await take({ from: hour(-1), to: hour(2) })).toEqual([])
      expect(await read('b')).toEqual([coarse, late].map(seen))
    })

    it('hosts are taken page by page, behind the last one, until there are no more', async () => {
      const { licenseId, row } = await hosts('a', 'b', 'c')
      await storage().hostUsage.add(['a', 'c'].map((fingerprint) => row({ fingerprint })))
      const page = async (after: string) => {
        const taking = { after: { licenseId, fingerprint: after }, hosts: 1, from: NOON, to: hour(1) }
        const { rows, last } = await storage().hostUsage.take({ ...taking, onlyShared: false })
        return [rows.map(({ fingerprint }) => fingerprint), last?.licenseId === licenseId && last.fingerprint]
      }
      expect(await page('')).toEqual([['a'], 'a'])
      expect(await page('a')).toEqual([[], 'b'])
      expect(await page('b')).toEqual([['c'], 'c'])
      expect(await page('c')).toEqual([[], false])
      const beyond = { after: { licenseId: 'zzz', fingerprint: '' }, hosts: 1, from: NOON, to: hour(1) }
      expect(await storage().hostUsage.take({ ...beyond, onlyShared: false })).toEqual({ rows: [] })
    })

    it('with only shared ones, hosts without two shares of an hour keep theirs', async () => {
      const { row, read, take } = await hosts('a', 'b')
      const shared = [row({ share: 1 }), row({ share: 2 })]
      const joined = row({ fingerprint: 'b', share: 3, slotSeconds: COARSE.slotSeconds })
      const alone = [row({ fingerprint: 'b' }), joined, row({ fingerprint: 'b', startsAt: hour(1) })]
      await storage().hostUsage.add([...shared, ...alone])
      expect(await take({ onlyShared: true })).toEqual(shared.map(seen))
      expect(await read('b')).toEqual(alone.map(seen))
    })

    it('a transaction that fails leaves the rows that it took', async () => {
      const { row, read, take } = await hosts('fp')
      await storage().hostUsage.add([row()])
      const failing = storage().transaction(async (stores) => {
        const after = { licenseId: row().licenseId, fingerprint: '' }
        await stores.hostUsage.take({ after, hosts: 9, from: hour(-9), to: hour(9), onlyShared: false })
        throw new Error('undone')
      })
      await expect(failing).rejects.toThrow('undone')
      expect(await read()).toEqual([seen(row())])
      expect(await take()).toHaveLength(1)
    })

    it('rows past their days go, and so do those of a clock that was ahead', async () => {
      const { row, read } = await hosts('fp')
      const kept = [row({ startsAt: hour(-48) }), row({ startsAt: hour(24) })]
      const gone = [row({ startsAt: hour(-48.001) }), row({ startsAt: hour(24.001) })]
      await storage().hostUsage.add([...kept, ...gone])
      await storage().hostUsage.purge(2, NOON)
      expect(await read()).toEqual(kept.map(seen))
    })
  })
}
