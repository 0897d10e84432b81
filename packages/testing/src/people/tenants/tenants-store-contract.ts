import { PLATFORM, type Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildTenant } from './build-tenant.ts'

/** Contract suite of stores of tenants. */
export function tenantsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`tenants store on ${name}`, () => {
    const storage = openedStorage(open)
    const tenants = () => storage().tenants

    it('a tenant is found by its id and by its name', async () => {
      const now = new FakeClock().now()
      const made = buildTenant({ name: `Söder & Co ${buildId('n')}` })
      expect(await tenants().add(made, now)).toEqual({ ...made, createdAt: now })
      expect(await tenants().find(PLATFORM, made.id)).toEqual({ ...made, createdAt: now })
      expect(await tenants().find(PLATFORM, made.name)).toEqual({ ...made, createdAt: now })
    })

    it('an unknown tenant is none', async () => {
      expect(await tenants().find(PLATFORM, 'nobody')).toBeUndefined()
    })

    it('a name belongs to one tenant, as it is written', async () => {
      const made = buildTenant({ name: `Acme ${buildId('n')}` })
      await tenants().add(made)
      expect(await tenants().add(buildTenant({ name: made.name }))).toBeUndefined()
      expect(await tenants().add(buildTenant({ name: made.name.toUpperCase() }))).toBeDefined()
      expect((await tenants().find(PLATFORM, made.name))?.id).toBe(made.id)
    })

    it('of equal names at one instant one is taken', async () => {
      const { name: same } = buildTenant()
      const added = await Promise.all(
        Array.from({ length: 6 }, () => tenants().add(buildTenant({ name: same }))),
      )
      expect(added.filter((tenant) => tenant !== undefined)).toHaveLength(1)
    })

    it('refuses a second tenant of the same id', async () => {
      const made = buildTenant()
      await tenants().add(made)
      await expect(tenants().add({ id: made.id, name: `other ${made.id}` })).rejects.toThrow()
    })

    it('lists in the order of their making', async () => {
      const made = [buildTenant(), buildTenant(), buildTenant()]
      for (const tenant of [...made].reverse()) await tenants().add(tenant)
      const ids = made.map(({ id }) => id)
      expect((await tenants().list(PLATFORM)).map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(
        ids,
      )
    })

    it('without an instant the database’s clock counts', async () => {
      const { now } = await storage().health()
      const added = await tenants().add(buildTenant())
      expect(Math.abs((added?.createdAt.getTime() ?? 0) - now.getTime())).toBeLessThan(60_000)
    })
  })
}
