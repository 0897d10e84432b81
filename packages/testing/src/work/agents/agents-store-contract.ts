import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildJob } from '../jobs/build-job.ts'
import { AgentsScene } from './agents-scene.ts'
import { buildHeartbeat } from './build-heartbeat.ts'
import { hostLimitTests } from './contract-host-limit.ts'
import { licenseTests } from './contract-license.ts'
import { workTests } from './contract-work.ts'

const FIGURES = {
  hostname: 'web-1',
  version: '1.4.0',
  state: 'ready',
  bootId: 'boot-1',
  cpuPct: 12.5,
  memPct: 0,
  diskPct: 99.9,
  diskTotalGb: 512,
  lastCaptureAt: 1_760_000_000,
  captureSuccess: false,
  lastDrillAt: 1_750_000_000,
  drillPass: true,
}

/** Contract suite that every registry of hosts must pass (spec, Heartbeat request; Fleet server entry). */
export function agentsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`agents store on ${name}`, () => {
    const storage = openedStorage(open)
    const sceneOf = () => new AgentsScene(storage())
    describe('heartbeat', () => heartbeatTests(sceneOf))
    describe('the work of a host', () => workTests(sceneOf))
    describe('operators', () => operatorTests(sceneOf))
    describe('the license', () => licenseTests(sceneOf))
    describe('the limit of a license', () => hostLimitTests(sceneOf))
  })
}

function heartbeatTests(sceneOf: () => AgentsScene): void {
  it('the first heartbeat makes the host', async () => {
    const scene = sceneOf()
    const at = scene.clock.now()
    expect(await scene.beat('fp-1', FIGURES)).toEqual({ seq: 1, cancel: [], drained: false })
    const { state, ...figures } = FIGURES
    const identity = { licenseId: scene.licenseId, fingerprint: 'fp-1', label: '', reportedState: state }
    expect(await scene.list()).toEqual([{ ...identity, ...figures, lastHeartbeat: at, firstSeenAt: at }])
  })

  it('a host that says nothing of itself is known by its fingerprint', async () => {
    const scene = sceneOf()
    await scene.beat()
    const blank = {
      hostname: '',
      version: '',
      reportedState: '',
      bootId: '',
      cpuPct: undefined,
      drillPass: undefined,
    }
    expect(await scene.only()).toMatchObject({ fingerprint: 'fp-1', ...blank })
  })

  it('what a later heartbeat leaves out or sends empty keeps its last value', async () => {
    const scene = sceneOf()
    await scene.beat('fp-1', FIGURES)
    const before = await scene.only()
    scene.clock.advance({ seconds: 60 })
    await scene.beat('fp-1', { hostname: '', version: '', state: '', bootId: '' })
    expect(await scene.only()).toEqual({ ...before, lastHeartbeat: scene.clock.now() })
  })

  it('what it sends replaces what was, also by zero and false', async () => {
    const scene = sceneOf()
    await scene.beat('fp-1', FIGURES)
    await scene.beat('fp-1', {
      state: 'busy',
      cpuPct: 0,
      lastCaptureAt: 0,
      drillPass: false,
      captureSuccess: true,
    })
    const changed = {
      reportedState: 'busy',
      cpuPct: 0,
      lastCaptureAt: 0,
      drillPass: false,
      captureSuccess: true,
    }
    expect(await scene.only()).toMatchObject({ ...changed, hostname: 'web-1', memPct: 0 })
  })

  it('the counter rises by one with each heartbeat of a host, also of those that meet', async () => {
    const scene = sceneOf()
    const beats = await Promise.all(Array.from({ length: 10 }, () => scene.beat()))
    expect(beats.map(({ seq }) => seq).sort((one, other) => one - other)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
    expect((await scene.beat('fp-2')).seq).toBe(1)
  })

  it('the instant of the last heartbeat never goes back', async () => {
    const scene = sceneOf()
    await scene.beat()
    const latest = scene.clock.now()
    scene.clock.advance({ minutes: -10 })
    await scene.beat()
    expect((await scene.only())?.lastHeartbeat).toEqual(latest)
  })

  it('one fingerprint under two licenses is two hosts', async () => {
    const [one, other] = [sceneOf(), sceneOf()]
    await one.beat('fp-1', { hostname: 'one' })
    await other.beat('fp-1', { hostname: 'other' })
    expect((await one.list()).map(({ hostname }) => hostname)).toEqual(['one'])
    expect((await other.list()).map(({ hostname }) => hostname)).toEqual(['other'])
  })

  it('figures as large as a number gets are kept', async () => {
    const scene = sceneOf()
    await scene.beat('fp-1', { cpuPct: 1e308, lastCaptureAt: Number.MAX_SAFE_INTEGER, diskTotalGb: 5e-324 })
    const figures = { cpuPct: 1e308, lastCaptureAt: Number.MAX_SAFE_INTEGER, diskTotalGb: 5e-324 }
    expect(await scene.only()).toMatchObject(figures)
  })

  it('names the jobs that the host should stop, and no other host’s', async () => {
    const scene = sceneOf()
    const { licenseId, clock, storage } = scene
    const held = async (fingerprint: string) => {
      const { job } = await storage.jobs.enqueue(buildJob({ licenseId, target: fingerprint }), clock.now())
      await storage.jobs.lease(
        { licenseId, fingerprint, leaseSeconds: 300, claimKey: undefined },
        clock.now(),
      )
      return job.id
    }
    const [stopped, going, others] = [await held('fp-1'), await held('fp-1'), await held('fp-2')]
    for (const jobId of [stopped, others]) {
      await storage.jobs.requestCancel(
        ofLicense(licenseId),
        { jobId, fingerprint: undefined, reason: '' },
        clock.now(),
      )
    }
    expect((await scene.beat('fp-1')).cancel).toEqual([stopped])
    expect((await scene.beat('fp-2')).cancel).toEqual([others])
    expect(going).not.toBe(stopped)
  })

  it('without an instant the database’s clock counts', async () => {
    const { storage, licenseId } = sceneOf()
    const { now } = await storage.health()
    await storage.agents.heartbeat(buildHeartbeat({ licenseId }))
    const [host] = await storage.agents.list(ofLicense(licenseId))
    expect(Math.abs((host?.lastHeartbeat?.getTime() ?? 0) - now.getTime())).toBeLessThan(60_000)
  })
}

function operatorTests(sceneOf: () => AgentsScene): void {
  it('lists by hostname, then fingerprint, in the order of bytes', async () => {
    const scene = sceneOf()
    const hosts = [
      ['fp-3', 'web-1'],
      ['fp-1', 'web-1'],
      ['fp-2', 'Web-2'],
      ['fp-4', ''],
      ['fp-5', 'äpfel'],
      ['fp-6', 'web_1'],
    ] as const
    for (const [fingerprint, hostname] of hosts) await scene.beat(fingerprint, { hostname })
    const order = (await scene.list()).map(({ fingerprint }) => fingerprint)
    expect(order).toEqual(['fp-4', 'fp-2', 'fp-1', 'fp-3', 'fp-6', 'fp-5'])
  })

  it('without a license lists the hosts of all', async () => {
    const [one, other] = [sceneOf(), sceneOf()]
    await one.beat()
    await other.beat()
    const licenses = (await one.storage.agents.list(PLATFORM)).map(({ licenseId }) => licenseId)
    expect(licenses).toEqual(expect.arrayContaining([one.licenseId, other.licenseId]))
  })

  it('a label is kept over heartbeats and can be emptied', async () => {
    const { storage, licenseId, beat, only } = bound(sceneOf())
    await beat()
    expect(await storage.agents.change(licenseId, 'fp-1', { label: 'the shop' })).toMatchObject({
      label: 'the shop',
    })
    await beat()
    expect((await only())?.label).toBe('the shop')
    expect(await storage.agents.change(licenseId, 'fp-1', { label: '' })).toMatchObject({ label: '' })
  })

  it('draining says since when, once, and heartbeats hear it until it is undone', async () => {
    const scene = sceneOf()
    const { storage, licenseId, clock } = scene
    const change = (drained: boolean) => storage.agents.change(licenseId, 'fp-1', { drained }, clock.now())
    await scene.beat()
    const since = clock.now()
    expect(await change(true)).toMatchObject({ drainedAt: since, label: '' })
    clock.advance({ minutes: 1 })
    expect(await change(true)).toMatchObject({ drainedAt: since })
    expect((await scene.beat()).drained).toBe(true)
    expect(await storage.agents.change(licenseId, 'fp-1', { label: 'x' })).toMatchObject({ drainedAt: since })
    expect((await change(false))?.drainedAt).toBeUndefined()
    expect((await scene.beat()).drained).toBe(false)
  })

  it('changes and forgets nothing of another license, nor an unknown host', async () => {
    const [scene, other] = [sceneOf(), sceneOf()]
    await scene.beat()
    const { agents } = scene.storage
    expect(await agents.change(other.licenseId, 'fp-1', { label: 'x' })).toBeUndefined()
    expect(await agents.change(scene.licenseId, 'fp-2', { label: 'x' })).toBeUndefined()
    expect(await agents.forget(other.licenseId, 'fp-1')).toBe(false)
    expect(await scene.only()).toMatchObject({ label: '' })
  })

  it('a host that reported lately is not forgotten when only a silent one is to be', async () => {
    const scene = sceneOf()
    const forget = (silentSeconds?: number) =>
      scene.storage.agents.forget(scene.licenseId, 'fp-1', silentSeconds, scene.clock.now())
    await scene.beat()
    scene.clock.advance({ seconds: 140 })
    expect(await forget(140)).toBe(false)
    expect(await scene.list()).toHaveLength(1)
    scene.clock.advance(1)
    expect(await forget(140)).toBe(true)
    await scene.beat()
    expect(await forget()).toBe(true)
    expect(await forget(140)).toBe(false)
    expect(await scene.list()).toEqual([])
  })

  it('a forgotten host is gone, and its next heartbeat makes it anew', async () => {
    const scene = sceneOf()
    await scene.beat('fp-1', FIGURES)
    expect(await scene.storage.agents.forget(scene.licenseId, 'fp-1')).toBe(true)
    expect(await scene.list()).toEqual([])
    expect(await scene.storage.agents.forget(scene.licenseId, 'fp-1')).toBe(false)
    expect((await scene.beat()).seq).toBe(1)
    expect(await scene.only()).toMatchObject({ hostname: '', cpuPct: undefined })
  })
}

const bound = (scene: AgentsScene) => ({
  storage: scene.storage,
  licenseId: scene.licenseId,
  beat: () => scene.beat(),
  only: () => scene.only(),
})
