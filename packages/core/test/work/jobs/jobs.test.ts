// Tests of values that the service passes to its stores.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type JobKind, ofLicense, PLATFORM } from '@svc/core'
import { JOB_KINDS } from '@svc/core/ports'
import { buildLicense, type TestPlane, testPlane } from '@svc/testing'
import { counted } from '../../../../../test/support/counted.ts'

let test: TestPlane
beforeEach(async () => {
  test = testPlane()
  await test.storage.licenses.add(buildLicense({ id: licenseId }))
})
afterEach(() => test[Symbol.asyncDispose]())

const licenseId = 'lic_a'
const source = { type: 'image', image: 'shop:1' }
const PAYLOADS: Readonly<Record<JobKind, object>> = {
  deploy: { app: 'shop', source },
  redeploy: { app: 'shop', source },
  stop: { app: 'shop' },
  remove: { app: 'shop' },
  db: { op: 'create', engine: 'postgresql', name: 'shop' },
  restore: { checksum: 'abc', target: '/srv' },
  firewall: { revision: 1, settings: {} },
  prune: {},
  expose: { app: 'shop', domain: 'shop.example', port: 80 },
  unexpose: { app: 'shop', domain: 'shop.example' },
  backup: { app: 'shop' },
}

describe('a job makes a deployment', () => {
  it.each(JOB_KINDS)('only when it brings an application up: %s', async (kind) => {
    const { job } = await test.plane.jobs.enqueue({ licenseId, kind, payload: PAYLOADS[kind] })
    const made = await test.plane.deployments.list({ licenseId, limit: 10 })
    if (kind !== 'deploy' && kind !== 'redeploy') {
      expect([job.deploymentId, made]).toEqual([undefined, []])
      return
    }
    expect(made).toMatchObject([
      { id: job.deploymentId, jobId: job.id, licenseId, app: 'shop', source, state: 'pending' },
    ])
    expect(job.deploymentId).toMatch(/^dep_/)
  })

  it.each(['deploy', 'redeploy'] as const)('anew when a %s is done again', async (kind) => {
    const { job } = await test.plane.jobs.enqueue({ licenseId, kind, payload: PAYLOADS[kind] })
    await test.plane.jobs.cancel(ofLicense(licenseId), { jobId: job.id, fingerprint: undefined, reason: '' })
    const again = (await test.plane.jobs.retry(PLATFORM, job.id)).job
    const made = await test.plane.deployments.list({ licenseId, limit: 10 })
    expect(made).toMatchObject([
      { id: again.deploymentId, jobId: again.id, state: 'pending' },
      { id: job.deploymentId, jobId: job.id, state: 'failed' },
    ])
    expect(again).toMatchObject({ retryOf: job.id, kind, payload: job.payload })
  })
})

it('a job that is done again has all that was ordered, but its time', async () => {
  const ordered = {
    ...{ licenseId, kind: 'prune' as const, payload: { deep: { note: 'as ordered' } }, target: 'fp-9' },
    ...{ urgent: true, serialKey: 'disk', dedupeKey: 'nightly', maxAttempts: 7, timeoutSeconds: 77 },
  }
  const runAt = new Date(test.clock.now().getTime() + 60_000)
  const { job } = await test.plane.jobs.enqueue({ ...ordered, runAt })
  await test.plane.jobs.cancel(ofLicense(licenseId), { jobId: job.id, fingerprint: undefined, reason: '' })
  const again = (await test.plane.jobs.retry(PLATFORM, job.id)).job
  expect(again).toMatchObject({ ...ordered, retryOf: job.id, state: 'pending', attempt: 0 })
  expect(again.availableAt).not.toEqual(runAt)
})

it('a claim is counted by kind, and by whether another host had the job before', async () => {
  await test.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
  await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-1', claimKey: undefined })
  test.clock.advance({ minutes: 10 })
  await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-2', claimKey: undefined })
  expect(await counted(test.plane, 'svc_jobs_claimed_total')).toEqual({
    '{kind="prune",how="new"}': 1,
    '{kind="prune",how="reclaimed"}': 1,
  })
})

describe('a cancel', () => {
  const cancelled = async (fields: { licenseId?: string; fingerprint?: string } = {}) => {
    const { job } = await test.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-1', claimKey: undefined })
    const scope = fields.licenseId === undefined ? PLATFORM : ofLicense(fields.licenseId)
    const write = { jobId: job.id, fingerprint: fields.fingerprint, reason: 'token=hunter2-hunter2-hunter2' }
    return test.plane.jobs.cancel(scope, write).then(
      ({ effect, job: { cancel } }) => ({ effect, reason: cancel?.reason }),
      ({ code }: { code: string }) => code,
    )
  }

  it('reaches the host that holds the job, its reason without secrets', async () => {
    const asked = { effect: 'requested', reason: expect.not.stringContaining('hunter2') }
    expect(await cancelled()).toEqual(asked)
    expect(await cancelled({ licenseId, fingerprint: 'fp-1' })).toEqual(asked)
  })

  it('of another license or another host is refused', async () => {
    expect(await cancelled({ licenseId: 'lic_b' })).toBe('job-not-found')
    expect(await cancelled({ licenseId, fingerprint: 'fp-2' })).toBe('job-not-found')
  })
})
