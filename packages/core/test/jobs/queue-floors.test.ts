// What a process knows of queues: rules of the guess, and that it never hides what this process wrote.
import { describe, expect, it } from '@jest/globals'
import { type Bound, type Floors, QueueFloors } from '../../src/jobs/queue-floors.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const WHOLE = '-infinity'

function scene() {
  const clock = { ms: 0 }
  const floors = new QueueFloors(() => clock.ms)
  const ask = (licenseId = 'lic', by: Floors = floors) => {
    const [bound] = by.bounds([licenseId])
    return bound as NonNullable<typeof bound>
  }
  /** A statement by itself that finds the head there. */
  const learn = (ms: number, licenseId = 'lic') => floors.learn(licenseId, ask(licenseId), ms)
  return { clock, floors, ask, learn }
}

/** As many requests as make a floor worth asking for. */
const CROWD = 8

describe('a floor', () => {
  it('is unknown until a statement tells', () => {
    const { floors, ask, learn } = scene()
    expect(floors.bounds(['lic', 'other']).map(({ since }) => since)).toEqual([null, null])
    learn(500)
    expect(ask().since).toBe(iso(500))
    expect(ask('other').since).toBeNull()
  })

  it('is let alone once a second by one of those that ask', () => {
    const { clock, floors, ask, learn } = scene()
    learn(500)
    clock.ms = 999
    expect(ask().since).toBe(iso(500))
    clock.ms = 1000
    const asked = floors.bounds(['lic', 'lic', 'lic'])
    expect(asked.map(({ since }) => since)).toEqual([null, iso(500), iso(500)])
    clock.ms = 1999
    learn(600)
    expect(ask().since).toBe(iso(600))
    clock.ms = 2000
    expect(ask().since).toBeNull()
  })

  it('is asked for where many read the queue within a second', () => {
    const { clock, floors, ask } = scene()
    const asked = floors.bounds(Array.from({ length: 2 * CROWD + 3 }, () => 'lic'))
    const told = asked.flatMap(({ since }, index) => (since === WHOLE ? [index] : []))
    expect(told).toEqual([CROWD, 2 * CROWD + 1])
    floors.learn('lic', asked[0] as Bound, 500)
    for (const next of [1000, 2000]) {
      for (let count = 0; count < CROWD; count += 1) expect(ask().since).toBe(iso(500))
      clock.ms = next
      expect(ask().since).toBe(WHOLE)
    }
    expect(ask().since).toBe(iso(500))
    clock.ms = 3000
    expect(ask().since).toBeNull()
  })

  it('is raised by the first of those that were told of it, in either direction', () => {
    const { floors, ask, learn } = scene()
    learn(500)
    const [first, second] = [ask(), ask()]
    floors.learn('lic', first, 400)
    floors.learn('lic', second, 700)
    expect(ask().since).toBe(iso(400))
  })

  it('gives way to what is put below it, and not to what is put behind it', () => {
    const { floors, ask, learn } = scene()
    learn(500)
    floors.lower('lic', 900)
    expect(ask().since).toBe(iso(500))
    floors.lower('lic', 300)
    expect(ask().since).toBe(iso(300))
  })

  it('is lost where something may stand anywhere', () => {
    const { floors, ask, learn } = scene()
    learn(500)
    floors.lower('lic')
    expect(ask().since).toBeNull()
    learn(600)
    expect(ask().since).toBe(iso(600))
  })

  it('is not raised above what was put while a statement was under way', () => {
    const { floors, ask, learn } = scene()
    learn(500)
    const under = ask()
    floors.lower('lic', 600)
    floors.learn('lic', under, 700)
    expect(ask().since).toBe(iso(600))
    learn(700)
    expect(ask().since).toBe(iso(700))
  })

  it('is not raised by statements that were under way when it was lowered', () => {
    const { floors, ask, learn } = scene()
    learn(500)
    const under = ask()
    floors.lower('lic', 300)
    floors.learn('lic', under, 700)
    expect(ask().since).toBe(iso(300))
  })

  it('of a queue that nobody knew is not raised above what was put meanwhile either', () => {
    const { floors, ask } = scene()
    const under = ask()
    floors.lower('lic', 600)
    floors.learn('lic', under, 700)
    expect(ask().since).toBe(iso(600))
    floors.lower('other', 600)
    expect(ask('other').since).toBeNull()
  })

  it('learns nothing from a transaction, since what that took may wait again', async () => {
    const floors = new QueueFloors(() => 0)
    await floors.whileUnseen(async (own) => {
      const [bound] = own.bounds(['lic'])
      if (bound !== undefined) own.learn('lic', bound, 5000)
    })
    expect(floors.bounds(['lic'])[0]?.since).toBeNull()
  })

  it('gives way to what a transaction wrote once that is over, however it ends', async () => {
    for (const fails of [false, true]) {
      const { floors, ask, learn } = scene()
      learn(500)
      const transaction = floors.whileUnseen(async (own) => {
        own.lower('lic', 300)
        expect(ask('lic', own).since).toBe(iso(300))
        // Others do not see what stands there, and go on.
        learn(600)
        learn(700)
        expect(ask().since).toBe(iso(700))
        if (fails) throw new Error('rolled back')
      })
      await (fails ? expect(transaction).rejects.toThrow('rolled back') : transaction)
      expect(ask().since).toBe(iso(300))
    }
  })
})
