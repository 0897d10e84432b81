import type { License, Storage } from '@svc/core'
import type { NewReminder } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildEndpoint } from '../webhooks/build-endpoint.ts'
import { buildEmailMessage } from './build-email-message.ts'

const DAY = 86_400

/** Contract suite of reminders: who has to be reminded, and that each step is one message. */
export function remindersStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`reminders store on ${name}`, () => {
    const storage = openedStorage(open)
    const reminders = () => storage().reminders

    /** Makes a license that ends in ten days. */
    async function scene({ contact = 'ann@acme.example', tenantId = undefined as string | undefined } = {}) {
      const clock = new FakeClock()
      const id = buildId('lic')
      const expiresAt = new Date(clock.now().getTime() + 10 * DAY * 1000)
      await storage().licenses.add({ id, keyDigest: buildId('key'), tenantId, label: 'web', expiresAt })
      const set = async (change: Parameters<Storage['licenses']['change']>[1]) =>
        storage().licenses.change(id, change)
      if (contact !== '') await set({ contactEmail: contact })
      const subjects = (withinDays = 30, endedDays = 3) =>
        reminders().subjects({ licenseId: id, withinDays, endedDays }, clock.now())
      const step: NewReminder = {
        kind: 'license_expiry',
        licenseId: id,
        basis: expiresAt.toISOString(),
        step: 7,
      }
      /** Notes the step with a message of its own; returns its id. */
      const sent = async () => {
        await reminders().add(step, clock.now())
        const message = buildEmailMessage({ owner: '' })
        await storage().emailMessages.add(message, clock.now())
        await reminders().bind(step, message.id)
        return message.id
      }
      const bill = (billingState: License['billingState']) =>
        storage().billing.bill(id, {
          status: 'active',
          statusReason: undefined,
          billingState,
          tier: 'pro',
          expiresAt,
          currentPeriodEnd: expiresAt,
          customerId: undefined,
        })
      return { id, clock, expiresAt, set, subjects, step, sent, bill }
    }

    it('a license that ends is a subject within its time, with its contact', async () => {
      const { id, subjects, expiresAt, clock } = await scene()
      expect(await subjects()).toEqual([
        {
          kind: 'license_expiry',
          licenseId: id,
          label: 'web',
          basis: expiresAt.toISOString(),
          anchor: expiresAt,
          since: expect.any(Date),
          addresses: ['ann@acme.example'],
          done: [],
        },
      ])
      expect(await subjects(9)).toEqual([])
      clock.advance({ seconds: 12 * DAY })
      expect(await subjects()).toHaveLength(1)
      expect(await subjects(30, 2)).toEqual([])
    })

    it('without a contact the owners of the tenant are meant, and nobody else, nor those who were disabled', async () => {
      const { tenants, users } = storage()
      const tenantId = buildId('ten')
      await tenants.add({ id: tenantId, name: tenantId })
      const person = (email: string, role: string) =>
        users.add({ id: buildId('usr'), email, role, tenantId, passwordHash: undefined } as never)
      const at = buildId('x')
      for (const [who, role] of [
        ['eve', 'owner'],
        ['ann', 'owner'],
        ['bob', 'viewer'],
      ] as const)
        await person(`${who}@${at}.example`, role)
      await person(`former@${at}.example`, 'owner')
      const former = await users.byEmail(`former@${at}.example`)
      await users.change(former?.id ?? '', { disabled: true })
      const { subjects } = await scene({ contact: '', tenantId })
      expect((await subjects())[0]?.addresses).toEqual([`ann@${at}.example`, `eve@${at}.example`])
      expect((await (await scene({ contact: '' })).subjects())[0]?.addresses).toEqual([])
    })

    it('a license that renews by itself, is suspended or is revoked is no subject', async () => {
      const { id, subjects, bill } = await scene()
      await bill('active')
      expect(await subjects()).toEqual([])
      await bill('canceling')
      expect(await subjects()).toHaveLength(1)
      await storage().licenses.setStatus(id, 'suspended')
      expect(await subjects()).toEqual([])
    })

    it('an invoice that is not paid is a subject until it is', async () => {
      const { id, subjects, clock, bill } = await scene()
      await bill('active')
      const startedAt = clock.now()
      await storage().billing.openDunning({ licenseId: id, invoiceId: 'in_1', startedAt })
      expect(await subjects()).toMatchObject([{ kind: 'billing_dunning', basis: 'in_1', anchor: startedAt }])
      await storage().billing.endDunning(id, clock.now())
      expect(await subjects()).toEqual([])
    })

    it('an endpoint that was disabled for its failures is a subject until it is enabled, for some days', async () => {
      const { id, clock, bill, subjects } = await scene()
      await bill('active')
      const endpoint = buildEndpoint({ licenseId: id })
      await storage().webhooks.add(endpoint, 10, clock.now())
      expect(await subjects()).toEqual([])
      await storage().webhooks.disable(endpoint.id, 'manual', clock.now())
      expect(await subjects()).toEqual([])
      await storage().webhooks.enable(endpoint.id)
      await storage().webhooks.disable(endpoint.id, 'gone', clock.now())
      const [found, ...others] = await subjects()
      expect(others).toEqual([])
      expect(found).toMatchObject({ kind: 'webhook_disabled', addresses: ['ann@acme.example'] })
      expect(found?.basis).toBe(`${endpoint.id} ${found?.anchor.toISOString()}`)
      const step = { kind: 'webhook_disabled' as const, licenseId: id, basis: found?.basis ?? '', step: 0 }
      const message = buildEmailMessage({ owner: '' })
      await storage().emailMessages.add(message, clock.now())
      await reminders().add(step, clock.now())
      await reminders().bind(step, message.id)
      expect([await reminders().isWanted(message.id), (await subjects())[0]?.done]).toEqual([true, [0]])
      clock.advance({ seconds: 3 * DAY })
      expect(await subjects(30, 2)).toEqual([])
      expect(await reminders().isWanted(message.id)).toBe(true)
      await storage().webhooks.enable(endpoint.id)
      expect(await reminders().isWanted(message.id)).toBe(false)
    })

    it('of several callers at once, one notes a step, and later ones see it as done', async () => {
      const { step, clock, subjects } = await scene()
      const noted = await Promise.all(Array.from({ length: 8 }, () => reminders().add(step, clock.now())))
      expect(noted.filter(Boolean)).toHaveLength(1)
      await reminders().add({ ...step, step: 14 }, clock.now())
      expect((await subjects())[0]?.done).toEqual([7, 14])
    })

    it('a message is wanted while the license ends at that instant, and is no reminder otherwise', async () => {
      const { set, sent, expiresAt, id } = await scene()
      const message = await sent()
      expect(await reminders().isWanted(message)).toBe(true)
      await set({ expiresAt: new Date(expiresAt.getTime() + DAY * 1000) })
      expect(await reminders().isWanted(message)).toBe(false)
      await set({ expiresAt })
      expect(await reminders().isWanted(message)).toBe(true)
      await storage().licenses.setStatus(id, 'revoked')
      expect(await reminders().isWanted(message)).toBe(false)
      expect(await reminders().isWanted(buildId('em'))).toBeUndefined()
    })

    it('messages are open until they are over', async () => {
      const { id, sent, clock } = await scene()
      const message = await sent()
      expect([await reminders().open(id), await reminders().open(buildId('lic'))]).toEqual([[message], []])
      const address = 'bob@example.net'
      const said = { address, smtpCode: 451, smtpText: 'later' }
      const record = (state: 'queued' | 'sent', recipient: 'deferred' | 'accepted') =>
        storage().emailMessages.record(
          { id: message, state, recipients: [{ ...said, state: recipient }], isUnknown: false },
          clock.now(),
        )
      await record('queued', 'deferred')
      expect(await reminders().messages([message])).toEqual([
        { id: message, state: 'queued', isDeferred: true },
      ])
      await record('sent', 'accepted')
      expect(await reminders().open(id)).toEqual([])
      expect(await reminders().messages([message, buildId('em')])).toEqual([
        { id: message, state: 'sent', isDeferred: false },
      ])
    })

    it('steps are forgotten after a time', async () => {
      const { step, clock, subjects } = await scene()
      await reminders().add(step, clock.now())
      clock.advance({ seconds: 5 * DAY })
      expect(await reminders().purge(6, clock.now())).toBe(0)
      expect((await subjects())[0]?.done).toEqual([7])
      expect(await reminders().purge(4, clock.now())).toBeGreaterThan(0)
      expect((await subjects())[0]?.done).toEqual([])
    })
  })
}
