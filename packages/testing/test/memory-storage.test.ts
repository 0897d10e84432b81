import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildHeartbeat, buildJob, buildTenant, FakeClock, memoryStorage } from '@svc/testing'

const failing = () => Promise.reject(new Error('on purpose'))

describe('memoryStorage', () => {
  it('a statement outside a transaction waits for its end', async () => {
    const storage = memoryStorage()
    const tenant = buildTenant()
    const seen: string[] = []
    const gate = Promise.withResolvers<void>()
    const transaction = storage.transaction(async ({ tenants }) => {
      await tenants.add(tenant)
      await gate.promise
      seen.push('transaction')
    })
    const outside = storage.tenants.find(PLATFORM, tenant.id).then((found) => seen.push(found?.id ?? 'none'))
    gate.resolve()
    await Promise.all([transaction, outside])
    expect(seen).toEqual(['transaction', tenant.id])
  })

  it('a failed transaction takes back every change of every store, changed, new and removed rows alike', async () => {
    const clock = new FakeClock()
    const storage = memoryStorage(clock)
    const { job } = await storage.jobs.enqueue(buildJob({ serialKey: 'k' }))
    const owner = { licenseId: job.licenseId, fingerprint: 'fp', leaseSeconds: 300 }
    await storage.agents.heartbeat(buildHeartbeat({ ...owner, hostname: 'web-1' }))
    const { job: held } = await storage.jobs.lease({ ...owner, claimKey: undefined })
    const work = storage.transaction(async (stores) => {
      const write = { ...owner, jobId: job.id, attempt: undefined }
      const lines = [{ ts: 1, line: 'x' }]
      await stores.jobs.appendLogs({ ...write, lines, offset: undefined, idempotencyKey: undefined })
      await stores.jobs.report({ ...write, state: 'succeeded', exitCode: 0, error: undefined })
      await stores.jobs.enqueue(buildJob({ id: 'job_new' }))
      await stores.agents.forget(owner.licenseId, owner.fingerprint)
      await stores.tenants.add(buildTenant())
      return failing()
    })
    await expect(work).rejects.toThrow('on purpose')
    expect(await storage.jobs.get(PLATFORM, job.id)).toEqual(held)
    expect(await storage.jobs.get(PLATFORM, 'job_new')).toBeUndefined()
    expect(await storage.jobs.logs(job.id, 0, 10)).toEqual([])
    expect(await storage.agents.list(PLATFORM)).toMatchObject([{ hostname: 'web-1' }])
    expect(await storage.tenants.list(PLATFORM)).toEqual([])
    expect((await storage.jobs.enqueue(buildJob({ serialKey: 'k' }))).job.availableAt).toBeUndefined()
  })

  it('a row that was given out does not change with the storage, nor the storage with what it was given', async () => {
    const storage = memoryStorage()
    const payload = { app: 'shop', list: [1] }
    const { job } = await storage.jobs.enqueue(buildJob({ payload }))
    payload.list.push(2)
    expect((await storage.jobs.get(PLATFORM, job.id))?.payload).toEqual({ app: 'shop', list: [1] })
    await storage.jobs.requestCancel(PLATFORM, {
      jobId: job.id,
      fingerprint: undefined,
      reason: '',
    })
    expect(job.state).toBe('pending')
  })

  it('goes by its clock where a statement is given no instant', async () => {
    const clock = new FakeClock()
    const storage = memoryStorage(clock)
    expect((await storage.jobs.enqueue(buildJob())).job.createdAt).toEqual(clock.now())
    clock.advance({ days: 1 })
    expect((await storage.health()).now).toEqual(clock.now())
    expect((await storage.tenants.add(buildTenant()))?.createdAt).toEqual(clock.now())
  })

  it('two storages know nothing of each other', async () => {
    const [one, other] = [memoryStorage(), memoryStorage()]
    await one.tenants.add(buildTenant())
    expect(await other.tenants.list(PLATFORM)).toEqual([])
  })

  it('is its own kind and has no connections', async () => {
    await using storage = memoryStorage()
    expect(storage.kind).toBe('fake')
    expect(storage.connections()).toBeUndefined()
  })
})
