import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import type { DomainSettlement, EmailDomain, NewEmailDomain } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildEmailDomain } from './build-email-domain.ts'

const FOUND = { dkim: { status: 'verified' }, spf: { status: 'missing', detail: 'none', found: [] } } as const
const LIMIT = 3

/** Contract suite of stores of sending domains. */
export function emailDomainsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`email domains store on ${name}`, () => {
    const storage = openedStorage(open)
    const domains = () => storage().emailDomains
    const scene = async (fields: Partial<NewEmailDomain> = {}) => {
      const clock = new FakeClock()
      const made = buildEmailDomain(fields)
      const added = await domains().add(made, LIMIT, clock.now())
      if (added === undefined) throw new Error('no room')
      return { clock, made, domain: added.domain, isNew: added.isNew }
    }
    const take = async (id: string, now: Date, token = buildId('tok')) =>
      (await domains().takeDue({ token, leaseSeconds: 60, limit: 1, id }, now)).length === 1
        ? token
        : undefined
    const settlement = (
      id: string,
      token: string,
      more: Partial<DomainSettlement> = {},
    ): DomainSettlement => ({
      id,
      token,
      status: 'verified',
      findings: FOUND,
      failingSince: undefined,
      isVerified: true,
      delaySeconds: 3600,
      promoted: undefined,
      ...more,
    })
    const settled = async (domain: EmailDomain, now: Date, more: Partial<DomainSettlement> = {}) => {
      const token = (await take(domain.id, now)) ?? ''
      return domains().settle(settlement(domain.id, token, more), now)
    }

    it('keeps what it was given; a new domain is pending and due at once', async () => {
      const { clock, made, domain } = await scene()
      const never = { next: undefined, failingSince: undefined, verifiedAt: undefined, checkedAt: undefined }
      const times = { createdAt: clock.now(), nextCheckAt: clock.now() }
      expect(domain).toEqual({ ...made, status: 'pending', findings: {}, ...never, ...times })
      expect(await domains().find(PLATFORM, made.id)).toEqual(domain)
      expect(await domains().named(made.owner, made.name)).toEqual(domain)
      expect(await domains().find(PLATFORM, buildId('dom'))).toBeUndefined()
      expect(await domains().named(made.owner, 'example.org')).toBeUndefined()
    })

    it('the same name of one owner is one domain; another owner has one of the same name', async () => {
      const { made, domain } = await scene()
      const again = await scene({ owner: made.owner })
      expect(again).toMatchObject({ domain, isNew: false })
      expect((await scene()).isNew).toBe(true)
    })

    it('an owner has so many, and one that is there already needs no room', async () => {
      const owner = buildId('lic')
      for (const each of ['a', 'b', 'c']) await scene({ owner, name: `${each}.example.com` })
      const more = buildEmailDomain({ owner, name: 'd.example.com' })
      expect(await domains().add(more, LIMIT)).toBeUndefined()
      expect(await domains().add({ ...more, name: 'a.example.com' }, LIMIT)).toMatchObject({ isNew: false })
    })

    it('a selector belongs to one domain', async () => {
      const { made } = await scene()
      await expect(scene({ key: made.key })).rejects.toThrow()
    })

    it('lists by id, in pages, of one owner or of all', async () => {
      const owner = buildId('lic')
      const ids: string[] = []
      for (const each of ['c', 'a', 'b'])
        ids.push((await scene({ owner, name: `${each}.example.com` })).made.id)
      const idsOf = async (filter: { after?: string; limit: number }) =>
        (await domains().list(ofLicense(owner), filter)).map(({ id }) => id)
      expect(await idsOf({ limit: 2 })).toEqual(ids.slice(0, 2))
      expect(await idsOf({ limit: 2, after: ids[1] ?? '' })).toEqual(ids.slice(2))
      const all = (await domains().list(PLATFORM, { limit: 1000 })).map(({ id }) => id)
      expect(all).toEqual(expect.arrayContaining(ids))
    })

    it('a domain is checked by one at a time, until the lease is over', async () => {
      const { clock, domain } = await scene()
      const first = await take(domain.id, clock.now())
      expect(first).toBeDefined()
      expect(await take(domain.id, clock.advance(59_999))).toBeUndefined()
      expect(await take(domain.id, clock.advance(1))).toBeDefined()
      expect(await domains().settle(settlement(domain.id, first ?? ''), clock.now())).toBeUndefined()
    })

    it('takes what is due, longest due first', async () => {
      const early = new FakeClock()
      const made: string[] = []
      for (let seconds = 0; seconds < 3; seconds += 1) {
        const domain = buildEmailDomain()
        // Earlier than any other domain of this suite.
        await domains().add(domain, LIMIT, new Date(Date.UTC(2001, 0, 1) - seconds * 1000))
        made.unshift(domain.id)
      }
      const request = { token: buildId('tok'), leaseSeconds: 60, limit: 2 }
      const ids = async (token: string) =>
        (await domains().takeDue({ ...request, token }, early.now())).map(({ id }) => id)
      expect(await ids('one')).toEqual(made.slice(0, 2))
      expect((await ids('two'))[0]).toBe(made[2])
    })

    it('records a result; the first verification counts, and the next check is due after its delay', async () => {
      const { clock, domain } = await scene()
      const at = clock.advance({ minutes: 5 })
      const after = await settled(domain, at)
      expect(after).toMatchObject({ status: 'verified', findings: FOUND, verifiedAt: at, checkedAt: at })
      expect(after?.nextCheckAt).toEqual(new Date(at.getTime() + 3_600_000))
      const later = clock.advance({ hours: 1 })
      const wrong = { status: 'degraded', isVerified: false, failingSince: later } as const
      expect(await settled(domain, later, { ...wrong, delaySeconds: undefined })).toMatchObject({
        status: 'degraded',
        failingSince: later,
        verifiedAt: at,
        checkedAt: later,
        nextCheckAt: undefined,
      })
      const due = await domains().takeDue(
        { token: 'none', leaseSeconds: 1, limit: 1000 },
        clock.advance({ days: 4000 }),
      )
      expect(due.map(({ id }) => id)).not.toContain(domain.id)
    })

    it('a result without its lease changes nothing', async () => {
      const { clock, domain } = await scene()
      expect(await domains().settle(settlement(domain.id, 'stolen'), clock.now())).toBeUndefined()
      expect(await domains().find(PLATFORM, domain.id)).toEqual(domain)
    })

    it('the next key waits beside the first, and takes its place when a check found it', async () => {
      const { clock, domain } = await scene()
      const next = { selector: `next${domain.id.slice(-12)}`, privateKey: 'sealed next', publicKey: 'MIIC' }
      await settled(domain, clock.now(), { findings: { ...FOUND, next: { status: 'missing' } } })
      const rotating = await domains().setNext(domain.id, next, clock.advance({ minutes: 1 }))
      expect(rotating).toMatchObject({ key: domain.key, next, nextCheckAt: clock.now(), findings: FOUND })
      const promoted = { ...next, privateKey: 'sealed anew' }
      expect(await settled(domain, clock.now(), { promoted })).toMatchObject({
        key: promoted,
        next: undefined,
      })
      expect(await domains().setNext(buildId('dom'), next)).toBeUndefined()
    })

    it('a key that was replaced meanwhile is not promoted', async () => {
      const { clock, domain } = await scene()
      const next = { selector: `late${domain.id.slice(-12)}`, privateKey: 'sealed next', publicKey: 'MIIC' }
      await domains().setNext(domain.id, next, clock.now())
      const promoted = { ...next, selector: 'another' }
      expect(await settled(domain, clock.now(), { promoted })).toMatchObject({ key: domain.key, next })
    })

    it('a rotation ends the lease of a check that knows nothing of it', async () => {
      const { clock, domain } = await scene()
      const token = (await take(domain.id, clock.now())) ?? ''
      const next = { selector: `mid${domain.id.slice(-12)}`, privateKey: 'sealed next', publicKey: 'MIIC' }
      await domains().setNext(domain.id, next, clock.now())
      expect(await domains().settle(settlement(domain.id, token), clock.now())).toBeUndefined()
    })

    it('is removed once', async () => {
      const { domain } = await scene()
      expect(await domains().remove(domain.id)).toBe(true)
      expect(await domains().remove(domain.id)).toBe(false)
      expect(await domains().find(PLATFORM, domain.id)).toBeUndefined()
    })

    it('without an instant the database’s clock counts', async () => {
      const { now } = await storage().health()
      const added = await domains().add(buildEmailDomain(), LIMIT)
      const id = added?.domain.id ?? ''
      expect(Math.abs(Number(added?.domain.createdAt) - now.getTime())).toBeLessThan(60_000)
      const token = buildId('tok')
      expect(await domains().takeDue({ token, leaseSeconds: 60, limit: 1, id })).toHaveLength(1)
      const after = await domains().settle(settlement(id, token))
      expect(Math.abs(Number(after?.checkedAt) - now.getTime())).toBeLessThan(60_000)
    })
  })
}
