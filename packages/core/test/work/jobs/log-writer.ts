import { LEASE_SECONDS } from '@svc/core/ports'
import { Scratch } from '../../../src/platform/database/scratch.ts'
import type { Rows } from '../../../src/platform/database/session.ts'
import { appendLogs } from '../../../src/work/jobs/job-log-append-sql.ts'
import type { LogOutcome } from '../../../src/work/jobs/jobs-store.ts'
import { LogPositions } from '../../../src/work/jobs/log-positions.ts'

/** A client that runs statements. */
interface Client {
  query(text: string, params?: unknown[]): Promise<unknown>
}

/** Stores a job that the host holds; `set`: the columns that differ from the usual. */
export async function hold(client: Client, id: string, set = ''): Promise<string> {
  await client.query(
    `insert into jobs (id, license_id, kind, payload, max_attempts, timeout_seconds, state, claimed_by, attempt, available_at)
      values ($1, 'lic', 'deploy', '{}', 3, 3600, 'running', 'fp', 1, now() + interval '300 s')`,
    [id],
  )
  if (set !== '') await client.query(`update jobs set ${set} where id = $1`, [id])
  return id
}

/** Makes a process that writes a line to logs of the host's jobs; it knows those logs from its own writes. */
export function logWriter(
  rows: Rows,
): (jobIds: readonly string[]) => Promise<readonly (LogOutcome | undefined)[]> {
  const memory = { positions: new LogPositions(), scratch: new Scratch() }
  const write = { licenseId: 'lic', fingerprint: 'fp', attempt: 1, leaseSeconds: LEASE_SECONDS }
  const said = { lines: [{ ts: 0, line: 'x' }], offset: undefined, idempotencyKey: undefined }
  return (jobIds) =>
    appendLogs(
      jobIds.map((jobId) => ({ write: { ...write, ...said, jobId }, now: undefined })),
      rows,
      memory,
    )
}
