import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import type { Scene } from './jobs-scene.ts'

/** Tests of jobs that something newer takes the place of, and of first lines. */
export function supersedeContract(scene: Scene): void {
  const supersede = (jobIds: readonly string[], licenseId = scene().licenseId) =>
    scene().jobs.supersede({ licenseId, jobIds, reason: 'superseded by 0123' }, scene().now)

  it('those that are pending have failed at once, with the reason as their error', async () => {
    const [one, other] = [await scene().enqueue(), await scene().enqueue()]
    const { now } = scene()
    const ended = await supersede([other.id, one.id, one.id, 'job_none'])
    expect(ended.map(({ id }) => id)).toEqual([one.id, other.id].toSorted())
    expect(ended[0]).toMatchObject({
      state: 'failed',
      finishedAt: now,
      error: 'superseded by 0123',
      cancel: { at: now, reason: 'superseded by 0123' },
    })
    expect(await scene().stored(ended[0] ?? one)).toEqual(ended[0])
    expect(await scene().claimedId()).toBeUndefined()
    expect(await supersede([one.id])).toEqual([])
  })

  it('those that a host holds, that have ended, or that are of another license stay', async () => {
    const held = await scene().held()
    const pending = await scene().enqueue()
    expect(await supersede([held.id])).toEqual([])
    expect(await supersede([pending.id], buildId('lic'))).toEqual([])
    expect(await supersede([])).toEqual([])
    expect(await scene().stored(held)).toEqual(held)
    expect(await scene().stored(pending)).toEqual(pending)
  })

  it('the end of one frees the next of its serial key', async () => {
    const first = await scene().enqueue({ serialKey: 'app:shop' })
    const next = await scene().enqueue({ serialKey: 'app:shop' })
    await supersede([first.id])
    expect(await scene().claimedId()).toBe(next.id)
  })

  it('a first line stands before those of every host, and is not one of theirs', async () => {
    const job = await scene().enqueue()
    await scene().jobs.preface(job.id, { ts: 5, line: 'git push' }, scene().now)
    await scene().jobs.preface(job.id, { ts: 6, line: 'again' }, scene().now)
    expect(await scene().jobs.logs(job.id, 0, 10)).toEqual([
      { ts: 5, line: 'git push', attempt: 0, offset: 0 },
    ])
    const { job: claimed } = await scene().claim()
    expect(claimed?.id).toBe(job.id)
    await scene().jobs.preface(job.id, { ts: 7, line: 'late' }, scene().now)
    expect(await scene().append(job, ['one'], { offset: 0 })).toMatchObject({ stored: 1, next: 1 })
    expect(await scene().append(job, ['two'], { offset: 1 })).toMatchObject({ stored: 1, next: 2 })
    expect(await scene().lines(job)).toEqual(['git push', 'one', 'two'])
    expect(await scene().jobs.logLengths(job.id)).toEqual([
      { attempt: 0, lines: 1 },
      { attempt: 1, lines: 2 },
    ])
    await scene().jobs.preface(buildId('job'), { ts: 5, line: 'nobody' }, scene().now)
  })
}
