// Tests of the memory of hosts' work, and of how often it is stored.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { JOB_KINDS, type LeaseRequest } from '@svc/core/ports'
import { buildHeartbeat, FakeClock, memoryStorage, type TestPlane, testPlane } from '@svc/testing'

let test: TestPlane
let licenseId: string
/** The kinds of each claim that reached the store, and the number of times that something was noted. */
let leased: LeaseRequest['kinds'][]
let noted: number

beforeEach(async () => {
  const clock = new FakeClock()
  const memory = memoryStorage(clock)
  leased = []
  noted = 0
  const jobs: typeof memory.jobs = {
    ...memory.jobs,
    lease: (request, now) => {
      leased.push(request.kinds)
      return memory.jobs.lease(request, now)
    },
  }
  const agents: typeof memory.agents = {
    ...memory.agents,
    noteWork: (...given) => {
      noted += 1
      return memory.agents.noteWork(...given)
    },
  }
  test = testPlane({ clock, storage: { ...memory, jobs, agents } })
  licenseId = (await test.license()).id
})
afterEach(() => test[Symbol.asyncDispose]())

const beat = () =>
  test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint: 'fp' }), jobs: [] })
const claim = (kinds?: readonly string[], concurrency?: number) =>
  test.plane.jobs.claim({ licenseId, fingerprint: 'fp', claimKey: undefined, kinds, concurrency })
const host = async () => (await test.plane.agents.list(PLATFORM))[0]

describe('the kinds of a claim', () => {
  it('reach the queue in one order, each once, without those that nobody knows', async () => {
    await claim(['prune', 'reboot', 'deploy', 'prune'])
    await claim(['deploy', 'prune'])
    await claim([])
    expect(leased).toEqual([['deploy', 'prune'], ['deploy', 'prune'], []])
  })

  it('filter nothing when they are all kinds, or are not said', async () => {
    await claim([...JOB_KINDS])
    await claim()
    expect(leased).toEqual([undefined, undefined])
  })
})

describe('what a host says about its work', () => {
  it('is stored once, again when it changes, and again after ten minutes', async () => {
    await beat()
    await claim(['db'], 1)
    await claim(['db'], 1)
    expect(noted).toBe(1)
    expect(await host()).toMatchObject({ kinds: ['db'], concurrency: 1 })
    await claim(['db'], 2)
    await claim(['db', 'prune'], 2)
    expect(noted).toBe(3)
    expect(await host()).toMatchObject({ kinds: ['db', 'prune'], concurrency: 2 })
    test.clock.advance(599_999)
    await claim(['db', 'prune'], 2)
    expect(noted).toBe(3)
    test.clock.advance(1)
    await claim(['db', 'prune'], 2)
    expect(noted).toBe(4)
  })

  it('is stored with the first claim after the host has reported', async () => {
    await claim(['db'])
    await beat()
    expect((await host())?.kinds).toBeUndefined()
    await claim(['db'])
    expect((await host())?.kinds).toEqual(['db'])
    await claim(['db'])
    expect(noted).toBe(2)
  })

  it('costs no statement when it is nothing, and is forgotten when it becomes nothing', async () => {
    await beat()
    await claim()
    await claim()
    expect(noted).toBe(0)
    await claim(['db'])
    await claim()
    await claim()
    expect(noted).toBe(2)
    expect((await host())?.kinds).toBeUndefined()
  })
})
