import type { Clock } from '../clock.ts'
import type { Storage } from '../storage/storage.ts'
import { charsOf, MAX_ACCEPTED_LINES } from './job-log.ts'
import type { LogOutcome, LogWrite } from './jobs-store.ts'
import { storedLines } from './stored-lines.ts'

/**
 * Characters of lines that are redacted before anybody asks whose job it is. So much takes a few
 * milliseconds, and a question of its own would be a good part of what a small request costs.
 */
const MAX_UNASKED_CHARS = 64 * 1024

/** The services that lines are appended with. */
export interface LogAppendParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly leaseSeconds: number
}

/**
 * Appends what may be taken of the lines, secrets redacted; undefined when the writer does not own the job.
 */
export async function appendRedacted(
  { storage, clock, leaseSeconds }: LogAppendParts,
  given: Omit<LogWrite, 'leaseSeconds'>,
): Promise<LogOutcome | undefined> {
  const write = { ...given, lines: given.lines.slice(0, MAX_ACCEPTED_LINES), leaseSeconds }
  const append = (changes: Partial<LogWrite>) =>
    storage.jobs.appendLogs({ ...write, ...changes }, clock.forStores())
  if (charsOf(write.lines) > MAX_UNASKED_CHARS) {
    // Nothing is stored of no lines, and the answer is the same.
    const asked = await append({ lines: [], offset: undefined, idempotencyKey: undefined })
    if (asked === undefined) return undefined
  }
  return append({ lines: await storedLines(write.lines) })
}
