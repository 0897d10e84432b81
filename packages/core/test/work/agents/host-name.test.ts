import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM, Problem } from '@svc/core'
import { buildHeartbeat, buildLicense, type TestPlane, testPlane } from '@svc/testing'

const LONG = 'c0ffee'.repeat(6)
let test: TestPlane
let mine: string

beforeEach(async () => {
  test = testPlane()
  mine = (await test.license()).id
})
afterEach(() => test[Symbol.asyncDispose]())

const beat = (fingerprint: string, fields: { hostname?: string; licenseId?: string } = {}) =>
  test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId: mine, fingerprint, ...fields }), jobs: [] })
const run = (name: string, input: object) => test.plane.operations.run(name, input, 'root')
const scopeOf = (licenseId: string | undefined) => (licenseId === undefined ? PLATFORM : ofLicense(licenseId))
const resolved = async (name: string, licenseId?: string) =>
  (await test.plane.agents.resolve(scopeOf(licenseId), name)).fingerprint

async function refused(name: string, licenseId?: string): Promise<Problem> {
  const problem = await test.plane.agents.resolve(scopeOf(licenseId), name).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(problem instanceof Problem)) throw new Error(`${name} was not refused`)
  return problem
}

describe('a host is called', () => {
  it('by no name under another license, and the refusal says under which it was looked for', async () => {
    await beat('0123456789abcdef', { hostname: 'web-1' })
    const { id } = await test.license()
    const { message } = await refused('web-1', id)
    expect(message).toBe(`no host of ${id} is called web-1; svc fleet servers --license ${id} shows them`)
    expect((await refused('web-2')).message).toBe('no host is called web-2; svc fleet servers shows them')
  })

  it('by its display id, its hostname, its label, and fp: with its fingerprint', async () => {
    await beat('0123456789abcdef', { hostname: 'web-1' })
    await run('fleet.label', { host: 'web-1', label: 'rack 3' })
    for (const name of ['agt_0123456789ab', 'web-1', 'rack 3', 'fp:0123456789abcdef']) {
      expect(await resolved(name)).toBe('0123456789abcdef')
    }
  })

  it('by a fingerprint alone from 32 characters on, and not by one of 31', async () => {
    const [exact, short] = ['a'.repeat(32), 'b'.repeat(31)]
    await beat(exact)
    await beat(short)
    expect(await resolved(exact)).toBe(exact)
    expect(await refused(short)).toMatchObject({
      code: 'not-found',
      data: { detail: expect.stringContaining(`fp:${short} is the host`) },
    })
    expect(await resolved(`fp:${short}`)).toBe(short)
  })

  it('by nothing that is a part of a name, and by no empty one', async () => {
    await beat('0123456789abcdef', { hostname: 'web-1' })
    for (const name of ['web', 'agt_0123456789a', 'fp:0123456789ab', 'fp:', '']) {
      expect(await refused(name)).toMatchObject({ code: 'not-found' })
    }
  })
})

describe('a name that two hosts carry is ambiguous', () => {
  it.each<[string, string, () => Promise<unknown>]>([
    ['hostname and hostname', 'db-7', () => beat('thief', { hostname: 'db-7' })],
    ['hostname and label', 'db-7', () => beat('thief').then(() => labelled('fp:thief', 'db-7'))],
    ['hostname and display id', 'agt_victim', () => beat('thief', { hostname: 'agt_victim' })],
    [
      'label and display id',
      'agt_victim',
      () => beat('thief').then(() => labelled('fp:thief', 'agt_victim')),
    ],
    ['display id and display id', 'agt_victim', () => beat('victim', { licenseId: 'lic_other' })],
  ])('%s', async (_, name, steal) => {
    await beat('victim', { hostname: 'db-7' })
    expect(await resolved(name)).toBe('victim')
    await steal()
    expect(await refused(name)).toMatchObject({ code: 'ambiguous' })
  })

  it('a long fingerprint and a hostname', async () => {
    await beat('victim', { hostname: LONG })
    await beat(LONG)
    expect(await refused(LONG)).toMatchObject({ code: 'ambiguous' })
    expect(await resolved(`fp:${LONG}`)).toBe(LONG)
    expect(await resolved('agt_victim')).toBe('victim')
  })

  it('over licenses too, unless the license is named', async () => {
    await beat('victim', { hostname: 'db-7' })
    await beat('thief', { hostname: 'db-7', licenseId: 'lic_other' })
    expect((await refused('db-7')).data).toEqual({
      detail: 'db-7 may be any of 2 hosts: use one of these ids, with its license',
      candidates: ['agt_thief of lic_other', `agt_victim of ${mine}`].toSorted(),
    })
    expect(await resolved('db-7', mine)).toBe('victim')
    expect(await resolved('db-7', 'lic_other')).toBe('thief')
  })

  it('and the fingerprints are told where nothing else tells the hosts apart', async () => {
    await beat('0123456789ab-one', { hostname: 'web' })
    await beat('0123456789ab-two', { hostname: 'web' })
    await beat('other', { hostname: 'web' })
    expect((await refused('web')).data).toEqual({
      detail: 'web may be any of 3 hosts: use one of these ids',
      candidates: [
        `agt_0123456789ab of ${mine}: fp:0123456789ab-one`,
        `agt_0123456789ab of ${mine}: fp:0123456789ab-two`,
        `agt_other of ${mine}`,
      ],
    })
  })

  it('of many hosts it lists twelve', async () => {
    for (let at = 10; at < 24; at += 1) await beat(`fp-${at}`, { hostname: 'web' })
    const { candidates = [] } = (await refused('web')).data
    expect(candidates).toHaveLength(13)
    expect(candidates.at(-1)).toBe('and 2 more')
  })
})

const labelled = (host: string, label: string) => run('fleet.label', { host, label })

describe('a host whose fingerprint is the name of another', () => {
  const enqueue = (host: string) => run('jobs.enqueue', { kind: 'prune', license: mine, host })
  const claimed = (fingerprint: string) =>
    test.plane.jobs.claim({ licenseId: mine, fingerprint, claimKey: undefined })

  it.each(['db-7', 'agt_victim', 'rack 3'])('gets no job that is aimed at %s', async (name) => {
    await beat('victim', { hostname: 'db-7' })
    await labelled('db-7', 'rack 3')
    await beat(name)
    await enqueue(name)
    expect((await claimed(name)).job).toBeUndefined()
    expect((await claimed('victim')).job).toMatchObject({ target: 'victim' })
  })

  it.each(['db-7', 'agt_victim', 'rack 3'])(
    'is not what drain, forget and the list of jobs mean by %s',
    async (name) => {
      await beat('victim', { hostname: 'db-7' })
      await labelled('db-7', 'rack 3')
      await enqueue('db-7')
      await beat(name, { licenseId: 'lic_other' })
      expect(await run('jobs.list', { host: name })).toMatchObject({ jobs: [{ license_id: mine }] })
      await run('fleet.drain', { host: name })
      const drained = (await test.plane.agents.list(PLATFORM)).filter(
        ({ drainedAt }) => drainedAt !== undefined,
      )
      expect(drained).toMatchObject([{ fingerprint: 'victim' }])
      await run('fleet.forget', { host: name, force: true })
      expect(await test.plane.agents.list(PLATFORM)).toMatchObject([
        { fingerprint: name, licenseId: 'lic_other' },
      ])
    },
  )

  it('is listed with the jobs of its own license alone', async () => {
    await beat(LONG)
    await enqueue(`fp:${LONG}`)
    await test.storage.licenses.add(buildLicense({ id: 'lic_other' }))
    const { job } = await test.plane.jobs.enqueue({
      licenseId: 'lic_other',
      kind: 'prune',
      payload: {},
      target: LONG,
    })
    const { jobs } = (await run('jobs.list', { host: LONG })) as { jobs: { id: string }[] }
    expect(jobs).toHaveLength(1)
    expect(jobs[0]?.id).not.toBe(job.id)
  })
})
