import { describe, expect, it } from '@jest/globals'
import { type Job, type License, PLATFORM } from '@svc/core'
import type { Agent } from '@svc/core/ports'
import { buildHeartbeat, buildJob, FakeClock, memoryStorage } from '@svc/testing'
import { explainWait, type WaitFacts } from '../../../src/work/jobs/job-wait.ts'

const NOW = new FakeClock().now()
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)

const LICENSE = {
  id: 'lic_1',
  tenantId: undefined,
  label: 'shop',
  status: 'active',
  expiresAt: undefined,
  createdAt: NOW,
} as License

async function job(fields: Partial<Job> = {}): Promise<Job> {
  const { job: made } = await memoryStorage(new FakeClock()).jobs.enqueue(buildJob())
  return { ...made, ...fields }
}

async function host(fields: Partial<Agent> = {}): Promise<Agent> {
  const { agents } = memoryStorage(new FakeClock())
  await agents.heartbeat(buildHeartbeat({ fingerprint: 'fp-1', hostname: 'web-1', state: 'ready' }))
  const [made] = await agents.list(PLATFORM)
  if (made === undefined) throw new Error('no host was made')
  return { ...made, ...fields }
}

const why = async (facts: Partial<WaitFacts>) =>
  explainWait({
    job: await job(),
    license: undefined,
    holder: undefined,
    hosts: [await host()],
    held: [],
    lastClaim: NOW,
    now: NOW,
    ...facts,
  })

describe('why a job waits', () => {
  it('it is the next when nothing is in its way', async () => {
    expect(await why({})).toEqual([
      { code: 'next', text: 'is due; the next claim of an eligible host takes it' },
    ])
  })

  it('it is not due', async () => {
    const later = await job({ availableAt: secondsAgo(-60) })
    expect(await why({ job: later })).toEqual([
      { code: 'not-due', text: 'is not due before 2026-01-05T09:01:00.000Z' },
    ])
  })

  it('it waits for another job of its serial key', async () => {
    const holder = await job({ id: 'job_1', kind: 'deploy', state: 'running' })
    const [reason] = await why({ job: await job({ availableAt: undefined }), holder })
    expect(reason).toEqual({ code: 'serialised', text: 'waits for job_1 (deploy, running) to end' })
  })

  it('while it waits for something else, hosts that have taken nothing are no reason', async () => {
    const holder = await job({ id: 'job_1', kind: 'expose' })
    const codes = async (fields: Partial<WaitFacts>) =>
      (await why({ lastClaim: undefined, ...fields })).map(({ code }) => code)
    expect(await codes({ job: await job({ availableAt: undefined }), holder })).toEqual(['serialised'])
    expect(await codes({ job: await job({ availableAt: secondsAgo(-60) }) })).toEqual(['not-due'])
    expect(await codes({ job: await job() })).toEqual(['no-claim-lately'])
  })

  it('jobs of its key that hosts run go ahead of it', async () => {
    const expose = await job({ kind: 'expose', serialKey: 'app:shop' })
    const gives = { code: 'gives-way', text: 'jobs of app:shop that hosts run go ahead of it' }
    const none = { code: 'kind-not-run', text: 'no host of this license runs expose' }
    expect(await why({ job: expose, hosts: [await host({ kinds: ['deploy'] })] })).toEqual([none, gives])
    const away = await host({ kinds: ['expose'], lastHeartbeat: secondsAgo(200) })
    const both = await why({ job: expose, hosts: [await host({ kinds: ['deploy'] }), away] })
    expect(both.map(({ code }) => code)).toEqual(['host-offline', 'gives-way'])
    expect((await why({ job: expose, hosts: [away] })).map(({ code }) => code)).toEqual(['host-offline'])
  })

  it('its host has never reported, is drained, or is offline', async () => {
    const aimed = await job({ target: 'fp-1' })
    const codes = async (hosts: readonly Agent[]) =>
      (await why({ job: aimed, hosts })).map(({ code }) => code)
    expect(await codes([])).toEqual(['host-unknown'])
    expect(await codes([await host({ fingerprint: 'fp-2' })])).toEqual(['host-unknown'])
    expect(await codes([await host({ drainedAt: NOW })])).toEqual(['host-drained'])
    expect(await codes([await host({ lastHeartbeat: secondsAgo(141) })])).toEqual(['host-offline'])
    expect(await codes([await host({ lastHeartbeat: undefined })])).toEqual(['host-offline'])
    expect(await codes([await host()])).toEqual(['next'])
  })

  it('no host is there, none is fit, or none has asked for work lately', async () => {
    const codes = async (facts: Partial<WaitFacts>) => (await why(facts)).map(({ code }) => code)
    expect(await codes({ hosts: [] })).toEqual(['no-host'])
    const unfit = [await host({ drainedAt: NOW }), await host({ lastHeartbeat: secondsAgo(200) })]
    expect(await codes({ hosts: unfit })).toEqual(['host-drained', 'host-offline'])
    expect(await codes({ hosts: [...unfit, await host()] })).toEqual(['next'])
    expect(await codes({ lastClaim: undefined })).toEqual(['no-claim-lately'])
    expect(await codes({ lastClaim: secondsAgo(301) })).toEqual(['no-claim-lately'])
    expect(await codes({ lastClaim: secondsAgo(300) })).toEqual(['next'])
  })

  it('its license is shut: the first reason, with the way to open it', async () => {
    const text = async (fields: Partial<License>) => {
      const license: License = { ...LICENSE, ...fields }
      const [reason] = await why({ license, hosts: [await host({ drainedAt: NOW })] })
      return reason?.code === 'license-shut' ? reason.text : reason?.code
    }
    expect(await text({})).toBe('host-drained')
    expect(await text({ status: 'suspended' })).toBe(
      'waits, since license lic_1 is suspended, so that its hosts are refused; svc licenses reinstate lic_1',
    )
    expect(await text({ status: 'revoked' })).toContain('revoked for good')
    expect(await text({ expiresAt: NOW })).toContain('expired at 2026-01-05T09:00:00.000Z')
    expect(await text({ expiresAt: secondsAgo(-1) })).toBe('host-drained')
  })

  it('its host is busy: with which job, and since when', async () => {
    const running = { kind: 'deploy', app: 'slow', claimedBy: 'fp-1', claimedAt: secondsAgo(725) } as const
    const held = [await job({ ...running, id: 'job_1', state: 'running' })]
    const aimed = await job({ target: 'fp-1' })
    const busy = [{ code: 'host-busy', text: 'host web-1 is busy with job_1 (deploy slow, 12m 5s)' }]
    expect(await why({ job: aimed, held })).toEqual(busy)
    expect(await why({ held })).toEqual(busy)
    const idle = await host({ fingerprint: 'fp-2', hostname: 'web-2' })
    expect((await why({ held, hosts: [await host(), idle] })).map(({ code }) => code)).toEqual(['next'])
    const said = async (concurrency: number) =>
      (await why({ job: aimed, held, hosts: [await host({ concurrency })] })).map(({ text }) => text)
    expect(await said(1)).toEqual([`${busy[0]?.text}; it takes 1 at a time`])
    expect(await said(2)).toEqual(['is due; the next claim of an eligible host takes it'])
    const many = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((id) => job({ ...running, app: undefined, kind: 'prune', id })),
    )
    const [reason] = await why({ job: aimed, held: many })
    expect(reason?.text).toBe(
      'host web-1 is busy with a (prune, 12m 5s), b (prune, 12m 5s), c (prune, 12m 5s) and 2 more',
    )
  })

  it('no host runs its kind, or not the one that it is aimed at', async () => {
    const texts = async (facts: Partial<WaitFacts>) => (await why(facts)).map(({ text }) => text)
    const db = await job({ kind: 'db' })
    const deploys = await host({ kinds: ['deploy'], drainedAt: NOW })
    expect(await why({ job: db, hosts: [deploys, await host({ kinds: [] })] })).toEqual([
      { code: 'kind-not-run', text: 'no host of this license runs db' },
    ])
    const aimed = await job({ kind: 'db', target: 'fp-1' })
    expect(await why({ job: aimed, hosts: [deploys] })).toEqual([
      { code: 'kind-not-run', text: 'host web-1 does not run db' },
    ])
    const drained = 'host web-1 is drained; svc fleet undrain agt_fp-1'
    const able = await host({ kinds: ['db'], drainedAt: NOW })
    expect(await texts({ job: db, hosts: [await host({ kinds: ['deploy'] }), able] })).toEqual([drained])
    expect(await texts({ job: aimed, hosts: [able] })).toEqual([drained])
    expect(await texts({ job: db, hosts: [await host({ drainedAt: NOW })] })).toEqual([drained])
  })

  it('a drained host is named with the command that undoes it', async () => {
    const [reason] = await why({ hosts: [await host({ drainedAt: NOW })] })
    expect(reason?.text).toBe('host web-1 is drained; svc fleet undrain agt_fp-1')
  })

  it('no name that a host chose gets into that command unquoted', async () => {
    const fingerprint = "x';id>f #"
    const aimed = await job({ target: fingerprint })
    const hosts = [await host({ fingerprint, hostname: 'x;id>/some/file #', drainedAt: NOW })]
    const [reason] = await why({ job: aimed, hosts })
    expect(reason?.text).toBe(`host x;id>/some/file # is drained; svc fleet undrain 'agt_x'\\'';id>f #'`)
  })

  it('a job that does not wait says what it does', async () => {
    const held = { state: 'running', claimedBy: '0123456789abcdef' } as const
    const text = async (fields: Partial<Job>) => (await why({ job: await job(fields) }))[0]?.text
    expect(await text({ ...held, availableAt: secondsAgo(-1) })).toBe('is running on agt_0123456789ab')
    expect(await text({ ...held, availableAt: secondsAgo(1) })).toMatch(
      /silent past its lease; the next claim/,
    )
    expect(await text({ state: 'failed' })).toBe('has ended: failed')
  })
})
