import type { Storage } from '@svc/core'
import { NEW_RECIPIENT } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { LEASE_SECONDS, outboxScene, POLICY } from './outbox-scene.ts'

const FAILURE = { delivered: false, policy: POLICY, spread: 1 }

/** The part of the outbox's contract about receivers: shares, sequences, breakers and ends. */
export function recipientsContract(name: string, open: () => Promise<Storage>): void {
  describe(`receivers of deliveries on ${name}`, () => {
    const storage = openedStorage(open)
    const scene = () => outboxScene(storage())

    it('each receiver gets its share, from the one after the last on and round', async () => {
      const { add, take } = scene()
      const base = buildId('rcp')
      const [a, b, c] = ['a', 'b', 'c'].map((end) => `${base}_${end}`) as [string, string, string]
      for (const recipient of [a, a, a, b, b, c]) await add({ recipient })
      const first = await take({ perRecipient: 2, limit: 3, after: a })
      expect(first.taken.map(({ recipient }) => recipient).sort()).toEqual([b, b, c])
      const second = await take({ perRecipient: 2, limit: 9, after: c })
      expect(second.taken.map(({ recipient }) => recipient)).toEqual([a, a])
    })

    it('a receiver gets the share that is named for it, or nothing', async () => {
      const { add, take } = scene()
      const [busy, half] = [buildId('rcp'), buildId('rcp')]
      for (const recipient of [busy, half, half]) await add({ recipient })
      const { taken } = await take({ shares: { [busy]: 0, [half]: 1 } })
      expect(taken.map(({ recipient }) => recipient)).toEqual([half])
    })

    it('only the receivers that are named get anything', async () => {
      const { add, take, target } = scene()
      const other = buildId('rcp')
      await add()
      await add({ recipient: other })
      await add({ isForced: true })
      expect((await take({ only: [other] })).taken).toMatchObject([{ recipient: other }])
      expect((await take({ only: [] })).taken).toEqual([])
      expect((await take({ only: [target.recipient] })).taken).toHaveLength(2)
    })

    it('later deliveries of a sequence wait for the first attempt of earlier ones, not for retries', async () => {
      const { clock, add, take, settle } = scene()
      const first = await add({ sequence: 'job_1' })
      clock.advance(1)
      const later = await add({ sequence: 'job_1' })
      const other = await add({ sequence: 'job_2' })
      const { taken, token } = await take()
      expect(taken.map(({ id }) => id)).toEqual([first, other])
      expect((await take()).taken).toEqual([])
      await settle(first, token, { state: 'due', delaySeconds: 300 })
      expect((await take()).taken.map(({ id }) => id)).toEqual([later])
    })

    it('the sequence of one receiver does not hold back another', async () => {
      const { clock, add, take } = scene()
      const first = await add({ sequence: 'job_1' })
      clock.advance(1)
      const other = await add({ sequence: 'job_1', recipient: buildId('rcp') })
      expect((await take()).taken.map(({ id }) => id).sort()).toEqual([first, other].sort())
    })

    it('a breaker opens after failures in a row, and what waits behind it costs no attempt', async () => {
      const { clock, target, add, take, attempt, state } = scene()
      for (let made = 0; made < 3; made += 1) await add()
      const at = clock.now()
      await attempt(false)
      expect(await state()).toEqual({
        ...NEW_RECIPIENT,
        consecutiveFailures: 1,
        failingSince: at,
        lastFailureAt: at,
      })
      await attempt(false)
      const openUntil = new Date(at.getTime() + 60_000)
      expect(await state()).toMatchObject({ breaker: 'open', opens: 1, openUntil, consecutiveFailures: 2 })
      expect((await take()).taken).toEqual([])
      const { deliveries } = storage()
      expect(await deliveries.counts(target.kind, undefined, clock.now())).toEqual({ remaining: 0, held: 3 })
    })

    it('a success in between starts the count anew', async () => {
      const { clock, add, attempt, state } = scene()
      for (let made = 0; made < 3; made += 1) await add()
      await attempt(false)
      await attempt(true)
      expect(await state()).toEqual({
        ...NEW_RECIPIENT,
        lastFailureAt: clock.now(),
        lastSuccessAt: clock.now(),
      })
      await attempt(false)
      expect((await state()).breaker).toBe('closed')
    })

    it('after the cooldown one attempt of all callers is made, and again if nothing came of it', async () => {
      const { clock, add, take, attempt, state } = scene()
      for (let made = 0; made < 4; made += 1) await add()
      await attempt(false)
      await attempt(false)
      clock.advance({ seconds: 59 })
      expect((await take()).taken).toEqual([])
      clock.advance({ seconds: 1 })
      const takes = await Promise.all(Array.from({ length: 10 }, () => take()))
      expect(takes.flatMap(({ taken }) => taken)).toHaveLength(1)
      expect((await state()).breaker).toBe('half_open')
      clock.advance({ seconds: 60 })
      expect((await take()).taken).toHaveLength(1)
    })

    it('a probe that fails opens the breaker for longer each time, up to the limit', async () => {
      const { clock, add, attempt, state } = scene()
      await add({ maxAttempts: 9 })
      await attempt(false)
      await attempt(false)
      const waits = []
      for (let probes = 0; probes < 3; probes += 1) {
        clock.advance({ seconds: 150 })
        await attempt(false)
        waits.push(((await state()).openUntil?.getTime() ?? 0) - clock.now().getTime())
      }
      expect(waits).toEqual([120_000, 150_000, 150_000])
      expect(await state()).toMatchObject({ opens: 4, failingSince: expect.any(Date) })
    })

    it('a probe that arrives closes the breaker, and all that waited flows', async () => {
      const { clock, add, take, attempt, state } = scene()
      for (let made = 0; made < 4; made += 1) await add()
      await attempt(false)
      await attempt(false)
      clock.advance({ seconds: 60 })
      await attempt(true)
      expect(await state()).toMatchObject({ breaker: 'closed', consecutiveFailures: 0, opens: 0 })
      expect((await take()).taken).toHaveLength(3)
    })

    it('the late result of an attempt from before does not move an open breaker', async () => {
      const { add, take, settle, attempt, state } = scene()
      for (let made = 0; made < 4; made += 1) await add()
      const { token, taken } = await take({ limit: 2 })
      await attempt(false)
      await attempt(false)
      const open = await state()
      const success = { delivered: true, policy: POLICY, spread: 1 }
      await settle(taken[0]?.id ?? '', token, { state: 'sent', verdict: success })
      await settle(taken[1]?.id ?? '', token, { verdict: FAILURE })
      const { breaker, opens, openUntil } = open
      expect(await state()).toMatchObject({ breaker, opens, openUntil, consecutiveFailures: 2 })
    })

    it('a breaker that opens at the first failure', async () => {
      const { clock, add, take, settle, state } = scene()
      const id = await add()
      const { token } = await take()
      await settle(id, token, { verdict: { ...FAILURE, policy: { ...POLICY, failures: 1 }, spread: 1.5 } })
      const openUntil = new Date(clock.now().getTime() + 90_000)
      expect(await state()).toMatchObject({ breaker: 'open', opens: 1, openUntil })
    })

    it('what is forced is taken while the breaker is open', async () => {
      const { add, take, attempt } = scene()
      await add()
      await attempt(false)
      await attempt(false)
      const id = await add({ isForced: true })
      expect((await take()).taken).toMatchObject([{ id, isForced: true }])
    })

    it('an attempt that is given back is not counted', async () => {
      const { add, take, settle } = scene()
      const id = await add({ maxAttempts: 1 })
      for (let made = 0; made < 3; made += 1) {
        const { token, taken } = await take()
        expect(taken).toMatchObject([{ id, attempts: 1 }])
        await settle(id, token, { isUncounted: true })
      }
    })

    it('what waited too long is expired and no longer taken', async () => {
      const { clock, target, add, take } = scene()
      await add({ expiresSeconds: 60 })
      const { deliveries } = storage()
      clock.advance({ seconds: 59 })
      expect(await deliveries.expire(target.kind, clock.now())).toBe(0)
      clock.advance({ seconds: 1 })
      expect((await take()).taken).toEqual([])
      expect(await deliveries.expire(buildId('kind'), clock.now())).toBe(0)
      expect(await deliveries.expire(target.kind, clock.now())).toBe(1)
      expect(await deliveries.latest(target)).toMatchObject({ state: 'expired', settledAt: clock.now() })
    })

    it('a delivery whose last holder died is not attempted for ever', async () => {
      const { clock, target, add, take } = scene()
      const id = await add({ maxAttempts: 2 })
      const { deliveries } = storage()
      for (const attempts of [1, 2]) {
        expect(await deliveries.expire(target.kind, clock.now())).toBe(0)
        expect((await take()).taken).toMatchObject([{ id, attempts }])
        clock.advance({ seconds: LEASE_SECONDS })
      }
      expect((await take()).taken).toEqual([])
      expect(await deliveries.expire(target.kind, clock.now())).toBe(1)
      expect(await deliveries.latest(target)).toMatchObject({ state: 'failed', error: 'lost', attempts: 2 })
    })

    it('what is under way does not expire', async () => {
      const { clock, target, add, take, settle } = scene()
      const id = await add({ expiresSeconds: 60 })
      clock.advance({ seconds: 59 })
      const { token } = await take()
      clock.advance({ seconds: 30 })
      expect(await storage().deliveries.expire(target.kind, clock.now())).toBe(0)
      expect(await settle(id, token, { state: 'sent' })).toBe(true)
    })

    it('a purge forgets receivers at rest, and none that fails', async () => {
      const { clock, target, add, attempt, state } = scene()
      const { deliveries } = storage()
      await add()
      await attempt(false)
      clock.advance({ days: 8 })
      await deliveries.purge(target.kind, { keepDays: 7, limit: 9 }, clock.now())
      expect(await state()).not.toEqual(NEW_RECIPIENT)
      await attempt(true)
      clock.advance({ days: 8 })
      await deliveries.purge(target.kind, { keepDays: 7, limit: 9 }, clock.now())
      expect(await state()).toEqual(NEW_RECIPIENT)
    })
  })
}
