import { expect, it } from '../../runner.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

/** Tests of the owner's reports: the transitions from claimed, running and the terminal states. */
export function reportContract(scene: Scene): void {
  it('running begins the work and is written once', async () => {
    const job = await scene().held()
    scene().clock.advance({ seconds: 5 })
    const began = scene().now
    expect(await scene().report(job, 'running')).toMatchObject({
      effect: 'renewed',
      job: { state: 'running' },
    })
    expect((await scene().stored(job)).startedAt).toEqual(began)
    scene().clock.advance({ seconds: 90 })
    expect(await scene().report(job, 'running')).toMatchObject({
      job: { state: 'running' },
    })
    expect((await scene().stored(job)).startedAt).toEqual(began)
  })

  it('claimed after running steps not back', async () => {
    const job = await scene().held()
    expect(await scene().report(job, 'claimed')).toMatchObject({
      effect: 'renewed',
      job: { state: 'claimed' },
    })
    await scene().report(job, 'running')
    expect(await scene().report(job, 'claimed')).toMatchObject({
      effect: 'renewed',
      job: { state: 'running' },
    })
    expect((await scene().stored(job)).state).toBe('running')
  })

  it.each(['succeeded', 'failed'] as const)('%s ends the job, with exit code and error', async (state) => {
    const job = await scene().held()
    await scene().report(job, 'running')
    scene().clock.advance({ seconds: 42 })
    const word = { exitCode: 3, error: 'what it said' }
    const outcome = await scene().report(job, state, word)
    expect(outcome).toMatchObject({ effect: 'finished', job: { state, finishedAt: scene().now } })
    const ended = { ...outcome?.job, ...word, claimedBy: HOST }
    expect(await scene().stored(job)).toMatchObject(ended)
  })

  it('a job may end without having said that it runs', async () => {
    const job = await scene().held()
    const outcome = await scene().report(job, 'succeeded', { exitCode: 0 })
    expect(outcome).toMatchObject({ effect: 'finished', job: { state: 'succeeded' } })
    expect(await scene().stored(job)).toMatchObject({ exitCode: 0, startedAt: undefined })
  })

  it('exit code and error count with an end only', async () => {
    const job = await scene().held()
    await scene().report(job, 'running', { exitCode: 1, error: 'too early' })
    expect(await scene().stored(job)).toMatchObject({ exitCode: undefined, error: undefined })
  })

  it('keeps exit codes that no process has', async () => {
    const [one, other] = [await scene().held(), await scene().held()]
    await scene().report(one, 'failed', { exitCode: -1 })
    await scene().report(other, 'failed', { exitCode: Number.MAX_SAFE_INTEGER })
    expect((await scene().stored(one)).exitCode).toBe(-1)
    expect((await scene().stored(other)).exitCode).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('the first end wins: whatever its owner says later is heard and changes nothing', async () => {
    const job = await scene().held()
    await scene().report(job, 'failed', { exitCode: 1 })
    const ended = await scene().stored(job)
    const { id, kind, state: end, claimedAt, finishedAt, cancel } = ended
    const told = { id, kind, state: end, claimedAt, finishedAt, cancel }
    scene().clock.advance({ seconds: 30 })
    for (const state of ['succeeded', 'running', 'pending', 'claimed', 'failed'] as const) {
      expect(await scene().report(job, state, { exitCode: 0 })).toEqual({ effect: 'ignored', job: told })
    }
    expect(await scene().stored(job)).toEqual(ended)
  })

  it('pending gives the job back: due at once, nobody’s, no lease lost', async () => {
    const job = await scene().held()
    await scene().report(job, 'running')
    scene().clock.advance({ seconds: 10 })
    const { now } = scene()
    const outcome = await scene().report(job, 'pending')
    const free = { state: 'pending', claimedBy: undefined, availableAt: now, attempt: 1, lost: 0 }
    expect(outcome).toMatchObject({ effect: 'given-back', job: { state: 'pending' } })
    expect(await scene().stored(job)).toMatchObject(free)
    expect(await scene().claim(OTHER)).toMatchObject({ how: 'new', job: { id: job.id, attempt: 2, lost: 0 } })
  })

  it('a job given back stands behind those that were due before', async () => {
    const job = await scene().held()
    const waiting = await scene().enqueue()
    scene().clock.advance({ seconds: 10 })
    await scene().report(job, 'pending')
    expect([await scene().claimedId(OTHER), await scene().claimedId(OTHER)]).toEqual([waiting.id, job.id])
  })

  it('an urgent job given back goes ahead again', async () => {
    const job = await scene().held({ urgent: true })
    await scene().enqueue()
    scene().clock.advance({ seconds: 10 })
    await scene().report(job, 'pending')
    expect(await scene().claimedId(OTHER)).toBe(job.id)
  })

  it('a cancelled job given back has failed', async () => {
    const job = await scene().held()
    await scene().cancel(job)
    const outcome = await scene().report(job, 'pending')
    const ending = { state: 'failed', finishedAt: scene().now }
    expect(outcome).toMatchObject({ effect: 'finished', job: ending })
    const error = 'cancelled; the host gave it back'
    expect(await scene().stored(job)).toMatchObject({ ...ending, error })
  })

  it('a job that succeeded in spite of a cancel has succeeded', async () => {
    const job = await scene().held()
    await scene().cancel(job)
    expect(await scene().report(job, 'running')).toMatchObject({
      effect: 'renewed',
      job: { state: 'running' },
    })
    expect(await scene().report(job, 'succeeded')).toMatchObject({ job: { state: 'succeeded' } })
  })
}
