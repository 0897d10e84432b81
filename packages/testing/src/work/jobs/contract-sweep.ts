import { expect, it } from '../../runner.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

const NOTHING = { timedOut: [], ended: [] }

/** Tests of the sweep of jobs that ran too long or whose host is lost. */
export function sweepContract(scene: Scene): void {
  it('a job past its timeout is asked to stop, once, and goes on until its host ends it', async () => {
    const job = await scene().held({ timeoutSeconds: 200 })
    await scene().report(job, 'running')
    scene().clock.advance(199_999)
    expect(await scene().sweep()).toEqual(NOTHING)
    scene().clock.advance(1)
    const { now } = scene()
    expect(await scene().sweep()).toEqual({ timedOut: [job.id], ended: [] })
    scene().clock.advance({ seconds: 10 })
    expect(await scene().sweep()).toEqual(NOTHING)
    expect(await scene().stored(job)).toMatchObject({
      state: 'running',
      cancel: { at: now, reason: 'timeout' },
    })
    expect((await scene().claim(HOST)).cancel).toEqual([job.id])
  })

  it('a timeout counts from the claim, whatever a renewed lease says', async () => {
    const job = await scene().held({ timeoutSeconds: 600 })
    for (let minute = 0; minute < 10; minute += 1) {
      scene().clock.advance({ minutes: 1 })
      await scene().report(job, 'running')
    }
    expect((await scene().sweep()).timedOut).toEqual([job.id])
  })

  it('a timeout counts from the claim, however long the job waited', async () => {
    await scene().enqueue({ timeoutSeconds: 100 })
    scene().clock.advance({ hours: 1 })
    const { job } = await scene().claim(HOST)
    scene().clock.advance(99_999)
    expect(await scene().sweep()).toEqual(NOTHING)
    scene().clock.advance(1)
    expect((await scene().sweep()).timedOut).toEqual([job?.id])
  })

  it('a timeout does not rewrite the cancel of a person', async () => {
    const job = await scene().held({ timeoutSeconds: 100 })
    await scene().cancel(job, { reason: 'a person' })
    scene().clock.advance({ seconds: 150 })
    expect(await scene().sweep()).toEqual(NOTHING)
    expect((await scene().stored(job)).cancel?.reason).toBe('a person')
  })

  it('a cancel that is not confirmed for 300 s ends the job, and its host’s writes are refused', async () => {
    const job = await scene().held()
    await scene().cancel(job)
    scene().clock.advance({ seconds: 200 })
    await scene().report(job, 'running')
    scene().clock.advance(99_999)
    expect(await scene().sweep()).toEqual(NOTHING)
    scene().clock.advance(1)
    expect(await scene().sweep()).toEqual({ timedOut: [], ended: [job.id] })
    expect(await scene().stored(job)).toMatchObject({
      state: 'failed',
      finishedAt: scene().now,
      error: 'cancelled; the host did not confirm that the work stopped',
      lost: 0,
    })
    expect(await scene().report(job, 'failed')).toBeUndefined()
  })

  it('a lost lease ends the job only when it was the last that may be lost', async () => {
    const last = await scene().held({ maxAttempts: 1 })
    const more = await scene().held({ maxAttempts: 2 })
    scene().clock.advance(299_999)
    expect(await scene().sweep()).toEqual(NOTHING)
    scene().clock.advance(1)
    expect(await scene().sweep()).toEqual({ timedOut: [], ended: [last.id] })
    expect(await scene().stored(last)).toMatchObject({ state: 'failed', lost: 1, claimedBy: undefined })
    expect(await scene().stored(more)).toEqual(more)
    expect(await scene().claimedId(OTHER)).toBe(more.id)
  })

  it('names the host that was lost', async () => {
    const job = await scene().held({ maxAttempts: 1 }, '%s$&-0123456789')
    scene().clock.advance({ seconds: 300 })
    await scene().sweep()
    expect((await scene().stored(job)).error).toBe(
      'lost: host agt_%s$&-0123456 went silent while it held the job; leases lost: 1',
    )
  })

  it('jobs that wait and jobs that have ended are left alone', async () => {
    const waiting = await scene().enqueue({ timeoutSeconds: 1, maxAttempts: 1 })
    const ended = await scene().enqueue({ timeoutSeconds: 1, target: OTHER })
    await scene().claim(OTHER)
    await scene().report(waiting, 'failed', { fingerprint: OTHER })
    await scene().claim(OTHER)
    await scene().report(ended, 'succeeded', { fingerprint: OTHER })
    const pending = await scene().enqueue({ timeoutSeconds: 1, maxAttempts: 1 })
    scene().clock.advance({ days: 1 })
    expect(await scene().sweep()).toEqual(NOTHING)
    expect(await scene().stored(pending)).toEqual(pending)
  })

  it('two sweeps at one instant end a job once', async () => {
    const jobs = []
    for (let count = 0; count < 5; count += 1) jobs.push((await scene().held({ maxAttempts: 1 })).id)
    scene().clock.advance({ seconds: 300 })
    const sweeps = await Promise.all([scene().sweep(), scene().sweep(), scene().sweep()])
    expect(sweeps.flatMap(({ ended }) => ended).sort()).toEqual(jobs.sort())
  })
}
