import type { Clock } from '../../kernel/clock.ts'
import type { JobCounts } from '../../work/jobs/jobs-store.ts'
import type { LogMonthsFault } from '../../work/retention/retention-store.ts'
import type { NamedCheck } from './system-check.ts'

/** Checks whether ticks run: without them no monitor runs and no alert is delivered. */
export const schedulerCheck = (parts: {
  readonly lastTick: () => Promise<Date | undefined>
  readonly clock: Clock
  /** The longest allowed time between two ticks. */
  readonly stallSeconds: number
}): NamedCheck => ({
  name: 'scheduler',
  run: async () => {
    const last = await parts.lastTick()
    if (last === undefined) return { status: 'warn', detail: 'never-ran' }
    const age = parts.clock.now().getTime() - last.getTime()
    return age > parts.stallSeconds * 1000 ? { status: 'fail', detail: 'stalled' } : { status: 'ok' }
  },
})

/** How long a due job may wait for a host before the check warns. */
const OLDEST_SECONDS = 900

/** Checks whether hosts claim their jobs and renew their leases. */
export const queuesCheck = (counts: () => Promise<JobCounts>): NamedCheck => ({
  name: 'queues',
  run: async () => {
    const { oldestClaimableSeconds, expiredLeases } = await counts()
    if (expiredLeases > 0) return { status: 'warn', detail: 'lease-expired' }
    return oldestClaimableSeconds > OLDEST_SECONDS
      ? { status: 'warn', detail: 'job-waits' }
      : { status: 'ok' }
  },
})

/** Checks whether jobs and logs past their retention go. */
export const retentionCheck = (
  finding: () => Promise<'not-accepted' | 'archive-missing' | LogMonthsFault | undefined>,
): NamedCheck => ({
  name: 'retention',
  run: async () => {
    const detail = await finding()
    if (detail === undefined) return { status: 'ok' }
    return { status: detail === 'archive-missing' ? 'fail' : 'warn', detail }
  },
})

/** Checks whether the chat has documents to answer from. `isClosed`: its settings are bad. */
export const docsIndexCheck = (documents: () => Promise<number>, isClosed: boolean): NamedCheck => ({
  name: 'docs-index',
  run: async () => {
    if (isClosed) return { status: 'skipped', detail: 'bad-setting' }
    return (await documents()) > 0 ? { status: 'ok' } : { status: 'warn', detail: 'no-documents' }
  },
})

/** Checks whether the mail relay takes messages. `relayState`: undefined if no relay is set. */
export const emailRelayCheck = (
  relayState: () => Promise<'up' | 'down' | undefined>,
  isClosed: boolean,
): NamedCheck => ({
  name: 'email-relay',
  run: async () => {
    if (isClosed) return { status: 'skipped', detail: 'bad-setting' }
    const state = await relayState()
    if (state === undefined) return { status: 'skipped', detail: 'not-configured' }
    return state === 'up' ? { status: 'ok' } : { status: 'warn', detail: 'no-answer' }
  },
})
