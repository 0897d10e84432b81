import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ofLicense } from '@svc/core'
import { buildHeartbeat, FakeClock, memoryStorage, type TestPlane, testPlane } from '@svc/testing'

let test: TestPlane
/** Licenses whose hosts were read, in the order of the reads. */
let listed: (string | undefined)[]

beforeEach(() => {
  const clock = new FakeClock()
  const memory = memoryStorage(clock)
  listed = []
  const agents: typeof memory.agents = {
    ...memory.agents,
    list: (scope) => {
      listed.push(scope.of === 'platform' ? undefined : scope.id)
      return memory.agents.list(scope)
    },
  }
  test = testPlane({ clock, storage: { ...memory, agents } })
})
afterEach(() => test[Symbol.asyncDispose]())

const beat = (fingerprint: string, licenseId = 'lic_a') =>
  test.plane.agents.heartbeat({
    ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
    jobs: [],
  })
const namesOf = (hosts: readonly { readonly hostname: string }[]) => hosts.map(({ hostname }) => hostname)

describe('reads of the hosts of a license', () => {
  it('that come together share two queries, servers and backups alike, and each license has its own', async () => {
    const { agents } = test.plane
    await beat('one')
    await beat('other', 'lic_b')
    const reads = Array.from({ length: 50 }, () => [
      agents.servers('lic_a'),
      agents.backups(ofLicense('lic_a')),
    ]).flat()
    const others = Array.from({ length: 50 }, () => agents.servers('lic_b'))
    for (const hosts of await Promise.all(reads)) expect(namesOf(hosts)).toEqual(['one'])
    for (const hosts of await Promise.all(others)) expect(namesOf(hosts)).toEqual(['other'])
    expect(listed.toSorted()).toEqual(['lic_a', 'lic_a', 'lic_b', 'lic_b'])
  })

  it('see every heartbeat that was answered before they began, also while another read is under way', async () => {
    const { agents } = test.plane
    const names = Array.from({ length: 20 }, (_, n) => `host-${n + 10}`)
    const reads = names.map(async (name) => {
      await beat(name)
      const [servers, backups] = await Promise.all([
        agents.servers('lic_a'),
        agents.backups(ofLicense('lic_a'), name),
      ])
      expect(namesOf(servers)).toContain(name)
      expect(namesOf(backups)).toEqual([name])
    })
    await Promise.all(reads)
  })

  it('are read anew each time that nobody else reads', async () => {
    const { agents } = test.plane
    await beat('one')
    await agents.servers('lic_a')
    await beat('two')
    expect(namesOf(await agents.servers('lic_a'))).toEqual(['one', 'two'])
    test.clock.advance({ minutes: 3 })
    expect(await agents.servers('lic_a')).toMatchObject([{ state: 'offline' }, { state: 'offline' }])
  })
})
