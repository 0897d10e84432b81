import type { Base } from '../../platform/base.ts'
import { charsOf, MAX_ACCEPTED_LINES } from './job-log.ts'
import type { LogOutcome, LogWrite } from './jobs-store.ts'
import { storedLines } from './stored-lines.ts'

/**
 * Most characters that are redacted before the owner of the job is checked. They take a few milliseconds; for
 * small requests an extra check would be a good part of the cost.
 */
const MAX_UNASKED_CHARS = 64 * 1024

/** The parts that `appendRedacted` works with. */
export interface LogAppendParts extends Pick<Base, 'storage' | 'clock'> {
  readonly leaseSeconds: number
}

/**
 * Appends the lines that one request may store, secrets redacted; undefined if the writer does not own the
 * job.
 */
export async function appendRedacted(
  { storage, clock, leaseSeconds }: LogAppendParts,
  given: Omit<LogWrite, 'leaseSeconds'>,
): Promise<LogOutcome | undefined> {
  const write = { ...given, lines: given.lines.slice(0, MAX_ACCEPTED_LINES), leaseSeconds }
  const append = (changes: Partial<LogWrite>) =>
    storage.jobs.appendLogs({ ...write, ...changes }, clock.statementTime())
  if (charsOf(write.lines) > MAX_UNASKED_CHARS) {
    // A request without lines stores nothing, and tells the owner all the same.
    const asked = await append({ lines: [], offset: undefined, idempotencyKey: undefined })
    if (asked === undefined) return undefined
  }
  return append({ lines: await storedLines(write.lines) })
}
