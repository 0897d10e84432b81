import type { HostWork } from '@svc/core/ports'
import { expect, it } from '../../runner.ts'
import type { AgentsScene } from './agents-scene.ts'

/** Tests of a registry's record of the work that a host reports. */
export function workTests(sceneOf: () => AgentsScene): void {
  const WORK: HostWork = { kinds: ['deploy', 'prune'], concurrency: 2 }

  it('is kept over heartbeats until the host says something else', async () => {
    const scene = sceneOf()
    const note = (work: HostWork) => scene.storage.agents.noteWork(scene.licenseId, 'fp-1', work)
    await scene.beat()
    expect(await note(WORK)).toBe(true)
    await scene.beat()
    expect(await scene.only()).toMatchObject(WORK)
    expect(await note({ kinds: [], concurrency: undefined })).toBe(true)
    expect(await scene.only()).toMatchObject({ kinds: [] })
    expect((await scene.only())?.concurrency).toBeUndefined()
    expect(await note({ kinds: undefined, concurrency: 1 })).toBe(true)
    expect((await scene.only())?.kinds).toBeUndefined()
    expect((await scene.only())?.concurrency).toBe(1)
  })

  it('of a host that never reported, or of another license, is not kept', async () => {
    const [scene, other] = [sceneOf(), sceneOf()]
    await scene.beat()
    const { agents } = scene.storage
    expect(await agents.noteWork(scene.licenseId, 'fp-2', WORK)).toBe(false)
    expect(await agents.noteWork(other.licenseId, 'fp-1', WORK)).toBe(false)
    expect((await scene.only())?.kinds).toBeUndefined()
    expect(await other.list()).toEqual([])
  })

  it('the key of a host is the one that it has shown, until it is reset', async () => {
    const scene = sceneOf()
    await scene.beat()
    const { agents, accessSessions } = scene.storage
    const host = { licenseId: scene.licenseId, fingerprint: 'fp-1' }
    const key = () => agents.accessKey(host.licenseId, host.fingerprint)
    expect(await key()).toBeUndefined()
    await accessSessions.meet(host, { key: 'a-key', atMs: 1 }, { rule: 'pin' })
    expect(await key()).toBe('a-key')
    expect(await agents.accessKey(host.licenseId, 'fp-2')).toBeUndefined()
    await accessSessions.resetKey(host)
    expect(await key()).toBeUndefined()
  })

  it('is asked of hosts that have reported, each of its license', async () => {
    const [scene, other] = [sceneOf(), sceneOf()]
    await scene.beat()
    const { agents } = scene.storage
    expect(await agents.isKnown(scene.licenseId, 'fp-1')).toBe(true)
    expect(await agents.isKnown(scene.licenseId, 'fp-2')).toBe(false)
    expect(await agents.isKnown(other.licenseId, 'fp-1')).toBe(false)
    await agents.forget(scene.licenseId, 'fp-1')
    expect(await agents.isKnown(scene.licenseId, 'fp-1')).toBe(false)
  })
}
