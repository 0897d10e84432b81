import { isHeld, type Job, type LogLine, type StoredLine } from '@svc/core'
import {
  type AttemptLines,
  EMPTY_LOG,
  LATE_LOGS_SECONDS,
  type LogOutcome,
  type LogPosition,
  type LogRoom,
  type LogWrite,
  placeLines,
} from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'
import { renewed } from './job-lease-memory.ts'
import type { MemoryJob } from './memory-job.ts'

/** The lines that one request stored. */
export interface LogChunk {
  readonly attempt: number
  readonly lines: readonly StoredLine[]
  readonly accepted: number
  /** The end of the log after these lines. */
  readonly position: LogPosition
  readonly idempotencyKey: string | undefined
}

/** The tables that logs are kept in. */
export interface LogTables {
  readonly jobs: MemoryTable<MemoryJob>
  readonly logs: MemoryTable<readonly LogChunk[]>
}

/** Appends lines of the owner, until ten minutes after the end of the job. */
export function appendLogs({ jobs, logs }: LogTables, write: LogWrite, now: Date): LogOutcome | undefined {
  const row = jobs.get(write.jobId)
  if (row === undefined || !mayWrite(row.job, write, now)) return undefined
  renewed(jobs, row, write.leaseSeconds, now)
  const { attempt, id, state, cancel } = row.job
  const job = { state, cancel }
  const chunks = logs.get(id) ?? []
  const { idempotencyKey } = write
  const again = chunks.find((each) => idempotencyKey !== undefined && each.idempotencyKey === idempotencyKey)
  if (again !== undefined) return { job, stored: 0, accepted: again.accepted, next: again.position.next }
  const before = positionOf(chunks, attempt)
  const { store, accepted, position } = placeLines(before, write.lines, write.offset)
  const lines = store.map((line, index) => ({ ...line, attempt, offset: before.next + index }))
  if (lines.length > 0) logs.put(id, [...chunks, { attempt, lines, accepted, position, idempotencyKey }])
  return { job, stored: lines.length, accepted, next: position.next }
}

/** Stores the first line of the log of a job that no host has had yet. */
export function preface({ jobs, logs }: LogTables, jobId: string, line: LogLine): void {
  const isNew = jobs.get(jobId)?.job.attempt === 0 && (logs.get(jobId) ?? []).length === 0
  if (!isNew) return
  const { position, accepted } = placeLines(EMPTY_LOG, [line], undefined)
  const lines = [{ ...line, attempt: 0, offset: 0 }]
  logs.put(jobId, [{ attempt: 0, lines, accepted, position, idempotencyKey: undefined }])
}

function mayWrite(job: Job, write: LogWrite, now: Date): boolean {
  const owns =
    job.licenseId === write.licenseId &&
    job.claimedBy !== undefined &&
    (write.fingerprint === undefined || write.fingerprint === job.claimedBy) &&
    (write.attempt === undefined || write.attempt === job.attempt)
  const isLate = (end: Date) => end.getTime() + LATE_LOGS_SECONDS * 1000 <= now.getTime()
  return owns && (isHeld(job.state) || (job.finishedAt !== undefined && !isLate(job.finishedAt)))
}

function positionOf(chunks: readonly LogChunk[], attempt: number): LogPosition {
  const last = chunks.at(-1)
  if (last === undefined) return EMPTY_LOG
  return last.attempt === attempt ? last.position : { ...last.position, next: EMPTY_LOG.next }
}

/** Returns stored lines of all attempts: skips `after` lines, then returns as many as fit into `room`. */
export const readLogs = ({ logs }: LogTables, jobId: string, after: number, room: LogRoom): StoredLine[] =>
  (logs.get(jobId) ?? [])
    .flatMap((chunk) => chunk.lines)
    .slice(after)
    .filter((line) => room.takes(line))

/** Returns the number of lines that each attempt stored. */
export function logLengths({ logs }: LogTables, jobId: string): AttemptLines[] {
  const lengths = new Map<number, number>()
  for (const { attempt, lines } of logs.get(jobId) ?? []) {
    lengths.set(attempt, (lengths.get(attempt) ?? 0) + lines.length)
  }
  return [...lengths].map(([attempt, lines]) => ({ attempt, lines }))
}
