import type { JobKind } from '@svc/core'
import { expect, it } from '../../runner.ts'
import { HOST, type JobsScene, OTHER, type Scene } from './jobs-scene.ts'

/** Tests of claims of hosts that say which kinds of jobs they run. */
export function kindsContract(scene: Scene): void {
  const of = (kinds: readonly JobKind[] | undefined, fingerprint = HOST) =>
    scene().claimedId(fingerprint, { kinds })

  it('a host gets jobs of the kinds that it runs alone, and one that does not say gets all', async () => {
    const db = await scene().enqueue({ kind: 'db' })
    const aimed = await scene().enqueue({ kind: 'db', target: HOST })
    const prune = await scene().enqueue()
    expect(await of(['deploy'])).toBeUndefined()
    expect(await of([])).toBeUndefined()
    expect(await of(['deploy', 'prune'])).toBe(prune.id)
    expect(await of(['deploy', 'prune'])).toBeUndefined()
    expect(await of(['db'])).toBe(db.id)
    expect(await of(undefined)).toBe(aimed.id)
  })

  it('the job that has been due longest goes first, of those that the host runs', async () => {
    const made: string[] = []
    for (const kind of ['db', 'prune', 'deploy', 'prune', 'db'] as const) {
      made.push((await scene().enqueue({ kind })).id)
      scene().clock.advance({ seconds: 1 })
    }
    const urgent = await scene().enqueue({ kind: 'deploy', urgent: true })
    const [, prune, deploy, later] = made
    const kinds: readonly JobKind[] = ['deploy', 'prune']
    const order = [await of(kinds), await of(kinds), await of(kinds), await of(kinds), await of(kinds)]
    expect(order).toEqual([urgent.id, prune, deploy, later, undefined])
  })

  it('hosts of one license that run different kinds ask at once, and each gets its own', async () => {
    const { id: prune } = await scene().enqueue()
    const { id: db } = await scene().enqueue({ kind: 'db' })
    const { id: deploy } = await scene().enqueue({ kind: 'deploy' })
    const got = await Promise.all([
      of(['db'], 'fp-1'),
      of(['deploy'], 'fp-2'),
      of(['expose'], 'fp-3'),
      of(['prune', 'db'], 'fp-4'),
      of(['db'], 'fp-5'),
    ])
    expect(got).toEqual([db, deploy, undefined, prune, undefined])
  })

  it('a crowd of hosts of one license that run different kinds gets each its own', async () => {
    const kindOf = (index: number): JobKind => (['db', 'deploy', 'prune'] as const)[index % 3] ?? 'db'
    const made = new Map<string, JobKind>()
    for (let index = 0; index < 24; index += 1) {
      const { id, kind } = await scene().enqueue({ kind: kindOf(index) })
      made.set(id, kind)
    }
    const asked = Array.from({ length: 24 }, (_, index) => of([kindOf(index)], `fp-${index}`))
    const got = await Promise.all(asked)
    expect(got.map((id) => made.get(id ?? ''))).toEqual(got.map((_, index) => kindOf(index)))
    expect(new Set(got).size).toBe(24)
  })

  it('a lost job is taken over by a host that runs its kind', async () => {
    const { id } = await scene().held({ kind: 'db' })
    scene().clock.advance({ seconds: 301 })
    expect(await of(['prune'], OTHER)).toBeUndefined()
    expect(await scene().claim(OTHER, { kinds: ['db'] })).toMatchObject({ job: { id }, how: 'reclaimed' })
  })

  it('a job that is lost for good is ended by the claim of a host that runs its kind, which gets the next', async () => {
    const waiting = await scene().enqueue({ kind: 'db' })
    const lost = await scene().enqueue({ maxAttempts: 1 })
    expect(await of(['prune'], OTHER)).toBe(lost.id)
    scene().clock.advance({ seconds: 301 })
    const next = await scene().enqueue()
    expect(await scene().claim(HOST, { kinds: ['deploy'] })).toMatchObject({ ended: [] })
    const answer = await scene().claim(HOST, { kinds: ['prune'] })
    expect(answer).toMatchObject({ job: { id: next.id }, ended: [{ id: lost.id, state: 'failed' }] })
    expect((await scene().stored(waiting)).state).toBe('pending')
  })

  it('a repeated claim gets its job, whatever the host says now', async () => {
    const { id } = await scene().enqueue({ kind: 'db' })
    const again = (kinds: readonly JobKind[] | undefined) => scene().claim(HOST, { claimKey: 'key', kinds })
    expect(await again(['db'])).toMatchObject({ job: { id }, how: 'new' })
    expect(await again(['prune'])).toMatchObject({ job: { id }, how: 'repeated' })
    expect(await again(undefined)).toMatchObject({ job: { id }, how: 'repeated' })
  })

  it('a host that runs nothing that waits still hears what to stop', async () => {
    const job: Awaited<ReturnType<JobsScene['held']>> = await scene().held()
    await scene().cancel(job)
    expect(await scene().claim(HOST, { kinds: ['db'] })).toEqual({
      job: undefined,
      how: undefined,
      cancel: [job.id],
      drained: false,
      ended: [],
    })
  })
}
