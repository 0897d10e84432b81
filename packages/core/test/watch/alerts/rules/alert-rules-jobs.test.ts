import { expect, it } from '@jest/globals'
import { type Job, PLATFORM } from '@svc/core'
import { UNCONFIRMED_ERROR } from '@svc/core/ports'
import { buildHeartbeat, buildJob, FakeClock, memoryStorage } from '@svc/testing'
import { jobConditions } from '../../../../src/watch/alerts/rules/alert-rules-jobs.ts'

async function summary(fields: Partial<Job>): Promise<string | undefined> {
  const { jobs, agents } = memoryStorage(new FakeClock())
  const host = { licenseId: 'lic_1', fingerprint: 'fp-1' }
  await agents.heartbeat(buildHeartbeat({ ...host, hostname: 'vm' }))
  const { job } = await jobs.enqueue(buildJob({ licenseId: 'lic_1', kind: 'db' }))
  const failed = { ...job, state: 'failed', claimedBy: 'fp-1', ...fields } as const
  return jobConditions([failed], await agents.list(PLATFORM))[0]?.summary
}

it('the alert of a failed job names the job, its host and its error', async () => {
  expect(await summary({ error: 'no handler for db' })).toBe('job db on vm failed: no handler for db')
  const deploy = { kind: 'deploy', app: 'shop' } as const
  expect(await summary({ ...deploy, error: 'exit code 1' })).toBe(
    'job deploy of shop on vm failed: exit code 1',
  )
  expect(await summary({ claimedBy: 'fp-2', error: 'x' })).toBe('job db on agt_fp-2 failed: x')
  expect(await summary({ claimedBy: undefined, error: 'x' })).toBe('job db failed: x')
})

it('of an error it has the first line, 200 characters at most, and nothing of none', async () => {
  expect(await summary({ error: '\n one \r\n two' })).toBe('job db on vm failed: one ')
  expect(await summary({ error: '  ' })).toBe('job db on vm failed')
  expect(await summary({ error: undefined })).toBe('job db on vm failed')
  expect(await summary({ error: '😀'.repeat(200) })).toBe(`job db on vm failed: ${'😀'.repeat(200)}`)
  expect(await summary({ error: '😀'.repeat(201) })).toBe(`job db on vm failed: ${'😀'.repeat(200)}…`)
})

it('a lost job and an unconfirmed cancel are said without their fixed error', async () => {
  expect(await summary({ lost: 3, maxAttempts: 3, error: 'lost: host agt_x went silent' })).toBe(
    'job db on vm was lost: its hosts went silent while they held it',
  )
  const cancel = { at: new FakeClock().now(), reason: 'operator' }
  expect(await summary({ cancel, error: UNCONFIRMED_ERROR })).toBe(
    'job db on vm was cancelled, and its host did not confirm that the work stopped',
  )
})
