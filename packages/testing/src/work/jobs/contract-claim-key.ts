import { ofLicense } from '@svc/core'
import { expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../agents/build-heartbeat.ts'
import { HOST, OTHER, type Scene } from './jobs-scene.ts'

const KEY = { claimKey: 'claim-1' }

/** Tests of claims that are repeated after a lost answer. */
export function claimKeyContract(scene: Scene): void {
  it('the same key gets the same job while it is claimed', async () => {
    const first = await scene().enqueue()
    await scene().enqueue()
    expect(await scene().claimedId(HOST, KEY)).toBe(first.id)
    const again = await scene().claim(HOST, KEY)
    expect(again).toMatchObject({ how: 'repeated', job: { id: first.id, attempt: 1, state: 'claimed' } })
  })

  it('a repeat renews the lease when little of it is left', async () => {
    await scene().enqueue()
    const { job } = await scene().claim(HOST, KEY)
    scene().clock.advance({ seconds: 60 })
    expect((await scene().claim(HOST, KEY)).job?.availableAt).toEqual(job?.availableAt)
    scene().clock.advance({ seconds: 1 })
    expect((await scene().claim(HOST, KEY)).job?.availableAt).toEqual(scene().in(300))
  })

  it('a repeat under a suspended license renews nothing, right after others found work either', async () => {
    const keyDigest = await scene().license()
    await scene().enqueue()
    const { job } = await scene().claim(HOST, KEY)
    await scene().storage.licenses.setStatus(scene().licenseId, 'suspended')
    scene().clock.advance({ seconds: 200 })
    await scene().held({}, OTHER)
    const refused = { code: 'unauthorized' }
    await expect(scene().claim(HOST, { ...KEY, keyDigest })).rejects.toMatchObject(refused)
    expect(await scene().stored(job ?? { id: '' })).toEqual(job)
  })

  it('a repeat after the lease keeps a job that nobody took', async () => {
    const { id } = await scene().enqueue()
    await scene().claim(HOST, KEY)
    scene().clock.advance({ seconds: 301 })
    expect(await scene().claim(HOST, KEY)).toMatchObject({ how: 'repeated', job: { id, lost: 0 } })
    expect(await scene().claimedId(OTHER)).toBeUndefined()
  })

  it('another key, and no key, get another job', async () => {
    const ids = [(await scene().enqueue()).id, (await scene().enqueue()).id, (await scene().enqueue()).id]
    const got = [await scene().claimedId(HOST, KEY), await scene().claimedId(HOST, { claimKey: 'claim-2' })]
    expect([...got, await scene().claimedId(HOST)]).toEqual(ids)
  })

  it('the key of one host means nothing to another', async () => {
    const ids = [(await scene().enqueue()).id, (await scene().enqueue()).id]
    expect([await scene().claimedId(HOST, KEY), await scene().claimedId(OTHER, KEY)]).toEqual(ids)
  })

  it('once the job runs or has left the host, the key gets a new one', async () => {
    const [first, second] = [await scene().enqueue(), await scene().enqueue()]
    await scene().claim(HOST, KEY)
    await scene().report(first, 'running')
    expect(await scene().claim(HOST, KEY)).toMatchObject({ how: 'new', job: { id: second.id } })
    await scene().report(second, 'pending')
    expect(await scene().claim(HOST, KEY)).toMatchObject({ how: 'new', job: { id: second.id, attempt: 2 } })
  })

  it('a key whose job ran until its lease was over takes that job again, as a new attempt', async () => {
    const job = await scene().enqueue()
    await scene().claim(HOST, KEY)
    await scene().report(job, 'running')
    scene().clock.advance({ seconds: 301 })
    const again = { id: job.id, attempt: 2, lost: 1 }
    expect(await scene().claim(HOST, KEY)).toMatchObject({ how: 'reclaimed', job: again })
  })

  it('a key whose job ran until its lease was over may get another job that waits for longer', async () => {
    const [first, second] = [await scene().enqueue(), await scene().enqueue()]
    await scene().claim(HOST, KEY)
    await scene().report(first, 'running')
    scene().clock.advance({ seconds: 301 })
    expect(await scene().claim(HOST, KEY)).toMatchObject({ how: 'new', job: { id: second.id } })
    expect(await scene().claimedId(OTHER)).toBe(first.id)
  })

  it('a drained host gets the answer that it lost', async () => {
    const { storage, licenseId, now } = scene()
    const { id } = await scene().enqueue()
    await scene().claim(HOST, KEY)
    await storage.agents.heartbeat(buildHeartbeat({ licenseId, fingerprint: HOST }), now)
    await storage.agents.change(licenseId, HOST, { drained: true }, now)
    expect(await scene().claim(HOST, KEY)).toMatchObject({ how: 'repeated', drained: true, job: { id } })
  })

  it('repeats at one instant get one job', async () => {
    for (let count = 0; count < 8; count += 1) await scene().enqueue()
    const got = await Promise.all(Array.from({ length: 8 }, () => scene().claimedId(HOST, KEY)))
    expect(new Set(got).size).toBe(1)
    const { jobs, licenseId } = scene()
    expect(await jobs.list(ofLicense(licenseId), { state: 'claimed', limit: 10 })).toHaveLength(1)
  })
}
