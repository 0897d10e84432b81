import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

/** Tests of storing and reading a job's log. */
export function logsContract(scene: Scene): void {
  it('keeps lines in the order of the requests and inside each', async () => {
    const job = await scene().held()
    expect(await scene().append(job, ['a', 'b'])).toMatchObject({ accepted: 2, stored: 2, next: 2 })
    expect(await scene().append(job, ['c'])).toMatchObject({ accepted: 1, stored: 1, next: 3 })
    expect(await scene().jobs.logs(job.id, 0, 10)).toEqual([
      { attempt: 1, offset: 0, ts: 0, line: 'a' },
      { attempt: 1, offset: 1, ts: 1, line: 'b' },
      { attempt: 1, offset: 2, ts: 0, line: 'c' },
    ])
    expect(await scene().jobs.logLengths(job.id)).toEqual([{ attempt: 1, lines: 3 }])
  })

  it('keeps times that are no whole seconds, and text that no database column holds', async () => {
    const job = await scene().held()
    const lines = [
      { ts: 1_760_000_000.25, line: 'nul \u0000, lone \ud800, emoji 🚀, quote " and \\' },
      { ts: -1e300, line: '' },
    ]
    await scene().append(job, [], { lines })
    expect(await scene().jobs.logs(job.id, 0, 10)).toMatchObject(lines)
  })

  it('reads on from any line, over the bounds of requests', async () => {
    const job = await scene().held()
    for (const texts of [['0', '1', '2'], ['3'], ['4', '5'], ['6']]) await scene().append(job, texts)
    const all = ['0', '1', '2', '3', '4', '5', '6']
    for (let after = 0; after <= 8; after += 1) {
      expect(await scene().lines(job, after)).toEqual(all.slice(after))
      expect(await scene().lines(job, after, 2)).toEqual(all.slice(after, after + 2))
    }
  })

  it('reads as many characters as it is told, and always one line', async () => {
    const job = await scene().held()
    for (const texts of [['aaaa', 'bb'], ['cccc'], ['', 'd']]) await scene().append(job, texts)
    const read = async (after: number, chars: number) =>
      (await scene().jobs.logs(job.id, after, 10, chars)).map(({ line }) => line)
    expect(await read(0, 5)).toEqual(['aaaa'])
    expect(await read(0, 6)).toEqual(['aaaa', 'bb'])
    expect(await read(0, 9)).toEqual(['aaaa', 'bb'])
    expect(await read(2, 1)).toEqual(['cccc'])
    expect(await read(2, 4)).toEqual(['cccc', ''])
    expect(await read(0, 11)).toEqual(['aaaa', 'bb', 'cccc', '', 'd'])
  })

  it('a job without output has none', async () => {
    const job = await scene().held()
    expect(await scene().append(job, [])).toMatchObject({ accepted: 0, stored: 0, next: 0 })
    expect(await scene().lines(job)).toEqual([])
    expect(await scene().jobs.logLengths(job.id)).toEqual([])
    expect(await scene().jobs.logs(buildId('job'), 0, 10)).toEqual([])
  })

  it('reads more requests than one read of the database brings', async () => {
    const job = await scene().held()
    for (let count = 0; count < 150; count += 1) await scene().append(job, [`${count}`])
    expect(await scene().lines(job, 10)).toEqual(Array.from({ length: 140 }, (_, index) => `${index + 10}`))
  })

  it('with an offset, lines stored before are taken and not stored again', async () => {
    const job = await scene().held()
    await scene().append(job, ['a', 'b', 'c'], { offset: 0 })
    expect(await scene().append(job, ['a', 'b', 'c'], { offset: 0 })).toMatchObject({
      accepted: 3,
      stored: 0,
      next: 3,
    })
    expect(await scene().append(job, ['c', 'd'], { offset: 2 })).toMatchObject({
      accepted: 2,
      stored: 1,
      next: 4,
    })
    expect(await scene().lines(job)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('a gap stores nothing and says where to go on', async () => {
    const job = await scene().held()
    await scene().append(job, ['a'], { offset: 0 })
    expect(await scene().append(job, ['c'], { offset: 2 })).toMatchObject({ accepted: 0, stored: 0, next: 1 })
    expect(await scene().append(job, ['c'], { offset: 2 ** 40 })).toMatchObject({ accepted: 0, next: 1 })
    expect(await scene().lines(job)).toEqual(['a'])
  })

  it('no lines store nothing, and say whose job it is and where its log stands', async () => {
    const job = await scene().held()
    await scene().append(job, ['a', 'b'], { offset: 0 })
    expect(await scene().append(job, [])).toMatchObject({ accepted: 0, stored: 0, next: 2 })
    for (const stranger of [{ fingerprint: OTHER }, { licenseId: buildId('lic') }, { attempt: 2 }]) {
      expect(await scene().append(job, [], stranger)).toBeUndefined()
    }
    expect(await scene().lines(job)).toEqual(['a', 'b'])
  })

  it('a new attempt begins at offset 0, behind the lines of the one before', async () => {
    const job = await scene().held()
    await scene().append(job, ['old 0', 'old 1'], { offset: 0 })
    scene().clock.advance({ seconds: 300 })
    await scene().claim(OTHER)
    const owner = { fingerprint: OTHER, attempt: 2 }
    expect(await scene().append(job, ['new 0'], { ...owner, offset: 0 })).toMatchObject({
      stored: 1,
      next: 1,
    })
    expect(await scene().append(job, ['new 1'], owner)).toMatchObject({ stored: 1, next: 2 })
    expect(await scene().lines(job)).toEqual(['old 0', 'old 1', 'new 0', 'new 1'])
    expect(await scene().jobs.logs(job.id, 2, 1)).toMatchObject([{ attempt: 2, offset: 0 }])
    expect(await scene().jobs.logLengths(job.id)).toEqual([
      { attempt: 1, lines: 2 },
      { attempt: 2, lines: 2 },
    ])
  })

  it('lines of no named attempt are of the one that runs, and begin at its offset 0', async () => {
    const job = await scene().held()
    await scene().append(job, ['old 0', 'old 1'])
    scene().clock.advance({ seconds: 300 })
    await scene().claim()
    await scene().report(job, 'running')
    expect(await scene().append(job, ['new 0'])).toMatchObject({ stored: 1, next: 1 })
    expect(await scene().append(job, ['new 1'])).toMatchObject({ stored: 1, next: 2 })
    expect(await scene().jobs.logLengths(job.id)).toEqual([
      { attempt: 1, lines: 2 },
      { attempt: 2, lines: 2 },
    ])
  })

  it('without a fingerprint the license alone is the owner', async () => {
    const job = await scene().held()
    expect(await scene().append(job, ['x'], { fingerprint: undefined })).toMatchObject({ stored: 1 })
    const stranger = { fingerprint: undefined, licenseId: buildId('lic') }
    expect(await scene().append(job, ['x'], stranger)).toBeUndefined()
    const free = await scene().enqueue()
    expect(await scene().append(free, ['x'], { fingerprint: undefined })).toBeUndefined()
  })

  it('lines may come for 600 s after the end, not later', async () => {
    const job = await scene().held()
    await scene().report(job, 'succeeded')
    scene().clock.advance(599_999)
    expect(await scene().append(job, ['last words'])).toMatchObject({ stored: 1 })
    scene().clock.advance(1)
    expect(await scene().append(job, ['too late'])).toBeUndefined()
    expect(await scene().lines(job)).toEqual(['last words'])
  })

  it('late lines do not renew the lease of a job that has ended', async () => {
    const job = await scene().held()
    await scene().report(job, 'succeeded')
    scene().clock.advance({ seconds: 400 })
    await scene().append(job, ['last words'])
    expect((await scene().stored(job)).availableAt).toEqual(job.availableAt)
  })

  it('an answer to lines carries the job, so that a cancel is heard', async () => {
    const job = await scene().held()
    await scene().cancel(job)
    expect(await scene().append(job, ['x'])).toMatchObject({
      job: { state: job.state, cancel: { reason: 'asked' } },
    })
    expect(await scene().append(job, ['x'], { fingerprint: HOST })).toMatchObject({ next: 2 })
  })
}
