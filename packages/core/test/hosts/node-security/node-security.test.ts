import { describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import { readSecuritySettings } from '@svc/core/ports'
import { buildHeartbeat, testPlane } from '@svc/testing'

const HOST = 'host-a-0123456789abcdef'
const BY = { updatedBy: 'cli:ann@desk' }
const settings = (fields: object = {}) => readSecuritySettings({ firewall: { enabled: true, ...fields } })
const opening = (...ports: string[]) => settings({ allow: [{ ports, proto: 'tcp' }] })

async function scene(kinds?: readonly string[]) {
  const test = testPlane()
  const { id: licenseId } = await test.license()
  const beat = { licenseId, fingerprint: HOST, hostname: 'web-1' }
  await test.plane.agents.heartbeat({ ...buildHeartbeat(beat), jobs: [] })
  if (kinds) await test.plane.jobs.claim({ licenseId, fingerprint: HOST, kinds, claimKey: undefined })
  const host = { licenseId, fingerprint: HOST }
  const jobs = async () => {
    const listed = await test.plane.jobs.list(ofLicense(licenseId), { limit: 100 })
    return Promise.all(listed.map(({ id }) => test.plane.jobs.get(PLATFORM, id)))
  }
  return { test, host, jobs, security: test.plane.nodeSecurity, licenseId }
}

describe('node security', () => {
  it('a host without a document has the defaults, and no drift', async () => {
    const { test, host, security } = await scene()
    await using _ = test
    expect(await security.show(host)).toMatchObject({
      desired: { revision: 0, settings: { firewall: { enabled: false } } },
      applied: { state: 'none', revision: 0 },
      job: undefined,
    })
  })

  it('a new document is a revision with a job for that host alone', async () => {
    const { test, host, security, jobs } = await scene()
    await using _ = test
    const set = await security.set(host, settings(), { ...BY, rollbackSeconds: 90 })
    expect(set).toMatchObject({ changed: true, revision: 1 })
    const [job] = await jobs()
    expect(job).toMatchObject({
      id: set.jobId,
      kind: 'firewall',
      target: HOST,
      serialKey: `firewall:${HOST}`,
      payload: { revision: 1, settings: settings(), rollback_s: 90 },
    })
    expect(job?.payload).not.toHaveProperty('force')
    expect(job?.payload.sha256).toBe((await security.show(host)).desired.sha256)
    // The work has its own time beside that that is waited for a confirmation.
    const long = await security.set(host, opening('22', '80'), { ...BY, rollbackSeconds: 390 })
    const seconds = (await jobs()).find(({ id }) => id === long.jobId)?.timeoutSeconds ?? 0
    expect(seconds - (job?.timeoutSeconds ?? 0)).toBe(300)
  })

  it('an equal document changes nothing and makes no job', async () => {
    const { test, host, security, jobs } = await scene()
    await using _ = test
    await security.set(host, settings(), BY)
    expect(await security.set(host, settings(), BY)).toMatchObject({
      changed: false,
      revision: 1,
      jobId: undefined,
    })
    expect(await jobs()).toHaveLength(1)
  })

  it('a newer document supersedes the pending job, not one that the host has', async () => {
    const { test, host, security, jobs, licenseId } = await scene()
    await using _ = test
    const first = await security.set(host, settings(), BY)
    await test.plane.jobs.claim({ licenseId, fingerprint: HOST, claimKey: undefined })
    const second = await security.set(host, opening('22', '80'), BY)
    const third = await security.set(host, opening('22', '443'), BY)
    const states = Object.fromEntries((await jobs()).map(({ id, state, error }) => [id, [state, error]]))
    expect(states).toEqual({
      [String(first.jobId)]: ['claimed', undefined],
      [String(second.jobId)]: ['failed', 'superseded'],
      [String(third.jobId)]: ['pending', undefined],
    })
  })

  it('settings that close ssh are refused unless forced, and nothing is stored', async () => {
    const { test, host, security, jobs } = await scene()
    await using _ = test
    for (const shut of [opening('80'), settings({ allow: [{ ports: ['22'], proto: 'udp' }] })]) {
      await expect(security.set(host, shut, BY)).rejects.toMatchObject({
        code: 'would-lock-out',
        data: { details: ['no allow rule covers tcp/22'] },
      })
      await expect(security.dryRun(host, shut, BY)).rejects.toMatchObject({ code: 'would-lock-out' })
    }
    await expect(security.set(host, settings({ deny_from: ['0.0.0.0/0'] }), BY)).rejects.toMatchObject({
      data: { details: ['deny_from drops every IPv4 address'] },
    })
    expect([(await security.show(host)).desired.revision, await jobs()]).toEqual([0, []])
    const forced = await security.set(host, opening('80'), { ...BY, force: true })
    expect(forced).toMatchObject({ changed: true, warnings: ['no allow rule covers tcp/22'] })
    expect((await jobs())[0]?.payload.force).toBe(true)
    await expect(security.reapply(host, BY)).rejects.toMatchObject({ code: 'would-lock-out' })
  })

  it('a firewall that is off closes nothing, and ssh inside of a range is open', async () => {
    const { test, host, security } = await scene()
    await using _ = test
    const off = readSecuritySettings({ firewall: { allow: [] } })
    expect((await security.set(host, off, BY)).changed).toBe(true)
    expect((await security.set(host, opening('20-25'), BY)).changed).toBe(true)
  })

  it('of two writers that saw the same revision one is told of the other', async () => {
    const { test, host, security } = await scene()
    await using _ = test
    await security.set(host, settings(), BY)
    const writes = ['80', '443'].map((port) =>
      security.set(host, opening('22', port), { ...BY, ifRevision: 1 }),
    )
    const ends = await Promise.allSettled(writes)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'revision-conflict', data: { revision: 2 } },
    })
  })

  it('a host that takes no firewall jobs is told nothing', async () => {
    const { test, host, security, jobs } = await scene(['deploy', 'prune'])
    await using _ = test
    for (const ask of [security.set(host, settings(), BY), security.dryRun(host, settings(), BY)])
      await expect(ask).rejects.toMatchObject({ code: 'unsupported' })
    expect(await jobs()).toEqual([])
    const able = await scene(['deploy', 'firewall'])
    await using __ = able.test
    expect((await able.security.set(able.host, settings(), BY)).changed).toBe(true)
  })

  it('a host of another license is none', async () => {
    const { test, security } = await scene()
    await using _ = test
    const other = { licenseId: (await test.license()).id, fingerprint: HOST }
    const asks = [
      security.show(other),
      security.history(other, 1),
      security.set(other, settings(), BY),
      security.dryRun(other, settings(), BY),
      security.reapply(other, BY),
      security.rollback(other, 1, BY),
    ]
    for (const ask of asks) await expect(ask).rejects.toMatchObject({ code: 'agent-not-owned' })
  })

  it('the newest document is sent once more on demand, in place of a pending job', async () => {
    const { test, host, security, jobs } = await scene()
    await using _ = test
    await expect(security.reapply(host, BY)).rejects.toMatchObject({ code: 'invalid-input' })
    const set = await security.set(host, settings(), BY)
    const again = await security.reapply(host, BY)
    expect(again).toMatchObject({ changed: false, revision: 1 })
    expect((await jobs()).map(({ id, state }) => [id, state])).toEqual([
      [again.jobId, 'pending'],
      [set.jobId, 'failed'],
    ])
    await expect(security.reapply(host, { ...BY, ifRevision: 7 })).rejects.toMatchObject({
      code: 'revision-conflict',
    })
  })

  it('a rollback is a new revision with the settings of the old one', async () => {
    const { test, host, security } = await scene()
    await using _ = test
    await security.set(host, opening('22', '80'), BY)
    await security.set(host, opening('22'), BY)
    expect(await security.rollback(host, 1, BY)).toMatchObject({ changed: true, revision: 3 })
    const kept = await security.history(host, 10)
    expect(kept.map(({ revision }) => revision)).toEqual([3, 2, 1])
    expect(kept[0]?.settings).toEqual(kept[2]?.settings)
    await expect(security.rollback(host, 9, BY)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('a dry run stores nothing and shows the rules', async () => {
    const { test, host, security, jobs } = await scene()
    await using _ = test
    const { rendered, ...rest } = await security.dryRun(host, opening('22', '8080-8081'), BY)
    expect(rest).toEqual({ changed: false, revision: 0, warnings: [] })
    expect(rendered).toMatch(/^table inet svc_fw \{\n/)
    expect(rendered).toContain('type filter hook prerouting priority -110; policy accept;')
    expect(rendered).toContain('tcp dport { 22, 8080-8081 } accept\n')
    expect([await jobs(), await security.history(host, 1)]).toEqual([[], []])
  })

  it('what narrows the way in is said', async () => {
    const { test, host, security } = await scene()
    await using _ = test
    const narrow = readSecuritySettings({
      firewall: { enabled: true, allow: [{ ports: ['22'], proto: 'tcp', from: ['10.0.0.0/8'] }] },
      ssh: { password_auth: 'no', allow_users: ['ann'] },
    })
    expect((await security.dryRun(host, narrow, BY)).warnings).toEqual([
      'tcp/22 is open to 10.0.0.0/8 only',
      'ssh takes keys only: the host refuses this if nobody has one',
      'ssh lets in ann only',
    ])
  })
})

type Security = Awaited<ReturnType<typeof scene>>['security']
type Host = Awaited<ReturnType<typeof scene>>['host']
type By = Parameters<Security['reapply']>[1]
type Scene = Awaited<ReturnType<typeof scene>>

const SHUT = opening('80')
const VERBS: Readonly<Record<string, (security: Security, host: Host, by: By) => Promise<unknown>>> = {
  set: (security, host, by) => security.set(host, opening('443'), by),
  'dry run': (security, host, by) => security.dryRun(host, opening('443'), by),
  reapply: (security, host, by) => security.reapply(host, by),
  rollback: (security, host, by) => security.rollback(host, 1, by),
}
const FORCED = { ...BY, force: true }
const REFUSALS: Readonly<Record<string, { code: string; by?: By; before?: (at: Scene) => unknown }>> = {
  'of another license': { code: 'agent-not-owned' },
  'whose agent takes no firewall jobs': {
    code: 'unsupported',
    before: ({ test, host }) => test.plane.jobs.claim({ ...host, kinds: ['deploy'], claimKey: undefined }),
  },
  'of a suspended license': {
    code: 'conflict',
    before: ({ test, licenseId }) => test.plane.licenses.suspend(licenseId),
  },
  'that has another revision': { code: 'revision-conflict', by: { ...FORCED, ifRevision: 1 } },
  'that nobody could reach then': { code: 'would-lock-out', by: BY },
}

describe('a change of a host is refused, and leaves nothing', () => {
  it.each(
    Object.keys(VERBS).flatMap((verb) => Object.keys(REFUSALS).map((refusal) => [verb, refusal] as const)),
  )('%s: %s', async (verb, refusal) => {
    const at = await scene()
    await using _ = at.test
    // Both documents close ssh, so that it counts for each verb whether the caller forces it.
    await at.security.set(at.host, SHUT, FORCED)
    await at.security.set(at.host, opening('8080'), FORCED)
    const { code, by = FORCED, before } = REFUSALS[refusal] ?? { code: '' }
    await before?.(at)
    const stranger = { ...at.host, licenseId: (await at.test.license()).id }
    const host = refusal === 'of another license' ? stranger : at.host
    const left = async () => [await at.security.history(at.host, 9), await at.jobs()]
    const kept = await left()
    await expect(VERBS[verb]?.(at.security, host, by)).rejects.toMatchObject({ code })
    expect(await left()).toEqual(kept)
  })
})
