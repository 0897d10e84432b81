import { afterEach, describe, expect, it } from '@jest/globals'
import {
  buildId,
  FakeClock,
  FakeIds,
  FakeTimers,
  memoryStorage,
  nothingLeft,
  RecordingLog,
} from '@svc/testing'
import type { Delivery, DeliveryOutcome, NewDelivery } from '../../../src/platform/deliveries/delivery.ts'
import { DeliveryRunner, LEASE_SECONDS } from '../../../src/platform/deliveries/delivery-runner.ts'
import type { DeliverySender } from '../../../src/platform/deliveries/delivery-sender.ts'

const SENT: DeliveryOutcome = { delivered: true, status: 200, error: undefined, isFinal: false }
const REFUSED: DeliveryOutcome = { delivered: false, status: 500, error: 'http_500', isFinal: false }
const KIND = 'letter'

let last: Parameters<typeof nothingLeft>[0]
afterEach(() => nothingLeft(last))

/** A runner whose sender answers as the test says. */
function scene(send: DeliverySender['send'], given: Partial<DeliverySender> = {}) {
  const clock = new FakeClock()
  const storage = memoryStorage(clock)
  const log = new RecordingLog()
  const timers = new FakeTimers(clock)
  const parts = { storage, clock, timers, ids: new FakeIds(clock), log }
  const sender: DeliverySender = {
    kind: KIND,
    retrySeconds: [60, 600],
    jitter: 0,
    concurrency: 8,
    perRecipient: 2,
    breaker: { failures: 5, cooldownSeconds: 60, cooldownMaxSeconds: 600 },
    send,
    ...given,
  }
  const add = async (recipient: string, rest: Partial<NewDelivery> = {}) => {
    const id = buildId('dlv')
    await storage.deliveries.add({ id, kind: KIND, recipient, ...rest }, clock.now())
    return id
  }
  const replica = () => new DeliveryRunner(parts, sender)
  const latest = (recipient: string) => storage.deliveries.latest({ kind: KIND, recipient })
  last = { clock, storage }
  return { clock, timers, storage, log, add, latest, replica, runner: replica() }
}

/** A sender whose attempts end when the test says. */
function gate() {
  const under = new Map<string, (outcome: DeliveryOutcome) => void>()
  const begun: Delivery[] = []
  const send = (delivery: Delivery) => {
    begun.push(delivery)
    return new Promise<DeliveryOutcome>((resolve) => under.set(delivery.id, resolve))
  }
  const end = (id: string, outcome = SENT) => under.get(id)?.(outcome)
  const begins = async (count: number) => {
    while (begun.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  return { send, begun, end, begins }
}

describe('a run of deliveries', () => {
  it('takes all that is due and counts what became of it', async () => {
    const { add, runner } = scene(async ({ recipient }) => (recipient === 'bad' ? REFUSED : SENT))
    for (const recipient of ['a', 'a', 'a', 'b', 'bad']) await add(recipient)
    await add('bad', { maxAttempts: 1 })
    expect(await runner.run()).toEqual({ claimed: 6, delivered: 4, retried: 1, failed: 1, expired: 0 })
    expect(await runner.run()).toMatchObject({ claimed: 0 })
  })

  it('does not give up at the last attempt for a fault that is not the receiver’s', async () => {
    let fault: NonNullable<DeliveryOutcome['fault']> = 'route'
    const { add, latest, clock, runner } = scene(async () => ({ ...REFUSED, fault }))
    await add('a', { maxAttempts: 1 })
    for (fault of ['route', 'unready'] as const) {
      expect(await runner.run()).toMatchObject({ claimed: 1, retried: 1, failed: 0 })
      expect(await latest('a')).toMatchObject({ state: 'due', attempts: 0 })
      clock.advance({ seconds: 600 })
    }
    fault = 'receiver'
    expect(await runner.run()).toMatchObject({ claimed: 1, failed: 1 })
  })

  it('takes no more than its limit', async () => {
    const { add, runner } = scene(async () => SENT)
    for (let made = 0; made < 5; made += 1) await add('a')
    expect(await runner.run({ limit: 3 })).toMatchObject({ claimed: 3, delivered: 3 })
    expect(await runner.run()).toMatchObject({ claimed: 2 })
  })

  it('takes nothing more once its time is over, and the next run the rest', async () => {
    const { timers, add, runner } = scene(
      async () => {
        await timers.advance(1000)
        return SENT
      },
      { concurrency: 1 },
    )
    for (let made = 0; made < 5; made += 1) await add('a')
    expect(await runner.run({ claimMs: 2500 })).toMatchObject({ claimed: 3, delivered: 3 })
    expect(await runner.run({ claimMs: 2500 })).toMatchObject({ claimed: 2 })
  })

  it('has no more attempts under way than its sender allows, in all and of one receiver', async () => {
    const { send, begun, end, begins } = gate()
    const { add, runner, replica } = scene(send, { concurrency: 4 })
    for (let made = 0; made < 6; made += 1) await add('a')
    for (const recipient of ['b', 'c', 'd']) await add(recipient)
    const runs = [runner.run(), runner.run()]
    await begins(4)
    expect(begun.map(({ recipient }) => recipient)).toEqual(['a', 'a', 'b', 'c'])
    const other = replica().run()
    await begins(7)
    for (let ended = 0; ended < 9; ended += 1) {
      await begins(ended + 1)
      end(begun[ended]?.id ?? '')
    }
    expect((await Promise.all([...runs, other])).reduce((sum, { delivered }) => sum + delivered, 0)).toBe(9)
  })

  it('a receiver that hangs does not hold back the others', async () => {
    const { send, begun, end, begins } = gate()
    const { add, runner } = scene(send)
    for (let made = 0; made < 9; made += 1) await add('hangs')
    for (let made = 0; made < 6; made += 1) await add('well')
    const run = runner.run()
    for (let done = 0; done < 6; done += 1) {
      await begins(3 + done)
      const next = begun.filter(({ recipient }) => recipient === 'well')[done]
      end(next?.id ?? '')
    }
    expect(begun.filter(({ recipient }) => recipient === 'hangs')).toHaveLength(2)
    for (let ended = 0; ended < 15; ended += 1) {
      await begins(Math.min(15, ended + 1))
      end(begun[ended]?.id ?? '')
    }
    expect(await run).toMatchObject({ claimed: 15 })
  })

  it('follows the schedule of retries, and gives up after the last', async () => {
    const { clock, add, runner, latest } = scene(async () => REFUSED)
    await add('a')
    const at: number[] = []
    const start = clock.now().getTime()
    for (let step = 0; step < 40; step += 1) {
      if ((await runner.run()).claimed > 0) at.push((clock.now().getTime() - start) / 1000)
      clock.advance({ seconds: 30 })
    }
    expect(at).toEqual([0, 60, 660])
    expect(await latest('a')).toMatchObject({ state: 'failed', attempts: 3, status: 500, error: 'http_500' })
  })

  it('a cancelled attempt is due again at once and says nothing about the receiver', async () => {
    const over = new AbortController()
    const cancelled: DeliveryOutcome = { ...REFUSED, status: undefined, error: 'cancelled' }
    const { add, runner, latest, storage } = scene(async (_delivery, signal) => {
      over.abort()
      return signal?.aborted ? cancelled : SENT
    })
    await add('a')
    await add('a')
    expect(await runner.run({ signal: over.signal })).toMatchObject({ claimed: 2, retried: 2 })
    expect(await latest('a')).toMatchObject({ state: 'due', dueAt: (await latest('a'))?.createdAt })
    const way = await storage.deliveries.recipient({ kind: KIND, recipient: 'a' })
    expect(way).toMatchObject({ consecutiveFailures: 0, lastFailureAt: undefined })
  })

  it('nothing is taken once the signal is aborted', async () => {
    const { add, runner } = scene(async () => SENT)
    await add('a')
    expect(await runner.run({ signal: AbortSignal.abort() })).toMatchObject({ claimed: 0 })
  })

  it('an attempt that throws is logged and tried again, and the others go on', async () => {
    const { add, runner, latest, log, storage } = scene(async ({ recipient }) => {
      if (recipient === 'a') throw new Error('on purpose')
      return SENT
    })
    await add('a')
    await add('b')
    expect(await runner.run()).toMatchObject({ delivered: 1, retried: 1 })
    expect(await latest('a')).toMatchObject({ state: 'due', attempts: 1, error: 'internal' })
    expect(log.text()).toContain('a delivery could not be attempted')
    const way = await storage.deliveries.recipient({ kind: KIND, recipient: 'a' })
    expect(way.consecutiveFailures).toBe(0)
  })

  it('a route that is down costs deliveries no attempts, and its breaker opens', async () => {
    const { clock, add, runner, latest, storage } = scene(async () => ({ ...REFUSED, fault: 'route' }))
    await add('relay')
    for (let made = 0; made < 5; made += 1) {
      await runner.run()
      clock.advance({ seconds: 60 })
    }
    expect(await latest('relay')).toMatchObject({ state: 'due', attempts: 0 })
    expect(await storage.deliveries.recipient({ kind: KIND, recipient: 'relay' })).toMatchObject({
      breaker: 'open',
      consecutiveFailures: 5,
    })
  })

  it('a failure for good is not tried again', async () => {
    const { add, runner, latest } = scene(async () => ({ ...REFUSED, isFinal: true }))
    await add('a')
    expect(await runner.run()).toMatchObject({ failed: 1 })
    expect(await latest('a')).toMatchObject({ state: 'failed', attempts: 1 })
  })

  it('what follows from a result is written with it, or neither is', async () => {
    let fails = true
    const { clock, add, runner, latest } = scene(async () => SENT, {
      follow: () => async () => {
        if (fails) throw new Error('on purpose')
      },
    })
    await add('a')
    await expect(runner.run()).rejects.toThrow('on purpose')
    expect(await latest('a')).toMatchObject({ state: 'due' })
    fails = false
    clock.advance({ seconds: LEASE_SECONDS })
    expect(await runner.run()).toMatchObject({ delivered: 1 })
  })

  it('a result that comes after the lease is dropped, and nothing follows from it', async () => {
    const ends: ((outcome: DeliveryOutcome) => void)[] = []
    const send = () => new Promise<DeliveryOutcome>((resolve) => ends.push(resolve))
    const begins = async (count: number) => {
      while (ends.length < count) await new Promise((resolve) => setImmediate(resolve))
    }
    let followed = 0
    const follow = () => async () => {
      followed += 1
    }
    const { clock, add, runner, replica, latest } = scene(send, { follow })
    await add('a')
    const slow = runner.run()
    await begins(1)
    clock.advance({ seconds: LEASE_SECONDS })
    const next = replica().run()
    await begins(2)
    ends[1]?.(REFUSED)
    expect(await next).toMatchObject({ retried: 1 })
    ends[0]?.(SENT)
    expect(await slow).toMatchObject({ claimed: 1, delivered: 0, retried: 0 })
    expect(followed).toBe(1)
    expect(await latest('a')).toMatchObject({ state: 'due', attempts: 2 })
  })

  it('later events of a sequence follow the first attempt of earlier ones', async () => {
    const sent: string[] = []
    const { clock, add, runner } = scene(async ({ payload = '' }) => {
      sent.push(payload)
      return payload === 'job_1 claimed' ? REFUSED : SENT
    })
    for (const payload of ['claimed', 'running', 'succeeded']) {
      await add('a', { payload: `job_1 ${payload}`, sequence: 'job_1' })
      clock.advance(1)
    }
    await runner.run()
    expect(sent).toEqual(['job_1 claimed', 'job_1 running', 'job_1 succeeded'])
  })
})
