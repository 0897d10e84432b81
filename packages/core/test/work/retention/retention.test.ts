import { describe, expect, it } from '@jest/globals'
import { days, retentionPlane } from './retention-scene.ts'

describe('the retention of jobs and logs', () => {
  it('logs go a month after the end of their jobs, and jobs after three', async () => {
    const { ended, tick, is } = await retentionPlane()
    const job = await ended()
    await tick(days(30) - 2)
    expect(await is(job)).toEqual([true, true])
    await tick(3)
    expect(await is(job)).toEqual([true, false])
    await tick(days(60) - 2)
    expect(await is(job)).toEqual([true, false])
    await tick(3)
    expect(await is(job)).toEqual([false, false])
  })

  it('settings say how long, each for its own', async () => {
    const env = { SERVICE_JOB_RETENTION_DAYS: '5', SERVICE_LOG_RETENTION_DAYS: '2' }
    const { ended, tick, is } = await retentionPlane({ env })
    const job = await ended()
    await tick(days(2) - 1)
    expect(await is(job)).toEqual([true, true])
    await tick(2)
    expect(await is(job)).toEqual([true, false])
    await tick(days(3))
    expect(await is(job)).toEqual([false, false])
  })

  it('the log of a job that is let go is told from one without a line', async () => {
    const { ended, tick, operations, license, run, storage } = await retentionPlane()
    const job = await ended()
    const logs = () => operations.run('jobs.logs', { job }, 'ann')
    expect(await logs()).not.toHaveProperty('log_gone')
    await tick(days(31))
    expect(await logs()).toMatchObject({ logs: [], done: true, log_gone: true })
    expect(await operations.run('jobs.show', { job }, 'ann')).toMatchObject({ log_lines: 0, log_gone: true })
    const { job: silent } = (await operations.run(
      'jobs.enqueue',
      { kind: 'prune', license: license.id },
      'ann',
    )) as { job: { id: string } }
    await operations.run('jobs.cancel', { job: silent.id }, 'ann')
    expect(await operations.run('jobs.logs', { job: silent.id }, 'ann')).not.toHaveProperty('log_gone')
    expect((await storage.retention.state()).logsBefore).toBeInstanceOf(Date)
    expect(await run('retention.show')).toMatchObject({ logs: { gone_before: expect.any(Number) } })
  })

  it('the newest ten deployments of an app stay for as long as it is deployed no more', async () => {
    const { ended, tick, is } = await retentionPlane()
    const jobs: string[] = []
    for (let count = 0; count < 12; count += 1) jobs.push(await ended('shop'))
    await tick(days(400))
    const there = await Promise.all(jobs.map(async (id) => (await is(id))[0]))
    expect(there).toEqual([false, false, ...Array.from({ length: 10 }, () => true)])
  })

  it('more than a page goes in one tick, and the counter says how many', async () => {
    const { ended, tick, is, metrics } = await retentionPlane()
    const jobs: string[] = []
    for (let count = 0; count < 1100; count += 1) jobs.push(await ended())
    await tick(days(91))
    expect(await Promise.all([jobs[0], jobs[1099]].map((id) => is(id ?? '')))).toEqual([
      [false, false],
      [false, false],
    ])
    expect(await metrics.exposition()).toContain('svc_retention_removed_total{what="jobs"} 1100')
    expect(await metrics.exposition()).toContain('svc_retention_removed_total{what="logs"} 1100')
  })
})

describe('a database with jobs from before it had rules', () => {
  const message = 'jobs and logs past their retention stay until the rules are accepted: svc retention show'

  it('nothing goes until an operator accepts, who is remembered', async () => {
    const { ended, tick, is, run, operations } = await retentionPlane({ held: true })
    const job = await ended()
    await tick(days(100))
    expect(await is(job)).toEqual([true, true])
    await expect(run('retention.run')).rejects.toMatchObject({ code: 'conflict' })
    expect(await run('retention.show')).toMatchObject({
      held: true,
      jobs: { days: 90, goes: false, rows: 1 },
      logs: { days: 30, goes: false, rows: 1 },
    })
    const shown = { job_days: 90, log_days: 30 }
    const accept = (input: typeof shown) => operations.run('retention.accept', input, 'ann')
    await expect(accept({ ...shown, log_days: 31 })).rejects.toMatchObject({ code: 'conflict' })
    expect(await accept(shown)).toMatchObject({
      held: false,
      accepted_by: 'ann',
      jobs: { goes: true, rows: 1 },
    })
    await tick()
    expect(await is(job)).toEqual([false, false])
  })

  it('a setting that is written is an acceptance of its own rule', async () => {
    const { ended, tick, is } = await retentionPlane({
      held: true,
      env: { SERVICE_LOG_RETENTION_DAYS: '30' },
    })
    const job = await ended()
    await tick(days(100))
    expect(await is(job)).toEqual([true, false])
  })

  it('the log says each week what stays, and nothing where nothing does', async () => {
    const { ended, tick, log } = await retentionPlane({ held: true })
    const said = () => log.lines.flatMap((line) => (line.message === message ? [line.fields] : []))
    await tick()
    expect(said()).toEqual([])
    await ended()
    await tick(days(31))
    expect(said()).toMatchObject([{ jobs: 0, logs: 1 }])
    await tick(days(6))
    expect(said()).toHaveLength(1)
    await tick(days(2))
    expect(said()).toHaveLength(2)
  })
})

describe('svc retention run', () => {
  it('removes what is past its retention at once, and says whether there is more', async () => {
    const { ended, clock, is, run, storage, license } = await retentionPlane()
    const job = await ended('blog')
    const other = await ended()
    clock.advance({ hours: days(91) })
    expect(await run('retention.run')).toEqual({ jobs: 1, logs: 2, more: false })
    expect([await is(job), await is(other)]).toEqual([
      [true, false],
      [false, false],
    ])
    expect(await storage.deployments.list({ licenseId: license.id, app: 'blog', limit: 9 })).toHaveLength(1)
    expect(await run('retention.run')).toEqual({ jobs: 0, logs: 0, more: false })
  })
})
