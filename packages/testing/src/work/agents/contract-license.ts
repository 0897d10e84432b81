import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import type { AgentsScene } from './agents-scene.ts'

/** Tests of the license check in a heartbeat that carries the digest of a key. */
export function licenseTests(sceneOf: () => AgentsScene): void {
  const KEY = 'a'.repeat(64)
  const licensed = async (leftMs?: number) => {
    const scene = sceneOf()
    const expiresAt = leftMs === undefined ? undefined : new Date(scene.clock.now().getTime() + leftMs)
    const { licenses } = scene.storage
    const keyDigest = buildId('key')
    await licenses.add({ id: scene.licenseId, keyDigest, tenantId: undefined, label: '', expiresAt })
    return { scene, licenses, keyDigest }
  }
  const refused = { code: 'unauthorized' }

  it('that is usable lets a heartbeat that asks for it pass', async () => {
    const { scene, keyDigest } = await licensed(1000)
    expect(await scene.beat('fp-1', { keyDigest })).toMatchObject({ seq: 1 })
    expect(await scene.beat('fp-1', { keyDigest })).toMatchObject({ seq: 2 })
  })

  it('is asked at the moment of the write: suspended, back, revoked', async () => {
    const { scene, licenses, keyDigest } = await licensed()
    await scene.beat('fp-1', { keyDigest, version: '1' })
    await licenses.setStatus(scene.licenseId, 'suspended')
    await expect(scene.beat('fp-1', { keyDigest, version: '2' })).rejects.toMatchObject(refused)
    await licenses.setStatus(scene.licenseId, 'active')
    expect(await scene.beat('fp-1', { keyDigest })).toMatchObject({ seq: 2 })
    await licenses.setStatus(scene.licenseId, 'revoked')
    await expect(scene.beat('fp-1', { keyDigest, version: '3' })).rejects.toMatchObject(refused)
    await expect(scene.beat('fp-2', { keyDigest })).rejects.toMatchObject(refused)
    expect(await scene.list()).toMatchObject([{ fingerprint: 'fp-1', version: '1' }])
  })

  it('ends with its last moment', async () => {
    const { scene, keyDigest } = await licensed(1000)
    scene.clock.advance(1000)
    await expect(scene.beat('fp-1', { keyDigest })).rejects.toMatchObject(refused)
  })

  it('has to be the one of the key', async () => {
    const { scene } = await licensed()
    const other = await licensed()
    await expect(scene.beat('fp-1', { keyDigest: other.keyDigest })).rejects.toMatchObject(refused)
    await expect(scene.beat('fp-1', { keyDigest: KEY })).rejects.toMatchObject(refused)
    expect(await scene.list()).toEqual([])
  })

  it('of one heartbeat does not fail those that travel with it', async () => {
    const { scene, keyDigest } = await licensed()
    const beats = [
      scene.beat('fp-1', { keyDigest }),
      scene.beat('fp-2', { keyDigest: KEY }),
      scene.beat('fp-3'),
    ]
    const told = await Promise.allSettled(beats)
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await scene.list()).map(({ fingerprint }) => fingerprint)).toEqual(['fp-1', 'fp-3'])
  })
}
