import { expect, it } from '../../runner.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

const LOST = (count: number) =>
  `lost: host agt_host-a-01234 went silent while it held the job; leases lost: ${count}`

/** Tests of when a silent host loses its job. */
export function leaseContract(scene: Scene): void {
  it('a held job is nobody else’s until its lease has passed, and then the next host’s', async () => {
    const job = await scene().held()
    scene().clock.advance(299_999)
    expect(await scene().claimedId(OTHER)).toBeUndefined()
    scene().clock.advance(1)
    const taken = await scene().claim(OTHER)
    expect(taken).toMatchObject({
      how: 'reclaimed',
      job: { id: job.id, claimedBy: OTHER, claimedAt: scene().now, attempt: 2, lost: 1, state: 'claimed' },
    })
    expect(taken.job?.availableAt).toEqual(scene().in(300))
  })

  it('a job that ran begins anew with its next owner', async () => {
    const job = await scene().held()
    await scene().report(job, 'running')
    scene().clock.advance({ seconds: 300 })
    const { job: taken } = await scene().claim(OTHER)
    expect(taken).toMatchObject({ state: 'claimed', startedAt: undefined })
  })

  it('a host that comes back may take its own lost job, as a new attempt', async () => {
    const job = await scene().held()
    scene().clock.advance({ seconds: 300 })
    expect(await scene().claim(HOST)).toMatchObject({
      how: 'reclaimed',
      job: { id: job.id, attempt: 2, lost: 1 },
    })
  })

  it('a lost job aimed at a host waits for that host', async () => {
    const job = await scene().held({ target: HOST })
    scene().clock.advance({ seconds: 300 })
    expect(await scene().claimedId(OTHER)).toBeUndefined()
    expect(await scene().claimedId(HOST)).toBe(job.id)
  })

  it('a job whose lease is lost once too often is failed, and the claim goes on to the next', async () => {
    const job = await scene().held({ maxAttempts: 2 })
    scene().clock.advance({ seconds: 300 })
    await scene().claim(HOST)
    scene().clock.advance({ seconds: 300 })
    const next = await scene().enqueue()
    const answer = await scene().claim(OTHER)
    expect(answer).toMatchObject({ how: 'new', job: { id: next.id } })
    const ending = { state: 'failed', lost: 2, finishedAt: scene().now, error: LOST(2), claimedBy: undefined }
    expect(answer.ended).toEqual([await scene().stored(job)])
    expect(answer.ended[0]).toMatchObject({ id: job.id, attempt: 2, ...ending })
  })

  it('a lost job with a cancel is failed instead of handed out', async () => {
    const job = await scene().held()
    await scene().cancel(job)
    scene().clock.advance({ seconds: 300 })
    const { job: taken, ended } = await scene().claim(OTHER)
    expect(taken).toBeUndefined()
    expect(ended.map(({ id }) => id)).toEqual([job.id])
    const error = 'cancelled; the host did not confirm that the work stopped'
    expect(await scene().stored(job)).toMatchObject({ state: 'failed', error, lost: 0 })
  })

  it('several lost jobs in the way are all ended in one claim', async () => {
    const jobs = [await scene().held({ maxAttempts: 1 }), await scene().held({ maxAttempts: 1 })]
    scene().clock.advance({ seconds: 300 })
    const answer = await scene().claim(OTHER)
    expect(answer.job).toBeUndefined()
    expect(answer.ended.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id))
  })

  it('a write with more than four fifths of the lease left does not move its end', async () => {
    const job = await scene().held()
    await scene().report(job, 'running')
    scene().clock.advance({ seconds: 60 })
    await scene().report(job, 'running')
    await scene().append(job, ['x'])
    await scene().jobs.renew([scene().owner(job)], 300, scene().now)
    expect((await scene().stored(job)).availableAt).toEqual(job.availableAt)
  })

  it.each(['status', 'logs', 'logs without lines', 'heartbeat'] as const)(
    'a write by %s with less left renews the lease',
    async (how) => {
      const job = await scene().held()
      await scene().report(job, 'running')
      scene().clock.advance({ seconds: 61 })
      if (how === 'status') await scene().report(job, 'running')
      if (how === 'logs') await scene().append(job, ['x'])
      if (how === 'logs without lines') await scene().append(job, [])
      if (how === 'heartbeat')
        await scene().jobs.renew([scene().owner(job, { attempt: 1 })], 300, scene().now)
      expect((await scene().stored(job)).availableAt).toEqual(scene().in(300))
    },
  )

  it('an owner whose lease has passed keeps a job that nobody took with its next write', async () => {
    const job = await scene().held()
    scene().clock.advance({ minutes: 20 })
    expect(await scene().report(job, 'running')).toMatchObject({ effect: 'renewed' })
    expect((await scene().stored(job)).lost).toBe(0)
    expect(await scene().claimedId(OTHER)).toBeUndefined()
  })

  it('that a job runs renews the lease when little of it is left, and not before', async () => {
    const [soon, late] = [await scene().held(), await scene().held()]
    const { availableAt } = await scene().stored(soon)
    scene().clock.advance({ seconds: 60 })
    await scene().report(soon, 'running')
    expect(await scene().stored(soon)).toMatchObject({ state: 'running', availableAt })
    scene().clock.advance({ seconds: 1 })
    await scene().report(late, 'running')
    expect(await scene().stored(late)).toMatchObject({ state: 'running', availableAt: scene().in(300) })
  })

  it('a heartbeat renews only what this host holds in this attempt', async () => {
    const [mine, others, old] = [await scene().held(), await scene().held({}, OTHER), await scene().held()]
    scene().clock.advance({ seconds: 100 })
    const owners = [
      scene().owner(mine, { attempt: 1 }),
      scene().owner(others, { attempt: 1 }),
      scene().owner(old, { attempt: 7 }),
      scene().owner({ ...mine, id: 'job_unknown' }, { attempt: 1 }),
    ]
    expect(await scene().jobs.renew(owners, 300, scene().now)).toEqual([mine.id])
    const ends = await Promise.all(
      [mine, others, old].map(async (job) => (await scene().stored(job)).availableAt),
    )
    expect(ends).toEqual([scene().in(300), scene().in(200), scene().in(200)])
  })

  it('a heartbeat that lists nothing changes nothing', async () => {
    const job = await scene().held()
    scene().clock.advance({ seconds: 100 })
    expect(await scene().jobs.renew([], 300, scene().now)).toEqual([])
    expect(await scene().stored(job)).toEqual(job)
  })

  it('a renewal does not revive a job that has ended', async () => {
    const job = await scene().held()
    await scene().report(job, 'succeeded')
    scene().clock.advance({ seconds: 200 })
    await scene().jobs.renew([scene().owner(job)], 300, scene().now)
    expect((await scene().stored(job)).availableAt).toEqual(job.availableAt)
  })
}
