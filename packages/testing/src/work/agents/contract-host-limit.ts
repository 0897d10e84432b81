import { expect, it } from '../../runner.ts'
import type { AgentsScene } from './agents-scene.ts'

/** Tests that a registry turns away hosts beyond the limit of their license. */
export function hostLimitTests(sceneOf: () => AgentsScene): void {
  it('a host is turned away when its license has more than so many with it, and not at so many', async () => {
    const [scene, other] = [sceneOf(), sceneOf()]
    const { storage, licenseId } = scene
    for (const fingerprint of ['fp-1', 'fp-2', 'fp-3']) {
      await scene.beat(fingerprint)
      await other.beat(fingerprint)
    }
    await other.beat('fp-4')
    const turned = (fingerprint: string, most: number) =>
      storage.agents.turnAway(licenseId, fingerprint, most)
    expect(await turned('fp-3', 3)).toBe(false)
    expect(await turned('fp-4', 2)).toBe(false)
    expect(await turned('fp-3', 2)).toBe(true)
    expect(await turned('fp-2', 2)).toBe(false)
    expect((await scene.list()).map(({ fingerprint }) => fingerprint)).toEqual(['fp-1', 'fp-2'])
    expect(await other.list()).toHaveLength(4)
    expect((await scene.beat('fp-3')).seq).toBe(1)
  })

  it('of hosts that come at once to a license with room for some, no more stay', async () => {
    const scene = sceneOf()
    const fingerprints = Array.from({ length: 8 }, (_, n) => `fp-${n}`)
    const come = async (fingerprint: string) => {
      await scene.beat(fingerprint)
      await scene.storage.agents.turnAway(scene.licenseId, fingerprint, 5)
    }
    await Promise.all(fingerprints.map(come))
    const stayed = (await scene.list()).length
    expect(stayed).toBeLessThanOrEqual(5)
    for (const fingerprint of fingerprints) await come(fingerprint)
    expect(await scene.list()).toHaveLength(5)
  })
}
