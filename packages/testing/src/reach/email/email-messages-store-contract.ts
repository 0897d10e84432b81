import type { Storage } from '@svc/core'
import { type EmailMessage, MESSAGE_STATES, type NewEmailMessage, STOPPED } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildEmailMessage } from './build-email-message.ts'

const DAY_MS = 86_400_000
const THREE = (['bob', 'eve', 'zoe'] as const).map((name, at) => ({
  address: `${name}@example.net`,
  role: at === 0 ? ('to' as const) : ('bcc' as const),
  state: at === 2 ? ('suppressed' as const) : ('queued' as const),
}))

/** Contract suite of stores of messages. */
export function emailMessagesStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`email messages store on ${name}`, () => {
    const storage = openedStorage(open)
    const messages = () => storage().emailMessages
    const scene = async (fields: Partial<NewEmailMessage> = {}) => {
      const clock = new FakeClock()
      const made = buildEmailMessage(fields)
      return { clock, made, message: await messages().add(made, clock.now()) }
    }
    const record = (
      id: string,
      state: EmailMessage['state'],
      now: Date,
      recipients: Parameters<ReturnType<typeof messages>['record']>[0]['recipients'] = [],
      isUnknown = false,
    ) => messages().record({ id, state, recipients, isUnknown }, now)
    const bob = (state: 'accepted' | 'deferred' | 'failed' | 'unknown') =>
      [{ address: 'bob@example.net', state, smtpCode: 250, smtpText: 'said' }] as const

    it('keeps what it was given, recipients in order and the contents apart', async () => {
      const { clock, made, message } = await scene({ recipients: THREE, tags: { a: 'b' }, keyId: 'ek_1' })
      const { body, recipients, ...kept } = made
      const said = { smtpCode: undefined, smtpText: undefined }
      const never = { dataStartedAt: undefined, settledAt: undefined, unknowns: 0 }
      expect(message).toEqual({
        ...kept,
        ...never,
        state: 'queued',
        createdAt: clock.now(),
        recipients: recipients.map((each) => ({ ...each, ...said })),
      })
      expect(await messages().find(made.id)).toEqual(message)
      expect(await messages().body(made.id)).toEqual(body)
      expect(await messages().find(buildId('em'))).toBeUndefined()
      expect(await messages().body(buildId('em'))).toBeUndefined()
    })

    it('an id is given once, and so is a recipient of one message', async () => {
      const { made } = await scene()
      await expect(messages().add(buildEmailMessage({ id: made.id }))).rejects.toThrow()
      const [one] = THREE
      if (one === undefined) throw new Error('no recipient')
      const twice = buildEmailMessage({ recipients: [one, one] })
      await expect(messages().add(twice)).rejects.toThrow()
      expect(await messages().find(twice.id)).toBeUndefined()
    })

    it('lists newest first, in pages, by owner and state', async () => {
      const owner = buildId('lic')
      const ids: string[] = []
      for (let made = 0; made < 3; made += 1) ids.unshift((await scene({ owner })).made.id)
      const idsOf = async (filter: Partial<Parameters<ReturnType<typeof messages>['list']>[0]>) =>
        (await messages().list({ owner, limit: 10, ...filter })).map(({ id }) => id)
      expect(await idsOf({})).toEqual(ids)
      expect(await idsOf({ limit: 1, before: ids[0] ?? '' })).toEqual(ids.slice(1, 2))
      await messages().cancel(ids[1] ?? '')
      expect(await idsOf({ state: 'cancelled' })).toEqual(ids.slice(1, 2))
    })

    it('an attempt begins with the message as it was, and notes when bytes left', async () => {
      const { clock, made, message } = await scene()
      expect(await messages().begin(made.id)).toEqual(message)
      const at = clock.advance({ seconds: 1 })
      await messages().dataStarted(made.id, at)
      expect(await messages().find(made.id)).toMatchObject({ state: 'sending', dataStartedAt: at })
      expect(await messages().begin(made.id)).toMatchObject({ state: 'sending', dataStartedAt: at })
      expect((await messages().find(made.id))?.dataStartedAt).toBeUndefined()
      expect(await messages().begin(buildId('em'))).toBeUndefined()
    })

    it('records recipients that changed, and when the message is over', async () => {
      const { clock, made } = await scene({ recipients: THREE })
      await messages().begin(made.id)
      await messages().dataStarted(made.id, clock.now())
      const after = await record(made.id, 'queued', clock.now(), bob('deferred'), true)
      expect(after).toMatchObject({
        state: 'queued',
        unknowns: 1,
        settledAt: undefined,
        dataStartedAt: undefined,
      })
      expect(after?.recipients.map(({ state, smtpCode }) => [state, smtpCode])).toEqual([
        ['deferred', 250],
        ['queued', undefined],
        ['suppressed', undefined],
      ])
      const at = clock.advance({ minutes: 1 })
      expect(await record(made.id, 'sent', at, bob('accepted'))).toMatchObject({
        state: 'sent',
        settledAt: at,
        unknowns: 1,
      })
      expect(await messages().begin(made.id)).toMatchObject({ state: 'sent' })
      expect(await messages().find(made.id)).toMatchObject({ state: 'sent' })
      expect(await record(buildId('em'), 'sent', at)).toBeUndefined()
    })

    it('cancels what was not accepted, once', async () => {
      const { clock, made } = await scene({ recipients: THREE })
      await record(made.id, 'queued', clock.now(), bob('accepted'))
      const at = clock.advance({ minutes: 1 })
      const after = await messages().cancel(made.id, at)
      expect(after).toMatchObject({ state: 'partial', settledAt: at })
      expect(after?.recipients.map(({ state }) => state)).toEqual(['accepted', 'cancelled', 'suppressed'])
      expect(await messages().cancel(made.id, clock.advance(1))).toEqual(after)
      const other = await scene()
      expect(await messages().cancel(other.made.id)).toMatchObject({ state: 'cancelled' })
      expect(await messages().cancel(buildId('em'))).toBeUndefined()
    })

    it('one that no delivery is left for is over: sent for all who may have it, failed for the others', async () => {
      const { clock, made } = await scene({ recipients: THREE })
      const left = await scene()
      const due = await scene()
      const now = clock.now()
      const begun = [made.id, left.made.id, due.made.id]
      for (const id of begun) {
        const request = {
          kind: 'email',
          token: id,
          leaseSeconds: 60,
          limit: 1,
          perRecipient: 1,
          maxAttempts: 1,
        }
        await storage().deliveries.add(
          { id: buildId('dlv'), kind: 'email', recipient: 'relay', payload: id },
          now,
        )
        await storage().deliveries.takeDue(request, now)
        await messages().begin(id)
      }
      await record(made.id, 'sending', now, bob('accepted'))
      await messages().dataStarted(left.made.id, now)
      const again = { id: buildId('dlv'), kind: 'email', recipient: 'relay', payload: due.made.id }
      const at = clock.advance({ seconds: 60 })
      await storage().deliveries.add(again, at)
      await storage().deliveries.expire('email', at)
      expect(await messages().endLost(at)).toBe(2)
      const after = await Promise.all(begun.map((id) => messages().find(id)))
      const seen = after.map((each) => [each?.state, each?.recipients.map(({ state }) => state)])
      expect(seen).toEqual([
        ['partial', ['accepted', 'failed', 'suppressed']],
        ['failed', ['unknown']],
        ['sending', ['queued']],
      ])
      expect(after[0]?.recipients[1]).toMatchObject({ smtpCode: undefined, smtpText: STOPPED })
      expect(after[1]).toMatchObject({ settledAt: at, dataStartedAt: undefined })
      expect(await messages().endLost(at)).toBe(0)
    })

    it('a failed one is queued again for those who did not get it', async () => {
      const { clock, made } = await scene({ recipients: THREE })
      expect(await messages().requeue(made.id)).toBeUndefined()
      await record(made.id, 'failed', clock.now(), bob('unknown'), true)
      const after = await messages().requeue(made.id)
      expect(after).toMatchObject({ state: 'queued', unknowns: 0, settledAt: undefined })
      expect(after?.recipients[0]?.state).toBe('queued')
      await record(made.id, 'partial', clock.now(), bob('accepted'))
      expect(await messages().requeue(made.id)).toBeUndefined()
    })

    it('an answer is remembered for a day, once', async () => {
      const { now } = { now: new FakeClock().now() }
      const kept = { owner: buildId('lic'), key: 'k', bodyHash: 'h', answer: { id: 'em_1', suppressed: [] } }
      expect(await messages().remember(kept, now)).toBe(true)
      expect(await messages().remember({ ...kept, bodyHash: 'other' }, now)).toBe(false)
      const almost = new Date(now.getTime() + DAY_MS - 1)
      const { bodyHash, answer } = kept
      expect(await messages().remembered(kept.owner, 'k', almost)).toEqual({ bodyHash, answer })
      expect(await messages().remembered(buildId('lic'), 'k', now)).toBeUndefined()
      const over = new Date(now.getTime() + DAY_MS)
      expect(await messages().remembered(kept.owner, 'k', over)).toBeUndefined()
      expect(await messages().remember({ ...kept, bodyHash: 'next' }, over)).toBe(true)
      expect((await messages().remembered(kept.owner, 'k', over))?.bodyHash).toBe('next')
    })

    it('of several at once one is remembered', async () => {
      const kept = { owner: buildId('lic'), key: 'k', bodyHash: 'h', answer: {} }
      const results = await Promise.all(Array.from({ length: 8 }, () => messages().remember(kept)))
      expect(results.filter(Boolean)).toHaveLength(1)
    })

    it('a day’s recipients are counted up to the limit, also by several at once', async () => {
      const owner = buildId('lic')
      const now = new Date('2026-03-01T23:59:59.999Z')
      expect(await messages().spend(owner, 11, 10, now)).toBe(false)
      const results = await Promise.all(Array.from({ length: 8 }, () => messages().spend(owner, 3, 10, now)))
      expect(results.filter(Boolean)).toHaveLength(3)
      expect(await messages().spend(owner, 1, 10, now)).toBe(true)
      expect(await messages().spend(owner, 1, 10, now)).toBe(false)
      expect(await messages().spend(owner, 10, 10, new Date(now.getTime() + 1))).toBe(true)
    })

    it('counts the recipients of a domain’s last days, and messages by state', async () => {
      const domainId = buildId('dom')
      const { clock, made } = await scene({ domainId, recipients: THREE })
      await record(made.id, 'sent', clock.now(), bob('accepted'))
      const week = new Date(clock.now().getTime() + 7 * DAY_MS)
      const counts = await messages().counts(domainId, 7, new Date(week.getTime() - 1))
      expect(counts).toMatchObject({ accepted: 1, queued: 1, suppressed: 1, bounced: 0 })
      expect(await messages().counts(domainId, 7, week)).toMatchObject({ accepted: 0, queued: 0 })
      const states = await messages().states()
      expect(Object.keys(states).sort()).toEqual([...MESSAGE_STATES].sort())
      expect(states.sent).toBeGreaterThanOrEqual(1)
    })

    it('contents go first, then the message; what is not over stays', async () => {
      const over = await scene()
      const waits = await scene()
      await record(over.made.id, 'sent', over.clock.now())
      const after = (days: number, ms = 0) => new Date(over.clock.now().getTime() + days * DAY_MS + ms)
      const keep = { bodyDays: 7, messageDays: 90 }
      await messages().purge(keep, after(7))
      expect(await messages().body(over.made.id)).toBeDefined()
      await messages().purge(keep, after(7, 1))
      expect(await messages().body(over.made.id)).toBeUndefined()
      expect(await messages().find(over.made.id)).toBeDefined()
      expect(await messages().purge(keep, after(90, 1))).toBeGreaterThanOrEqual(1)
      expect(await messages().find(over.made.id)).toBeUndefined()
      expect(await messages().body(waits.made.id)).toBeDefined()
    })

    it('without an instant the database’s clock counts', async () => {
      const { now } = await storage().health()
      const { createdAt, id } = await messages().add(buildEmailMessage())
      expect(Math.abs(createdAt.getTime() - now.getTime())).toBeLessThan(60_000)
      await messages().dataStarted(id)
      expect(Math.abs(Number((await messages().find(id))?.dataStartedAt) - now.getTime())).toBeLessThan(
        60_000,
      )
    })
  })
}
