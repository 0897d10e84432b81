import type { Job } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { OTHER, type Scene } from './jobs-scene.ts'

const KEY = { serialKey: 'app:shop' }

/** Tests that jobs of a license with the same serial key run one after the other. */
export function serialContract(scene: Scene): void {
  const waits = async (job: Job) => (await scene().stored(job)).availableAt === undefined

  it('a job whose key is taken waits, and is due when the one before it has succeeded', async () => {
    const first = await scene().held(KEY)
    const second = await scene().enqueue(KEY)
    expect(second.availableAt).toBeUndefined()
    scene().clock.advance({ seconds: 100 })
    expect(await scene().claimedId(OTHER)).toBeUndefined()
    await scene().report(first, 'succeeded')
    expect((await scene().stored(second)).availableAt).toEqual(second.createdAt)
    expect(await scene().claimedId(OTHER)).toBe(second.id)
  })

  it('a job that waits for its turn takes the key as well', async () => {
    const [first, second, third] = [
      await scene().enqueue(KEY),
      await scene().enqueue(KEY),
      await scene().enqueue(KEY),
    ]
    expect([await waits(first), await waits(second), await waits(third)]).toEqual([false, true, true])
    expect(await scene().claimedId()).toBe(first.id)
    await scene().report(first, 'failed')
    expect([await waits(second), await waits(third)]).toEqual([false, true])
  })

  it.each([
    'a cancel before it was claimed',
    'a lost lease',
    'a cancel nobody confirmed',
    'a cancel given back',
  ])('the end by %s lets the next go', async (how) => {
    const first = await scene().enqueue({ ...KEY, maxAttempts: 1 })
    if (how !== 'a cancel before it was claimed') await scene().claim()
    const second = await scene().enqueue(KEY)
    if (how.startsWith('a cancel')) await scene().cancel(first)
    if (how === 'a cancel given back') await scene().report(first, 'pending')
    scene().clock.advance({ seconds: 300 })
    if (how.endsWith('confirmed') || how === 'a lost lease') await scene().sweep()
    expect((await scene().stored(first)).state).toBe('failed')
    expect(await scene().claimedId(OTHER)).toBe(second.id)
  })

  it('a lost job that a claim ends lets the next go to that very claim', async () => {
    await scene().held({ ...KEY, maxAttempts: 1 })
    const second = await scene().enqueue(KEY)
    scene().clock.advance({ seconds: 300 })
    expect(await scene().claimedId(OTHER)).toBe(second.id)
  })

  it('a job given back, or handed to another host, keeps the key', async () => {
    const first = await scene().held(KEY)
    const second = await scene().enqueue(KEY)
    await scene().report(first, 'pending')
    expect(await waits(second)).toBe(true)
    expect(await scene().claimedId(OTHER)).toBe(first.id)
    scene().clock.advance({ seconds: 300 })
    expect(await scene().claimedId()).toBe(first.id)
    expect(await waits(second)).toBe(true)
  })

  it('of those that wait the urgent goes first, then the one due longest', async () => {
    const holder = await scene().held(KEY)
    const late = await scene().enqueue({ ...KEY, runAt: scene().in(50) })
    const plain = await scene().enqueue(KEY)
    scene().clock.advance({ seconds: 60 })
    const urgent = await scene().enqueue({ ...KEY, urgent: true })
    const order = []
    for (let before = holder; order.length < 3; ) {
      await scene().report(before, 'succeeded')
      before = (await scene().claim()).job ?? holder
      order.push(before.id)
    }
    expect(order).toEqual([urgent.id, plain.id, late.id])
  })

  it('of urgent ones that wait the one due longest goes first, whenever it was enqueued', async () => {
    const holder = await scene().held(KEY)
    const urgent = (secondsAgo: number) =>
      scene().enqueue({ ...KEY, urgent: true, runAt: scene().in(-secondsAgo) })
    const [second, first, third] = [await urgent(30), await urgent(60), await urgent(0)]
    const order = []
    for (let before = holder; order.length < 3; ) {
      await scene().report(before, 'succeeded')
      before = (await scene().claim()).job ?? holder
      order.push(before.id)
    }
    expect(order).toEqual([first.id, second.id, third.id])
  })

  it.each([false, true])('a start in the future holds after the wait (urgent: %s)', async (urgent) => {
    const first = await scene().held(KEY)
    const second = await scene().enqueue({ ...KEY, urgent, runAt: scene().in(600) })
    await scene().report(first, 'succeeded')
    expect((await scene().stored(second)).availableAt).toEqual(scene().in(600))
    expect(await scene().claimedId(OTHER)).toBeUndefined()
    scene().clock.advance({ seconds: 600 })
    expect(await scene().claimedId(OTHER)).toBe(second.id)
  })

  it('the cancel of one that waits lets nobody ahead', async () => {
    const first = await scene().held(KEY)
    const [second, third] = [await scene().enqueue(KEY), await scene().enqueue(KEY)]
    await scene().cancel(second)
    expect(await waits(third)).toBe(true)
    await scene().report(first, 'succeeded')
    expect(await waits(third)).toBe(false)
  })

  it('other keys, no key and other licenses do not wait', async () => {
    await scene().held(KEY)
    const others = [
      await scene().enqueue({ serialKey: 'app:blog' }),
      await scene().enqueue(),
      await scene().enqueue(),
      await scene().enqueue({ ...KEY, licenseId: buildId('lic') }),
    ]
    expect(others.map(({ availableAt }) => availableAt)).toEqual(others.map(() => scene().now))
  })

  it('names the job that one waits for', async () => {
    const first = await scene().held(KEY)
    const [second, third] = [await scene().enqueue(KEY), await scene().enqueue(KEY)]
    expect((await scene().jobs.serialHolder(second))?.id).toBe(first.id)
    expect((await scene().jobs.serialHolder(third))?.id).toBe(first.id)
    expect(await scene().jobs.serialHolder(first)).toBeUndefined()
    await scene().report(first, 'succeeded')
    expect((await scene().jobs.serialHolder(third))?.id).toBe(second.id)
    expect(await scene().jobs.serialHolder(await scene().enqueue())).toBeUndefined()
  })

  it('enqueued at one instant, all but one wait', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => scene().enqueue(KEY)))
    expect(made.filter(({ availableAt }) => availableAt !== undefined)).toHaveLength(1)
  })
}
