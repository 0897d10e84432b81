import { MAX_JOB_LINES } from '@svc/core/ports'
import { expect, it } from '../../runner.ts'
import type { Scene } from './jobs-scene.ts'

const REQUEST_LINES = 1000

/** Tests of log requests that are repeated, that arrive at the same time, and that exceed the limits. */
export function logWritersContract(scene: Scene): void {
  it('a repeated idempotency key stores nothing and gets the first answer', async () => {
    const job = await scene().held()
    const key = { idempotencyKey: 'host.1.1.1' }
    const first = await scene().append(job, ['a', 'b'], key)
    await scene().append(job, ['c'])
    expect(await scene().append(job, ['a', 'b'], key)).toMatchObject({ accepted: 2, stored: 0, next: 2 })
    expect(first).toMatchObject({ accepted: 2, stored: 2, next: 2 })
    expect(await scene().lines(job)).toEqual(['a', 'b', 'c'])
  })

  it('an idempotency key belongs to its job', async () => {
    const [one, other] = [await scene().held(), await scene().held()]
    await scene().append(one, ['a'], { idempotencyKey: 'k' })
    expect(await scene().append(other, ['b'], { idempotencyKey: 'k' })).toMatchObject({ stored: 1 })
  })

  it('requests that meet are all kept, each in one piece', async () => {
    const job = await scene().held()
    const pieces = Array.from({ length: 8 }, (_, index) => [`${index} a`, `${index} b`, `${index} c`])
    const answers = await Promise.all(pieces.map((texts) => scene().append(job, texts)))
    expect(answers.map((answer) => answer?.next).sort((a = 0, b = 0) => a - b)).toEqual([
      3, 6, 9, 12, 15, 18, 21, 24,
    ])
    const lines = await scene().lines(job)
    expect([...lines].sort()).toEqual(pieces.flat())
    for (const [first = '', second] of pieces) expect(lines[lines.indexOf(first) + 1]).toBe(second)
  })

  it('requests for the same place that meet are stored once', async () => {
    const job = await scene().held()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => scene().append(job, ['a', 'b'], { offset: 0 })),
    )
    expect(answers.map((answer) => answer?.accepted)).toEqual([2, 2, 2, 2, 2, 2])
    expect(answers.reduce((sum, answer) => sum + (answer?.stored ?? 0), 0)).toBe(2)
    expect(await scene().lines(job)).toEqual(['a', 'b'])
  })

  it('repeats of one key that meet are stored once', async () => {
    const job = await scene().held()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => scene().append(job, ['a'], { idempotencyKey: 'k' })),
    )
    expect(answers.map((answer) => answer?.accepted)).toEqual([1, 1, 1, 1, 1, 1])
    expect(await scene().lines(job)).toEqual(['a'])
  })

  it('a full log takes what comes, keeps one marker line and nothing after it', async () => {
    const job = await scene().held()
    const texts = Array.from({ length: REQUEST_LINES }, (_, index) => `line ${index}`)
    for (let sent = 0; sent < MAX_JOB_LINES - REQUEST_LINES; sent += REQUEST_LINES)
      await scene().append(job, texts)
    expect(await scene().append(job, [...texts, 'one too many'])).toMatchObject({
      accepted: REQUEST_LINES + 1,
    })
    const last = await scene().append(job, ['x'], { offset: MAX_JOB_LINES + 1 })
    expect(last).toMatchObject({ accepted: 1, stored: 0, next: MAX_JOB_LINES + 2 })
    const again = await scene().append(job, ['line 7'], { offset: 7 })
    expect(again).toMatchObject({ accepted: 1, stored: 0, next: 8 })
    expect(await scene().jobs.logLengths(job.id)).toEqual([{ attempt: 1, lines: MAX_JOB_LINES }])
    const [before, marker, ...none] = await scene().lines(job, MAX_JOB_LINES - 2)
    expect([before, none]).toEqual([`line ${REQUEST_LINES - 2}`, []])
    expect(marker).toBe('[svc] the log of this job is full; later lines are not kept')
  })
}
