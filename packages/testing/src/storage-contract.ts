import { PLATFORM, type Storage } from '@svc/core'
import { openedStorage } from './opened-storage.ts'
import { buildTenant } from './people/tenants/build-tenant.ts'
import { describe, expect, it } from './runner.ts'

/** Contract suite of storage itself, apart from its stores. */
export function storageContract(name: string, open: () => Promise<Storage>): void {
  describe(`storage on ${name}`, () => {
    const storage = openedStorage(open)

    it('is healthy as it is opened: all tables, nothing pending, nothing drifted', async () => {
      const health = await storage().health()
      expect(health).toMatchObject({ missingTables: [], migrations: { pending: [], drifted: [] } })
      expect(health.latencyMs).toBeGreaterThanOrEqual(0)
      expect(Number.isNaN(health.now.getTime())).toBe(false)
    })

    it('a transaction gives back what its work gives', async () => {
      expect(await storage().transaction(async () => 42)).toBe(42)
    })

    it('a transaction that fails throws what its work threw', async () => {
      const fault = new TypeError('on purpose')
      await expect(storage().transaction(() => Promise.reject(fault))).rejects.toBe(fault)
    })

    it('a failed transaction takes nothing of others with it', async () => {
      const [kept, gone] = [buildTenant(), buildTenant()]
      await storage().tenants.add(kept)
      const work = storage().transaction(async ({ tenants }) => {
        await tenants.add(gone)
        await tenants.add(kept)
        throw new Error('on purpose')
      })
      await expect(work).rejects.toThrow('on purpose')
      expect(await storage().tenants.find(PLATFORM, kept.id)).toBeDefined()
      expect(await storage().tenants.find(PLATFORM, gone.id)).toBeUndefined()
    })

    it('after a failed transaction the next one works', async () => {
      await storage()
        .transaction(() => Promise.reject(new Error('on purpose')))
        .catch(() => {})
      const tenant = buildTenant()
      await storage().transaction(({ tenants }) => tenants.add(tenant))
      expect(await storage().tenants.find(PLATFORM, tenant.id)).toMatchObject(tenant)
    })

    it('transactions that meet each see all or nothing of the other', async () => {
      const { name: taken } = buildTenant()
      const attempts = Array.from({ length: 6 }, () =>
        storage().transaction(async ({ tenants }) => {
          const added = await tenants.add(buildTenant({ name: taken }))
          return added === undefined ? undefined : (await tenants.find(PLATFORM, taken))?.id === added.id
        }),
      )
      const seen = await Promise.all(attempts)
      expect(seen.filter((each) => each !== undefined)).toEqual([true])
    })
  })
}
