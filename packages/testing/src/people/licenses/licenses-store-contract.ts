import { type License, PLATFORM, type Storage } from '@svc/core'
import { LICENSE_STATUSES } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildTenant } from '../tenants/build-tenant.ts'
import { buildLicense } from './build-license.ts'

/** Contract suite of stores of issued licenses (spec, License key validation). */
export function licensesStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`licenses store on ${name}`, () => {
    const storage = openedStorage(open)
    const licenses = () => storage().licenses
    describe('keeping', () => keepingTests(storage))
    describe('changes', () => changeTests(storage))
    describe('status', () => statusTests(storage))
    describe('calls', () => callTests(storage))

    it('knows whether any license was ever issued, usable or not', async () => {
      await using fresh = await open()
      expect(await fresh.licenses.hasAny()).toBe(false)
      const { id } = await fresh.licenses.add(buildLicense())
      await fresh.licenses.setStatus(id, 'revoked')
      expect(await fresh.licenses.hasAny()).toBe(true)
    })

    it('without an instant the database’s clock counts', async () => {
      const { now } = await storage().health()
      const inTime = (seconds: number) => new Date(now.getTime() + seconds * 1000)
      const [good, over] = [buildLicense({ expiresAt: inTime(60) }), buildLicense({ expiresAt: inTime(-60) })]
      const { createdAt } = await licenses().add(good)
      await licenses().add(over)
      expect(Math.abs(createdAt.getTime() - now.getTime())).toBeLessThan(60_000)
      expect(await licenses().usableId(good.keyDigest)).toBe(good.id)
      expect(await licenses().usableId(over.keyDigest)).toBeUndefined()
    })
  })
}

function keepingTests(storage: () => Storage): void {
  const licenses = () => storage().licenses

  it('keeps everything that a license is made of, but never shows the key', async () => {
    const clock = new FakeClock()
    const tenant = await storage().tenants.add(buildTenant())
    const made = buildLicense({
      tenantId: tenant?.id,
      label: 'Söder & Co',
      expiresAt: new Date('2031-02-03T04:05:06.789Z'),
    })
    const { keyDigest, ...fields } = made
    const expected = { ...fields, status: 'active', agentOnly: false, createdAt: clock.now() }
    expect(await licenses().add(made, clock.now())).toEqual(expected)
    expect(await licenses().get(made.id)).toEqual(expected)
    expect(await licenses().byKeyDigest(keyDigest)).toEqual(expected)
    expect(await licenses().list(PLATFORM)).toContainEqual(expected)
  })

  it('a license may have no tenant and no end', async () => {
    const made = buildLicense()
    await licenses().add(made)
    expect(await licenses().get(made.id)).toMatchObject({
      tenantId: undefined,
      expiresAt: undefined,
      label: '',
    })
  })

  it('unknown licenses are none', async () => {
    expect(await licenses().get(buildId('lic'))).toBeUndefined()
    expect(await licenses().byKeyDigest('0'.repeat(64))).toBeUndefined()
    expect(await licenses().usableId('0'.repeat(64))).toBeUndefined()
    expect(await licenses().setStatus(buildId('lic'), 'suspended')).toBeUndefined()
  })

  it('a key opens one license', async () => {
    const made = buildLicense()
    await licenses().add(made)
    await expect(licenses().add(buildLicense({ keyDigest: made.keyDigest }))).rejects.toThrow()
    expect(await licenses().usableId(made.keyDigest)).toBe(made.id)
  })

  it('refuses a tenant that there is not', async () => {
    const made = buildLicense({ tenantId: buildId('ten') })
    await expect(licenses().add(made)).rejects.toThrow()
    expect(await licenses().get(made.id)).toBeUndefined()
  })

  it('lists in the order of their making', async () => {
    const made = [buildLicense(), buildLicense(), buildLicense()]
    for (const license of [...made].reverse()) await licenses().add(license)
    const ids = made.map(({ id }) => id)
    const listed = (await licenses().list(PLATFORM)).map(({ id }) => id)
    expect(listed.filter((id) => ids.includes(id))).toEqual(ids)
  })

  it('is found by its id or its key alone, else by its label or the end of its id', async () => {
    const ids = (found: readonly License[]) => found.map(({ id }) => id)
    const label = buildId('label')
    const [first, second] = [buildLicense({ label }), buildLicense({ label })]
    // Its label is the id of another, which goes before.
    const third = buildLicense({ label: first.id })
    for (const license of [second, first, third]) await licenses().add(license)
    const named = async (name: string, { keyDigest = '', isEnd = false } = {}) =>
      ids(await licenses().named(PLATFORM, { name, keyDigest, isEnd }))
    expect(await named(label)).toEqual([first.id, second.id])
    expect(await named(first.id)).toEqual([first.id])
    expect(await named('a key', { keyDigest: second.keyDigest })).toEqual([second.id])
    expect(await named(second.id.slice(-12), { isEnd: true })).toEqual([second.id])
    expect(await named(second.id.slice(-12))).toEqual([])
    // No license is called by an empty label.
    expect(await named('')).toEqual([])
  })

  it('a transaction that fails leaves no license', async () => {
    const made = buildLicense()
    const work = storage().transaction(async (stores) => {
      await stores.licenses.add(made)
      throw new Error('on purpose')
    })
    await expect(work).rejects.toThrow('on purpose')
    expect(await licenses().get(made.id)).toBeUndefined()
  })
}

function changeTests(storage: () => Storage): void {
  const licenses = () => storage().licenses
  const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1) + 1000 * seconds)

  it('the label and the end change each by itself, and the end can be taken away', async () => {
    const made = buildLicense({ label: 'web', expiresAt: at(0) })
    const { id } = await licenses().add(made)
    expect(await licenses().change(id, { label: 'shop' })).toMatchObject({ label: 'shop', expiresAt: at(0) })
    expect(await licenses().change(id, { expiresAt: at(1) })).toMatchObject({
      label: 'shop',
      expiresAt: at(1),
    })
    expect(await licenses().get(id)).toMatchObject({ label: 'shop', expiresAt: at(1) })
    expect(await licenses().usableId(made.keyDigest, at(2))).toBeUndefined()
    expect((await licenses().change(id, { expiresAt: null }))?.expiresAt).toBeUndefined()
    expect(await licenses().usableId(made.keyDigest, at(2))).toBe(id)
    expect(await licenses().change(id, { label: '' })).toMatchObject({ label: '' })
  })

  it('the end of a revoked license does not change, its label does; an unknown one has neither', async () => {
    const { id } = await licenses().add(buildLicense({ expiresAt: at(0) }))
    await licenses().setStatus(id, 'revoked')
    expect(await licenses().change(id, { label: 'x', expiresAt: at(1) })).toBeUndefined()
    expect(await licenses().get(id)).toMatchObject({ label: '', expiresAt: at(0) })
    expect(await licenses().change(id, { label: 'old' })).toMatchObject({ label: 'old', status: 'revoked' })
    expect(await licenses().change('lic_none', { label: 'x' })).toBeUndefined()
  })
}

function callTests(storage: () => Storage): void {
  const licenses = () => storage().licenses
  const NOW = Date.UTC(2031, 2, 31, 0, 0, 5)
  const before = (seconds: number) => new Date(NOW - seconds * 1000)
  const DAY = 86_400
  const own = async (id: string, now: Date) =>
    (await licenses().calls(30, now)).filter(({ licenseId }) => licenseId === id)

  it('whether the key acts for hosts alone changes by itself, and stays when others change', async () => {
    const { id } = await licenses().add(buildLicense({ agentOnly: true, label: 'web' }))
    expect(await licenses().change(id, { label: 'shop' })).toMatchObject({ agentOnly: true, label: 'shop' })
    expect(await licenses().change(id, { agentOnly: false })).toMatchObject({
      agentOnly: false,
      label: 'shop',
    })
    expect(await licenses().change(id, { agentOnly: true })).toMatchObject({ agentOnly: true, label: 'shop' })
    await licenses().setStatus(id, 'revoked')
    expect(await licenses().change(id, { agentOnly: false })).toMatchObject({ agentOnly: false })
  })

  it('calls count by license and deed over days, with the last one', async () => {
    const [{ id }, other] = [await licenses().add(buildLicense()), await licenses().add(buildLicense())]
    for (const seconds of [10, 0, 3, 2 * DAY]) await licenses().noteCall(id, 'git-hooks', before(seconds))
    await licenses().noteCall(id, 'checkouts', before(1))
    await licenses().noteCall(other.id, 'scans', before(1))
    expect(await own(id, before(0))).toEqual([
      { licenseId: id, deed: 'checkouts', calls: 1, lastAt: before(1) },
      { licenseId: id, deed: 'git-hooks', calls: 4, lastAt: before(0) },
    ])
  })

  it('days whose last call is older than asked are not told, and go', async () => {
    const { id } = await licenses().add(buildLicense())
    for (const seconds of [0, 29 * DAY, 30 * DAY]) await licenses().noteCall(id, 'scans', before(seconds))
    const told = [{ licenseId: id, deed: 'scans', calls: 2, lastAt: before(0) }]
    expect(await own(id, before(0))).toEqual(told)
    expect(await licenses().purgeCalls(30, before(0))).toBe(1)
    expect(await licenses().purgeCalls(30, before(0))).toBe(0)
    expect(await own(id, before(0))).toEqual(told)
  })

  it('a license that was never issued has no calls', async () => {
    const id = buildId('lic')
    await licenses().noteCall(id, 'scans', before(0))
    expect(await own(id, before(0))).toEqual([])
  })
}

function statusTests(storage: () => Storage): void {
  const licenses = () => storage().licenses

  it('a license is good until the instant it expires, not at it', async () => {
    const clock = new FakeClock()
    const made = buildLicense({ expiresAt: new Date(clock.now().getTime() + 1000) })
    await licenses().add(made, clock.now())
    clock.advance(999)
    expect(await licenses().usableId(made.keyDigest, clock.now())).toBe(made.id)
    clock.advance(1)
    expect(await licenses().usableId(made.keyDigest, clock.now())).toBeUndefined()
  })

  it('suspending closes a license on the next request, reinstating opens it', async () => {
    const made = buildLicense()
    await licenses().add(made)
    expect(await licenses().setStatus(made.id, 'suspended')).toMatchObject({ status: 'suspended' })
    expect(await licenses().usableId(made.keyDigest)).toBeUndefined()
    expect(await licenses().setStatus(made.id, 'active')).toMatchObject({ status: 'active' })
    expect(await licenses().usableId(made.keyDigest)).toBe(made.id)
  })

  it.each(LICENSE_STATUSES)('a revoked license stays revoked, whatever comes: %s', async (status) => {
    const made = buildLicense()
    await licenses().add(made)
    expect(await licenses().setStatus(made.id, 'revoked')).toMatchObject({ status: 'revoked' })
    expect(await licenses().setStatus(made.id, status)).toMatchObject({ status: 'revoked' })
    expect(await licenses().usableId(made.keyDigest)).toBeUndefined()
    expect(await licenses().byKeyDigest(made.keyDigest)).toMatchObject({ status: 'revoked' })
  })

  it('inside a transaction a change is seen by the next read', async () => {
    const made = buildLicense()
    await licenses().add(made)
    const seen = await storage().transaction(async (stores) => {
      const before = await stores.licenses.get(made.id)
      await stores.licenses.setStatus(made.id, 'suspended')
      return [before?.status, (await stores.licenses.get(made.id))?.status]
    })
    expect(seen).toEqual(['active', 'suspended'])
  })
}
