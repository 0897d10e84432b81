import { ofLicense, PLATFORM } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

/** Tests of cancelling jobs (docs/agents.md, Cancel). */
export function cancelContract(scene: Scene): void {
  it('a pending job has failed at once and is never handed out', async () => {
    const { now } = scene()
    const job = await scene().enqueue()
    const cancelled = await scene().cancel(job, { reason: 'wrong commit' })
    expect(cancelled).toMatchObject({
      effect: 'ended',
      job: {
        state: 'failed',
        finishedAt: now,
        error: 'cancelled before a host took it',
        cancel: { at: now, reason: 'wrong commit' },
      },
    })
    expect(await scene().stored(job)).toEqual(cancelled?.job)
    expect(await scene().claimedId()).toBeUndefined()
  })

  it.each(['claimed', 'running'] as const)(
    'the owner of a %s job is asked, and the job goes on',
    async (state) => {
      const job = await scene().held()
      await scene().report(job, state)
      const { now } = scene()
      expect(await scene().cancel(job)).toMatchObject({
        effect: 'requested',
        job: { state, cancel: { at: now, reason: 'asked' }, finishedAt: undefined },
      })
    },
  )

  it('a repeat gets the same answer; the first reason and instant stay', async () => {
    const job = await scene().held()
    const first = await scene().cancel(job, { reason: 'first' })
    scene().clock.advance({ seconds: 20 })
    expect(await scene().cancel(job, { reason: 'second' })).toEqual(first)
  })

  it('a cancel does not renew the lease', async () => {
    const job = await scene().held()
    scene().clock.advance({ seconds: 200 })
    await scene().cancel(job)
    expect((await scene().stored(job)).availableAt).toEqual(job.availableAt)
  })

  it('a finished job stays what it is', async () => {
    const job = await scene().held()
    await scene().report(job, 'succeeded')
    const before = await scene().stored(job)
    expect(await scene().cancel(job)).toEqual({ effect: 'none', job: before })
    expect(await scene().stored(job)).toEqual(before)
  })

  it('a cancelled job cancelled again is still the cancelled one', async () => {
    const job = await scene().enqueue()
    const ended = await scene().cancel(job)
    scene().clock.advance({ seconds: 1 })
    expect(await scene().cancel(job)).toEqual({ effect: 'none', job: ended?.job })
  })

  it('another license finds no such job, an operator finds any', async () => {
    const job = await scene().held()
    expect(await scene().cancel(job, {}, ofLicense(buildId('lic')))).toBeUndefined()
    expect((await scene().stored(job)).cancel).toBeUndefined()
    expect(await scene().cancel(job, {}, PLATFORM)).toMatchObject({ effect: 'requested' })
    await scene().report(job, 'succeeded')
    expect(await scene().cancel(job, {}, ofLicense(buildId('lic')))).toBeUndefined()
    expect(await scene().cancel(job, {}, PLATFORM)).toMatchObject({ effect: 'none' })
  })

  it('an unknown job is none', async () => {
    expect(await scene().cancel({ ...(await scene().enqueue()), id: buildId('job') })).toBeUndefined()
  })

  it('a host may cancel what it holds and what it may claim, nothing else', async () => {
    const others = await scene().held({}, OTHER)
    const mine = await scene().held()
    const [free, aimed, away] = [
      await scene().enqueue(),
      await scene().enqueue({ target: HOST }),
      await scene().enqueue({ target: OTHER }),
    ]
    const effects = []
    for (const job of [others, mine, free, aimed, away]) {
      effects.push((await scene().cancel(job, { fingerprint: HOST }))?.effect)
    }
    expect(effects).toEqual([undefined, 'requested', 'ended', 'ended', undefined])
    expect((await scene().stored(others)).cancel).toBeUndefined()
    expect((await scene().stored(away)).state).toBe('pending')
  })

  it('a host learns the end of its own jobs only', async () => {
    const job = await scene().held()
    await scene().report(job, 'succeeded')
    expect(await scene().cancel(job, { fingerprint: OTHER })).toBeUndefined()
    expect(await scene().cancel(job, { fingerprint: HOST })).toMatchObject({ effect: 'none' })
  })
}
