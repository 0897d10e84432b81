import type { Storage } from '@svc/core'
import type { NewEndpoint } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { buildJob } from '../../work/jobs/build-job.ts'
import { buildEndpoint } from './build-endpoint.ts'

export const LEASE_SECONDS = 300

/** Makes a license with one endpoint. */
export async function webhookScene(storage: Storage, given: Partial<NewEndpoint> = {}) {
  const { webhooks, jobs } = storage
  const clock = new FakeClock()
  const endpoint = buildEndpoint({ tenantId: buildId('ten'), ...given })
  const { id, licenseId, tenantId } = endpoint
  await webhooks.add(endpoint, 10, clock.now())
  const told = async (of = id) => {
    const filter = { endpointId: of, states: undefined, after: undefined, limit: 100 }
    const found = await webhooks.deliveries(filter, clock.now())
    return found.toReversed()
  }
  const types = async (of = id) => (await told(of)).map(({ type }) => type)
  const dataOf = async (type: string) => {
    const found = (await told()).find((each) => each.type === type)
    const { body } = (await webhooks.delivery(id, found?.id ?? '')) ?? { body: '{}' }
    return JSON.parse(body) as { readonly timestamp: string; readonly data: object }
  }
  const owner = { licenseId, fingerprint: 'fp-0123456789ab' }
  const enqueue = async () => {
    const job = buildJob({ licenseId })
    await jobs.enqueue(job, clock.now())
    return job
  }
  const claim = (fingerprint = owner.fingerprint) =>
    jobs.lease({ licenseId, fingerprint, leaseSeconds: LEASE_SECONDS, claimKey: undefined }, clock.now())
  const report = (jobId: string, state: 'running' | 'succeeded' | 'failed') => {
    const word = { exitCode: 3, error: 'boom', attempt: undefined, leaseSeconds: LEASE_SECONDS }
    return jobs.report({ ...owner, ...word, jobId, state }, clock.now())
  }
  return { ...owner, id, tenantId, endpoint, clock, told, types, dataOf, enqueue, claim, report }
}
