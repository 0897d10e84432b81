import { expect, it } from '@jest/globals'
import { SUPERSEDED_ERROR } from '@svc/core/ports'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

/** Tests of ending pending jobs that a newer one takes the place of. */
export function supersedeContract(scene: Scene): void {
  const supersede = (target = HOST) =>
    scene().jobs.supersede({ licenseId: scene().licenseId, kind: 'firewall', target }, scene().now)

  it('pending jobs of the kind for the host have failed at once and are never handed out', async () => {
    const [one, other] = [
      await scene().enqueue({ kind: 'firewall', target: HOST }),
      await scene().enqueue({ kind: 'firewall', target: HOST, runAt: scene().in(60) }),
    ]
    const ended = await supersede()
    expect(ended.map(({ id }) => id)).toEqual([one.id, other.id].sort())
    expect(ended[0]).toMatchObject({
      state: 'failed',
      error: SUPERSEDED_ERROR,
      finishedAt: scene().now,
      cancel: undefined,
    })
    expect(await scene().stored(one)).toEqual(ended.find(({ id }) => id === one.id))
    scene().clock.advance({ seconds: 61 })
    expect(await scene().claimedId()).toBeUndefined()
    expect(await supersede()).toEqual([])
  })

  it('a job that a host holds goes on, and so do those of other kinds, hosts and licenses', async () => {
    const held = await scene().held({ kind: 'firewall', target: HOST })
    const [kind, host, any] = [
      await scene().enqueue({ kind: 'prune', target: HOST }),
      await scene().enqueue({ kind: 'firewall', target: OTHER }),
      await scene().enqueue({ kind: 'firewall' }),
    ]
    const foreign = await scene().enqueue({ kind: 'firewall', target: HOST, licenseId: 'lic_foreign' })
    expect(await supersede()).toEqual([])
    for (const job of [held, kind, host, any, foreign]) {
      expect((await scene().stored(job)).finishedAt).toBeUndefined()
    }
  })

  it('the next job of the same serial key waits for the one that is held, not for the one that ended', async () => {
    const fields = { kind: 'firewall', target: HOST, serialKey: 'firewall:a' } as const
    const held = await scene().held(fields)
    await scene().enqueue(fields)
    await supersede()
    const next = await scene().enqueue(fields)
    expect(await scene().claimedId()).toBeUndefined()
    await scene().report(held, 'succeeded')
    expect(await scene().claimedId()).toBe(next.id)
  })
}
