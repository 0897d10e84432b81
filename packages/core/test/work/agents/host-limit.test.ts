import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildHeartbeat, buildLicense, type TestPlane, testPlane } from '@svc/testing'

let test: TestPlane
beforeEach(() => {
  test = testPlane({ env: { SERVICE_HOSTS_PER_LICENSE: '2' } })
})
afterEach(() => test[Symbol.asyncDispose]())

const beat = (fingerprint: string, licenseId = 'lic_a') =>
  test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint }), jobs: [] })
const known = async () => (await test.plane.agents.list(PLATFORM)).map(({ fingerprint }) => fingerprint)
const REFUSED = {
  code: 'too-many-hosts',
  data: { retryAfterSeconds: 300, detail: expect.stringMatching(/^lic_a has 2 hosts/) },
}

describe('a license that has as many hosts as it may', () => {
  it('gets no further one, and those that it has go on', async () => {
    await beat('fp-1')
    await beat('fp-2')
    await expect(beat('fp-3')).rejects.toMatchObject(REFUSED)
    await expect(beat('fp-3')).rejects.toMatchObject(REFUSED)
    expect(await known()).toEqual(['fp-1', 'fp-2'])
    await beat('fp-1')
    await beat('fp-3', 'lic_b')
    expect(await known()).toEqual(['fp-1', 'fp-2', 'fp-3'])
  })

  it('gets one again when another is forgotten', async () => {
    await beat('fp-1')
    await beat('fp-2')
    await test.plane.operations.run('fleet.forget', { host: 'fp:fp-1', force: true }, 'root')
    await beat('fp-3')
    await expect(beat('fp-1')).rejects.toMatchObject(REFUSED)
    expect(await known()).toEqual(['fp-2', 'fp-3'])
  })

  it('keeps those it had when less were allowed', async () => {
    for (const fingerprint of ['fp-1', 'fp-2']) await beat(fingerprint)
    for (const fingerprint of ['fp-3', 'fp-4']) {
      await test.storage.agents.heartbeat(
        buildHeartbeat({ licenseId: 'lic_a', fingerprint }),
        test.clock.now(),
      )
    }
    for (const fingerprint of ['fp-1', 'fp-2', 'fp-3', 'fp-4']) await beat(fingerprint)
    await expect(beat('fp-5')).rejects.toMatchObject(REFUSED)
    expect(await known()).toHaveLength(4)
  })

  it('is counted each time, and named in the log once in ten minutes', async () => {
    const refused = () => beat('fp-3').catch(() => undefined)
    const lines = () =>
      test.log.lines.filter(({ message }) => message.startsWith('a license has as many hosts'))
    await beat('fp-1')
    await beat('fp-2')
    for (let times = 0; times < 3; times += 1) await refused()
    expect(lines()).toMatchObject([{ level: 'warn', fields: { license: 'lic_a', hosts: 2 } }])
    test.clock.advance({ ms: 599_999 })
    await refused()
    expect(lines()).toHaveLength(1)
    test.clock.advance({ ms: 1 })
    await refused()
    expect(lines()).toHaveLength(2)
    expect(await test.plane.metrics.exposition()).toMatch(/^svc_hosts_refused_total 5$/m)
    expect(await test.plane.metrics.exposition()).toMatch(/^svc_heartbeats_total 2$/m)
  })
})

it('a refused host renews no job', async () => {
  await test.storage.licenses.add(buildLicense({ id: 'lic_a' }))
  await test.plane.jobs.enqueue({ licenseId: 'lic_a', kind: 'prune', payload: {} })
  const { job } = await test.plane.jobs.claim({
    licenseId: 'lic_a',
    fingerprint: 'fp-3',
    claimKey: undefined,
  })
  const id = job?.id ?? ''
  await beat('fp-1')
  await beat('fp-2')
  test.clock.advance({ seconds: 200 })
  const write = { ...buildHeartbeat({ licenseId: 'lic_a', fingerprint: 'fp-3' }), jobs: [{ id, attempt: 1 }] }
  await expect(test.plane.agents.heartbeat(write)).rejects.toMatchObject(REFUSED)
  expect((await test.plane.jobs.get(PLATFORM, id)).availableAt).toEqual(job?.availableAt)
})
