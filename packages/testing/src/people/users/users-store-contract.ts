import type { Storage } from '@svc/core'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildTenant } from '../tenants/build-tenant.ts'
import { buildUser } from './build-user.ts'

/** Contract suite of stores of users. */
export function usersStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`users store on ${name}`, () => {
    const storage = openedStorage(open)
    const users = () => storage().users

    async function member() {
      const tenant = buildTenant()
      await storage().tenants.add(tenant)
      return buildUser({ role: 'developer', tenantId: tenant.id })
    }

    /** The storage is one for all tests: administrators of others are none here. */
    async function withoutAdministrator() {
      for (const { id, role } of await users().list())
        if (role === 'super_admin') await users().change(id, { role: 'viewer' })
    }

    it('staff and product users are found by email with their role and tenant', async () => {
      const now = new FakeClock().now()
      for (const made of [buildUser({ role: 'super_admin' }), await member()]) {
        const { passwordHash, ...user } = { ...made, createdAt: now, disabledAt: undefined }
        expect(await users().add(made, now)).toEqual(user)
        expect(await users().byEmail(made.email)).toEqual(user)
      }
    })

    it('an unknown email is nobody', async () => {
      expect(await users().byEmail('nobody@example.com')).toBeUndefined()
      expect(await users().credentials('nobody@example.com')).toBeUndefined()
    })

    it('an email belongs to one user, staff or not', async () => {
      const staff = buildUser()
      await users().add(staff)
      expect(await users().add({ ...(await member()), email: staff.email })).toBeUndefined()
      expect(await users().add(buildUser({ email: staff.email }))).toBeUndefined()
      expect((await users().byEmail(staff.email))?.id).toBe(staff.id)
    })

    it('the first administrator is made once, whoever else comes at the same moment', async () => {
      await withoutAdministrator()
      expect(await users().hasFirst()).toBe(false)
      const made = Array.from({ length: 8 }, (_, n) =>
        buildUser({ role: 'super_admin', email: `first-${n}@svc.example`, passwordHash: 'a hash' }),
      )
      const added = await Promise.all(
        made.map((user) => storage().transaction((stores) => stores.users.addFirst(user))),
      )
      const [first, ...others] = added.filter((each) => each !== undefined)
      expect([first?.role, others]).toEqual(['super_admin', []])
      expect(await users().hasFirst()).toBe(true)
      expect((await users().list()).filter(({ role }) => role === 'super_admin')).toEqual([first])
    })

    it('a barred administrator counts, and an email that somebody has makes none', async () => {
      await withoutAdministrator()
      const member = buildUser()
      await users().add(member)
      const same = buildUser({ role: 'super_admin', email: member.email })
      expect(await storage().transaction((stores) => stores.users.addFirst(same))).toBeUndefined()
      expect(await users().hasFirst()).toBe(false)
      const barred = buildUser({ role: 'super_admin' })
      await users().add(barred)
      await users().change(barred.id, { disabled: true })
      expect(await users().hasFirst()).toBe(true)
    })

    it('the password hash is handed out for sign-in only', async () => {
      const made = buildUser({ passwordHash: 'a hash' })
      const added = await users().add(made)
      expect(JSON.stringify(added)).not.toContain('a hash')
      expect(await users().credentials(made.email)).toEqual({ user: added, passwordHash: 'a hash' })
    })

    it('a change keeps what it does not name', async () => {
      const made = buildUser({ passwordHash: 'a hash' })
      const added = await users().add(made)
      expect(await users().change(made.id, { role: 'viewer' })).toEqual({ ...added, role: 'viewer' })
      expect((await users().credentials(made.email))?.passwordHash).toBe('a hash')
      expect(await users().change('nobody', { role: 'viewer' })).toBeUndefined()
    })

    it('a password is replaced only while it is the one that was looked at; else nothing changes', async () => {
      const clock = new FakeClock()
      for (const made of [
        buildUser({ passwordHash: 'first' }),
        { ...(await member()), passwordHash: 'first' },
      ]) {
        await users().add(made, clock.now())
        await storage().sessions.open({ digest: `s ${made.id}`, userId: made.id }, clock.now())
        const replace = (formerHash: string, passwordHash: string) =>
          users().change(made.id, { formerHash, passwordHash }, clock.now())
        expect(await replace('another', 'second')).toBeUndefined()
        expect((await users().credentials(made.email))?.passwordHash).toBe('first')
        expect(await storage().sessions.use(`s ${made.id}`, clock.now())).toBeDefined()
        expect((await replace('first', 'second'))?.id).toBe(made.id)
        expect((await users().credentials(made.email))?.passwordHash).toBe('second')
        expect(await storage().sessions.use(`s ${made.id}`, clock.now())).toBeUndefined()
      }
    })

    it('of two who replace the same password at once one does', async () => {
      const made = buildUser({ passwordHash: 'first' })
      await users().add(made)
      const replaced = await Promise.all(
        ['one', 'two'].map((passwordHash) => users().change(made.id, { formerHash: 'first', passwordHash })),
      )
      expect(replaced.filter((user) => user !== undefined)).toHaveLength(1)
    })

    it('barring keeps its first instant until it is lifted', async () => {
      const clock = new FakeClock()
      const made = buildUser()
      await users().add(made, clock.now())
      const barred = clock.advance({ seconds: 5 })
      await users().change(made.id, { disabled: true }, barred)
      const again = await users().change(made.id, { disabled: true }, clock.advance({ seconds: 5 }))
      expect(again?.disabledAt).toEqual(barred)
      expect((await users().change(made.id, { disabled: false }))?.disabledAt).toBeUndefined()
    })

    it('a new password and a bar end the sessions of the user, a new role does not', async () => {
      const clock = new FakeClock()
      const changes = [
        { change: { passwordHash: 'new' }, lives: false },
        { change: { disabled: true }, lives: false },
        { change: { role: 'viewer' as const }, lives: true },
      ]
      for (const { change, lives } of changes) {
        const made = buildUser()
        await users().add(made, clock.now())
        await storage().sessions.open({ digest: `d ${made.id}`, userId: made.id }, clock.now())
        await users().change(made.id, change, clock.now())
        await users().change(made.id, { disabled: false }, clock.now())
        expect((await storage().sessions.use(`d ${made.id}`, clock.now())) !== undefined).toBe(lives)
      }
    })

    it('lists by email', async () => {
      const made = ['c', 'a', 'b'].map((letter) =>
        buildUser({ email: `${letter}-${buildUser().id}@example.com` }),
      )
      for (const user of made) await users().add(user)
      const emails = made.map(({ email }) => email)
      const listed = (await users().list())
        .map(({ email }) => email)
        .filter((email) => emails.includes(email))
      expect(listed).toEqual([...emails].sort())
    })
  })
}
