import { type Selectable, sql } from 'kysely'
import type { Session } from '../../platform/database/session.ts'
import type { LogRoom, StoredLine } from './job-log.ts'
import { decodeLines } from './job-log-body.ts'
import { statement, type Tables } from './job-tables-sql.ts'
import type { AttemptLines } from './jobs-store.ts'

type ChunkRow = Pick<
  Selectable<Tables['job_log_chunks']>,
  'attempt' | 'first_line' | 'first_offset' | 'lines' | 'body'
>

// Begins at the chunk that holds line $2, so that followers of a long log do not read it again each time.
export const READ = {
  name: 'job-log-read',
  text: `select attempt, first_line, first_offset, lines, body from job_log_chunks
    where job_id = $1 and first_line + lines > $2::bigint and first_line >= coalesce(
      (select max(c.first_line) from job_log_chunks c where c.job_id = $1 and c.first_line <= $2::bigint), 0)
    order by first_line limit 64`,
}

const LENGTHS = statement('job-log-lengths', (tables, { jobId }: { jobId: string }) =>
  tables
    .selectFrom('job_log_chunks')
    .select(['attempt', sql<number>`sum(lines)::int`.as('lines')])
    .where('job_id', '=', jobId)
    .groupBy('attempt')
    .orderBy('attempt'),
)

/** Stored lines of all attempts, `after` of them skipped, as many as `room` has space for. */
export async function readLogs(
  session: Session,
  jobId: string,
  after: number,
  room: LogRoom,
): Promise<readonly StoredLine[]> {
  const found: StoredLine[] = []
  let position = after
  while (!room.isFull) {
    const chunks = await session.rows<ChunkRow>(READ, [jobId, position])
    for (const chunk of chunks) {
      if (room.isFull) break
      await take(chunk, position, room, found)
      position = chunk.first_line + chunk.lines
    }
    if (chunks.length === 0) break
  }
  return found
}

// Appends the lines of the chunk from line `position` of the log on.
async function take(chunk: ChunkRow, position: number, room: LogRoom, found: StoredLine[]): Promise<void> {
  const { attempt, first_line, first_offset } = chunk
  let before = 0
  for await (const { ts, line } of decodeLines(chunk.body)) {
    for (let at = Math.max(0, position - first_line - before); at < line.length; at += 1) {
      const stored = { attempt, offset: first_offset + before + at, ts: ts[at] ?? 0, line: line[at] ?? '' }
      if (!room.takes(stored)) return
      found.push(stored)
    }
    before += line.length
  }
}

/** How many lines each attempt stored. */
export const logLengths = (session: Session, jobId: string): Promise<readonly AttemptLines[]> =>
  LENGTHS.run(session, { jobId })
