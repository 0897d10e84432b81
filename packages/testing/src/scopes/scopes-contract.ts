import { ofLicense, ofTenant, PLATFORM, type Storage } from '@svc/core'
import { buildId } from '../build-id.ts'
import { FakeClock } from '../fake-clock.ts'
import { openedStorage } from '../opened-storage.ts'
import { buildLicense } from '../people/licenses/build-license.ts'
import { beforeAll, describe, expect, it } from '../runner.ts'
import type { Owner } from './scoped-read.ts'
import { SCOPED_READS } from './scoped-reads.ts'

/** Contract suite of scopes: for each of them only its own things exist. */
export function scopesContract(name: string, open: () => Promise<Storage>): void {
  describe(`scopes on ${name}`, () => {
    const storage = openedStorage(open)
    const clock = new FakeClock()
    let own: Owner
    let other: Owner
    beforeAll(async () => {
      own = await owner(storage(), clock.now())
      other = await owner(storage(), clock.now())
    })

    it.each(Object.entries(SCOPED_READS))('%s', async (_, { of, add, read }) => {
      const thing = async (whose: Owner) => ({
        owner: whose,
        id: (await add?.(storage(), whose, clock.now())) ?? whose[`${of}Id`],
      })
      const [mine, theirs] = [await thing(own), await thing(other)]
      const shown = async (scope: Parameters<typeof read>[1]) => {
        const found = [...(await read(storage(), scope, mine)), ...(await read(storage(), scope, theirs))]
        return [mine, theirs].map(({ id }) => found.includes(id))
      }
      expect(mine.id).not.toBe('')
      expect(await shown(PLATFORM)).toEqual([true, true])
      expect(await shown(ofTenant(own.tenantId))).toEqual([true, false])
      expect(await shown(ofTenant('ten_none'))).toEqual([false, false])
      expect(await shown(ofLicense(own.licenseId))).toEqual([of === 'license', false])
      expect(await shown(ofLicense('lic_none'))).toEqual([false, false])
      // An id of the other kind opens nothing.
      expect(await shown(ofTenant(own.licenseId))).toEqual([false, false])
      expect(await shown(ofLicense(own.tenantId))).toEqual([false, false])
    })
  })
}

async function owner({ tenants, licenses }: Storage, now: Date): Promise<Owner> {
  const [tenantId, name] = [buildId('ten'), buildId('name')]
  await tenants.add({ id: tenantId, name }, now)
  const license = buildLicense({ tenantId, label: name })
  await licenses.add(license, now)
  return { tenantId, licenseId: license.id, keyDigest: license.keyDigest, name }
}
