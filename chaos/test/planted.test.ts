import { expect, test } from '@jest/globals'
import { pgliteStorage } from '@svc/testing'
import { sample } from '../../test/support/sample.ts'
import { PLANTED } from '../src/bugs/planted.ts'

// Each opens a database of its own, so a run tries a part of them.
const PARTS = 3

test.each(
  sample(
    PLANTED.filter(({ plant }) => plant !== undefined),
    PARTS,
  ),
)(
  '$name: can still be planted, and the service goes on with it',
  async ({ plant }) => {
    await plant?.()
    await using storage = await pgliteStorage()
    const owner = { jobId: 'job_1', licenseId: 'lic_1', fingerprint: 'h', attempt: 1 }
    const status = { ...owner, state: 'running' as const, exitCode: undefined, error: undefined }
    expect(await storage.jobs.report({ ...status, leaseSeconds: 1 })).toBeUndefined()
    const { job } = await storage.jobs.lease({ ...owner, leaseSeconds: 1, claimKey: undefined })
    expect(job).toBeUndefined()
  },
  30_000,
)
