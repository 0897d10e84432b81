import { buildId } from '../../build-id.ts'
import { expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../agents/build-heartbeat.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

/** Tests of the jobs that a host may claim, and of their order. */
export function claimContract(scene: Scene): void {
  it('an empty queue gives nothing', async () => {
    expect(await scene().claim()).toEqual({ cancel: [], drained: false, ended: [] })
  })

  it('a claimed job has an owner, an attempt and a lease from now on', async () => {
    const { now } = scene()
    const made = await scene().enqueue({ payload: { env: { A: '***' } }, sealedEnv: 'v1:a' })
    const { job, how } = await scene().claim()
    expect(how).toBe('new')
    const owned = { state: 'claimed', claimedBy: HOST, claimedAt: now, attempt: 1, lost: 0 }
    expect(job).toEqual({ ...made, ...owned, availableAt: scene().in(300) })
    expect(await scene().stored(made)).toEqual(job)
  })

  it('a lease lasts as long as the claim says', async () => {
    await scene().enqueue()
    const { job } = await scene().claim(HOST, { leaseSeconds: 30 })
    expect(job?.availableAt).toEqual(scene().in(30))
  })

  it('a license that is to be checked has to be usable, and the one of the key', async () => {
    const { storage, licenseId } = scene()
    const keyDigest = await scene().license()
    const made = await scene().enqueue()
    const refused = { code: 'unauthorized' }
    await expect(scene().claim(HOST, { keyDigest: buildId('key') })).rejects.toMatchObject(refused)
    await storage.licenses.setStatus(licenseId, 'suspended')
    await expect(scene().claim(HOST, { keyDigest })).rejects.toMatchObject(refused)
    expect(await scene().stored(made)).toEqual(made)
    await storage.licenses.setStatus(licenseId, 'active')
    const together = await Promise.allSettled([
      scene().claim(HOST, { keyDigest }),
      scene().claim(OTHER, { keyDigest: buildId('key') }),
    ])
    expect(together).toMatchObject([{ value: { job: { id: made.id } } }, { reason: refused }])
    await storage.licenses.setStatus(licenseId, 'revoked')
    await expect(scene().claim(HOST, { keyDigest })).rejects.toMatchObject(refused)
  })

  it('the job that has been due longest goes first, of equals the older', async () => {
    const later = await scene().enqueue({ runAt: scene().in(60) })
    const first = await scene().enqueue()
    const second = await scene().enqueue()
    scene().clock.advance({ seconds: 30 })
    const third = await scene().enqueue()
    scene().clock.advance({ minutes: 2 })
    const order = [await scene().claimedId(), await scene().claimedId(), await scene().claimedId()]
    expect(order).toEqual([first.id, second.id, third.id])
    expect(await scene().claimedId()).toBe(later.id)
  })

  it('a job is not handed out before its start, and at its start it is', async () => {
    const { id } = await scene().enqueue({ runAt: scene().in(60) })
    scene().clock.advance(59_999)
    expect(await scene().claimedId()).toBeUndefined()
    scene().clock.advance(1)
    expect(await scene().claimedId()).toBe(id)
  })

  it('a job aimed at a host goes to no other', async () => {
    const { id } = await scene().enqueue({ target: HOST })
    expect(await scene().claimedId(OTHER)).toBeUndefined()
    expect(await scene().claimedId(HOST)).toBe(id)
  })

  it('jobs for this host and jobs for any host stand in one order', async () => {
    const ids = []
    for (const target of ['', HOST, HOST, '', OTHER]) {
      ids.push((await scene().enqueue({ target })).id)
      scene().clock.advance({ seconds: 1 })
    }
    const order = []
    for (let count = 0; count < 5; count += 1) order.push(await scene().claimedId())
    expect(order).toEqual([...ids.slice(0, 4), undefined])
  })

  it('an urgent job goes ahead of all that wait, the older urgent one first', async () => {
    const plain = await scene().enqueue()
    scene().clock.advance({ seconds: 10 })
    const urgent = await scene().enqueue({ urgent: true })
    const aimed = await scene().enqueue({ urgent: true, target: HOST })
    const order = [await scene().claimedId(), await scene().claimedId(), await scene().claimedId()]
    expect(order).toEqual([urgent.id, aimed.id, plain.id])
  })

  it('an urgent job with a start waits for its start', async () => {
    const urgent = await scene().enqueue({ urgent: true, runAt: scene().in(60) })
    expect(await scene().claimedId()).toBeUndefined()
    scene().clock.advance({ seconds: 60 })
    expect(await scene().claimedId()).toBe(urgent.id)
  })

  it('no license sees the queue of another', async () => {
    await scene().enqueue()
    expect(await scene().claimedId(HOST, { licenseId: buildId('lic') })).toBeUndefined()
    await scene().claim()
    scene().clock.advance({ hours: 1 })
    expect(await scene().claimedId(HOST, { licenseId: buildId('lic') })).toBeUndefined()
  })

  it('a finished job is never handed out again', async () => {
    await scene().report(await scene().held(), 'succeeded')
    await scene().report(await scene().held(), 'failed')
    await scene().cancel(await scene().enqueue())
    scene().clock.advance({ days: 30 })
    expect(await scene().claim()).toEqual({ cancel: [], drained: false, ended: [] })
  })

  it('a drained host gets nothing new until it is undrained, and others go on', async () => {
    const { storage, licenseId, now } = scene()
    const { agents } = storage
    await agents.heartbeat(buildHeartbeat({ licenseId, fingerprint: HOST }), now)
    await agents.change(licenseId, HOST, { drained: true }, now)
    const first = await scene().enqueue()
    const second = await scene().enqueue()
    expect(await scene().claim(HOST)).toEqual({ cancel: [], drained: true, ended: [] })
    expect(await scene().claimedId(OTHER)).toBe(first.id)
    await agents.change(licenseId, HOST, { drained: false }, now)
    expect(await scene().claim(HOST)).toMatchObject({ drained: false, job: { id: second.id } })
  })

  it('tells a host which of its jobs to stop', async () => {
    const first = await scene().held()
    const second = await scene().held()
    const others = await scene().held({}, OTHER)
    for (const job of [second, first, others]) await scene().cancel(job)
    expect((await scene().claim(HOST)).cancel).toEqual([first.id, second.id])
    await scene().report(first, 'failed')
    expect((await scene().claim(HOST)).cancel).toEqual([second.id])
  })

  it('right after another host found work a stop, a drain and a suspended license bite all the same', async () => {
    const { storage, licenseId, now } = scene()
    const keyDigest = await scene().license()
    await storage.agents.heartbeat(buildHeartbeat({ licenseId, fingerprint: HOST }), now)
    const running = await scene().held()
    await scene().cancel(running)
    await storage.agents.change(licenseId, HOST, { drained: true }, now)
    for (let count = 0; count < 3; count += 1) await scene().enqueue()
    expect((await scene().claim(OTHER)).how).toBe('new')
    const told = { cancel: [running.id], drained: true, ended: [] }
    expect(await scene().claim(HOST, { keyDigest })).toEqual(told)
    await storage.agents.change(licenseId, HOST, { drained: false }, now)
    await storage.licenses.setStatus(licenseId, 'suspended')
    expect((await scene().claim(OTHER)).how).toBe('new')
    await expect(scene().claim(HOST, { keyDigest })).rejects.toMatchObject({ code: 'unauthorized' })
    expect((await scene().claim(OTHER)).how).toBe('new')
  })

  it('many claims at one instant get a job each', async () => {
    const ids = []
    for (let count = 0; count < 12; count += 1) ids.push((await scene().enqueue()).id)
    const claims = Array.from({ length: 16 }, (_, index) => scene().claimedId(`host-${index}`))
    const got = (await Promise.all(claims)).filter((id) => id !== undefined)
    expect(got.sort()).toEqual(ids.sort())
  })
}
