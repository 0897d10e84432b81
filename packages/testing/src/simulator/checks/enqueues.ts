import type { Job } from '@svc/core'
import type { NewJob } from '@svc/core/ports'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { isEnded, spell } from './held.ts'

/**
 * Checks an enqueue: it stores one new row, or returns the unfinished job with the same dedupe key. It may
 * pass the serial key of the job on.
 */
export function checkEnqueue(statement: Statement, verdict: Verdict): void {
  const { args, result, changes, before } = statement
  const asked = args[0] as NewJob
  const { job, created } = result as { job: Job; created: boolean }
  const isTwin = ({ job: { dedupeKey, state } }: MemoryJob) =>
    asked.dedupeKey !== undefined && dedupeKey === asked.dedupeKey && !isEnded(state)
  const twin = [...before.ofLicense(asked.licenseId)].find(isTwin)
  const detail = () =>
    `enqueue of ${asked.id} (dedupe key ${asked.dedupeKey}) answered ${job.id}, created ${created}`
  const isRight =
    twin === undefined
      ? created && job.id === asked.id && changes.some(({ id }) => id === asked.id)
      : !created && job.id === twin.job.id && changes.length === 0
  verdict.expect(isRight, 'dedupe key is unique', detail)
  const others = changes.filter(({ id }) => id !== asked.id)
  const isOwnKey = others.every(({ before: old }) => old?.job.serialKey === asked.serialKey)
  verdict.expect(isOwnKey && others.length <= 2, 'an enqueue changes its serial key only', detail)
  const { retryOf } = asked
  const old = retryOf === undefined ? undefined : before.get(retryOf)
  const isRetry = retryOf === undefined || isEnded(old?.job.state)
  verdict.expect(
    isRetry,
    'a retry follows an end',
    () => `${asked.id} is to do the work of ${spell(old)} again`,
  )
}
