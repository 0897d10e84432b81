import type { Job } from '@svc/core'
import type { NewJob } from '@svc/core/ports'
import type { MemoryJob } from '../../jobs/memory-job.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { isEnded, spell } from './held.ts'

/** Checks an enqueue: it stores one new row, or returns the unfinished job with the same dedupe key. */
export function checkEnqueue({ args, result, changes, before }: Statement, verdict: Verdict): void {
  const asked = args[0] as NewJob
  const { job, created } = result as { job: Job; created: boolean }
  const isTwin = ({ job: { dedupeKey, state } }: MemoryJob) =>
    asked.dedupeKey !== undefined && dedupeKey === asked.dedupeKey && !isEnded(state)
  const twin = [...before.ofLicense(asked.licenseId)].find(isTwin)
  const detail = () =>
    `enqueue of ${asked.id} (dedupe key ${asked.dedupeKey}) answered ${job.id}, created ${created}`
  const isRight =
    twin === undefined
      ? created && job.id === asked.id && changes.length === 1 && changes[0]?.id === asked.id
      : !created && job.id === twin.job.id && changes.length === 0
  verdict.expect(isRight, 'dedupe key is unique', detail)
  const { retryOf } = asked
  const old = retryOf === undefined ? undefined : before.get(retryOf)
  const isRetry = retryOf === undefined || isEnded(old?.job.state)
  verdict.expect(
    isRetry,
    'a retry follows an end',
    () => `${asked.id} is to do the work of ${spell(old)} again`,
  )
}
