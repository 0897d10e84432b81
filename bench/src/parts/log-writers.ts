import { hash } from 'node:crypto'
import { createControlPlane, readConfig } from '@svc/core'
import { migrate, openStorage } from '@svc/core/sql'
import pg from 'pg'
import { Batch } from '../../../packages/core/src/platform/database/batch.ts'
import { Scratch } from '../../../packages/core/src/platform/database/scratch.ts'
import { appendLogs, type LogItem } from '../../../packages/core/src/work/jobs/job-log-append-sql.ts'
import { encodeLines } from '../../../packages/core/src/work/jobs/job-log-body.ts'
import { LogPositions } from '../../../packages/core/src/work/jobs/log-positions.ts'
import { fingerprint, licenseId, withClient } from '../fleet.ts'
import { closedLoop, type LoopRequest } from '../loop.ts'
import type { Part, StartPart } from '../part.ts'
import { BareBatch } from './bare-batch.ts'
import { bareLanes } from './bare-lanes.ts'

const WAYS = { svc, append, rows, writes, bare }

/** How lines are kept, and how many come at once. */
export interface LogWritersOptions {
  readonly way: keyof typeof WAYS
  readonly databaseUrl: string
  readonly lines: number
}

interface Line {
  readonly ts: number
  readonly line: string
}

/** Lines of one request. */
interface Chunk {
  readonly job: string
  readonly lines: readonly Line[]
}

/** Lines of all jobs are read back from one that was written to at the start. */
interface LogKeeper extends AsyncDisposable {
  append(job: string, lines: readonly Line[]): Promise<void>
  read(job: string, count: number): Promise<readonly Line[]>
}

/** Enough that no log comes near its cap. */
const JOBS = 2048
const LINE_CHARS = 80
const DIGEST_CHARS = 24
const APPENDED = 1000

const jobId = (number: number) => `job_${String(number).padStart(26, '0')}`

const HELD = `insert into jobs (id, license_id, kind, state, payload, claimed_by, claimed_at, attempt, available_at,
    max_attempts, timeout_seconds)
  select 'job_' || lpad(n::text, 26, '0'), $1, 'deploy', 'running', '{}', $2, now(), 1, now() + interval '1 day', 3, 86400
  from generate_series(0, $3::int) n`

const digest = (number: number) => hash('sha256', String(number)).slice(0, DIGEST_CHARS)

const linesOf = (count: number, from = 0): readonly Line[] =>
  Array.from({ length: count }, (_, at) => ({
    ts: 1_760_000_000 + (from + at) / 10,
    // A digest in each: lines that only repeat would compress as no log does.
    line: `#${from + at} exporting layer sha256:${digest(from + at)} done`.padEnd(LINE_CHARS, '.'),
  }))

/** Writers that append to jobs in turn, and readers of one long log. */
export const start: StartPart<LogWritersOptions> = async ({ way, databaseUrl, lines }): Promise<Part> => {
  await migrate(databaseUrl)
  await withClient(databaseUrl, (client) => client.query(HELD, [licenseId(0), fingerprint(0), JOBS]))
  const keeper = await WAYS[way](databaseUrl)
  const sent = linesOf(lines)
  let next = 0
  const write = async () => {
    const job = next
    next = (next + 1) % JOBS
    await keeper.append(jobId(job), sent)
    return true
  }
  const long = jobId(JOBS)
  let written = 0
  const fill = async (count: number) => {
    for (; written < count; written += APPENDED) await keeper.append(long, linesOf(APPENDED, written))
  }
  const read = async () => {
    const found = await keeper.read(long, written)
    const [last] = found.slice(-1)
    if (found.length !== written || !last?.line.startsWith(`#${written - 1} `))
      throw new Error('lines are missing')
    return true
  }
  return {
    commands: {
      fill,
      run: (request: LoopRequest) => closedLoop(request, written > 0 ? read : write),
    },
    stop: async () => keeper[Symbol.asyncDispose](),
  }
}

const onlyWritten = () => Promise.reject(new Error('it is only written'))

/** The product's log, redaction included. */
async function svc(url: string): Promise<LogKeeper> {
  const storage = await openStorage({ url })
  const { jobs } = createControlPlane({ config: readConfig({ NODE_ENV: 'production' }), storage })
  const owner = { licenseId: licenseId(0), fingerprint: fingerprint(0), attempt: 1 }
  return {
    append: async (job, lines) => {
      const write = { ...owner, jobId: job, lines, offset: undefined, idempotencyKey: undefined }
      const { accepted } = await jobs.appendLogs(write)
      if (accepted !== lines.length) throw new Error(`${accepted} of ${lines.length} lines were taken`)
    },
    read: (job, count) => jobs.logs(job, 0, count),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

const CREATE = `create table job_log_lines (job_id text not null, seq bigint generated always as identity,
  ts float8 not null, line text not null, primary key (job_id, seq))`
const INSERT = {
  name: 'append',
  text: `insert into job_log_lines (job_id, ts, line) select j.id, l.ts, l.line
    from jobs j, unnest($3::float8[], $4::text[]) as l (ts, line)
    where j.id = $1 and j.claimed_by = $2 and j.state in ('claimed', 'running')`,
}
const READ = { name: 'read', text: 'select ts, line from job_log_lines where job_id = $1 order by seq' }

/** A row a line, one statement a request, the owner asked in it. */
async function rows(url: string): Promise<LogKeeper> {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  await pool.query(CREATE)
  return {
    append: async (job, lines) => {
      const values = [job, fingerprint(0), lines.map(({ ts }) => ts), lines.map(({ line }) => line)]
      const { rowCount } = await pool.query({ ...INSERT, values })
      if (rowCount !== lines.length) throw new Error(`${rowCount} of ${lines.length} lines were taken`)
    },
    read: async (job) => (await pool.query<Line>({ ...READ, values: [job] })).rows,
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

type Outcome = Awaited<ReturnType<typeof appendLogs>>[number]

/**
 * The product's statement in batches, with all that it asks of the job and its log, and nothing else: no
 * redaction.
 */
async function append(url: string): Promise<LogKeeper> {
  const { rows, close } = bareLanes(url)
  const memory = { positions: new LogPositions(), scratch: new Scratch() }
  const run = (asked: readonly LogItem[]) => appendLogs(asked, rows, memory)
  const batch = new Batch<LogItem, Outcome>({ run, mayFlushEarly: () => true })
  const owner = { licenseId: licenseId(0), fingerprint: fingerprint(0), attempt: 1, leaseSeconds: 300 }
  return {
    append: async (job, lines) => {
      const write = { ...owner, jobId: job, lines, offset: undefined, idempotencyKey: undefined }
      const outcome = await batch.add({ write, now: undefined })
      if (outcome?.accepted !== lines.length) throw new Error(`${outcome?.accepted} lines were taken`)
    },
    read: onlyWritten,
    [Symbol.asyncDispose]: close,
  }
}

const WRITE_CHUNKS = {
  name: 'write-chunks',
  text: `insert into job_log_chunks (job_id, attempt, first_line, first_offset, next_offset, lines, accepted, job_chars, body)
    select job_id, 1, first_line, first_line, first_line + lines, lines, lines, (first_line + lines) * 80,
      substring($4::bytea from body_from for body_bytes)
    from unnest($1::text[], $2::int[], $3::int[], $5::int[], $6::int[])
      as q (job_id, first_line, lines, body_from, body_bytes)`,
}

/**
 * Writes the product's chunks into a table of its own, in batches: nothing checks the holder of the job, and
 * nothing is redacted.
 */
async function writes(url: string): Promise<LogKeeper> {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const ends = new Map<string, number>()
  const batch = new BareBatch<Chunk, undefined>(async (chunks) => {
    const bodies = await Promise.all(chunks.map(({ lines }) => encodeLines(lines)))
    const sizes = bodies.map(({ length }) => length)
    let from = 1
    const begins = sizes.map((size) => {
      from += size
      return from - size
    })
    const firsts = chunks.map(({ job, lines }) => {
      const first = ends.get(job) ?? 0
      ends.set(job, first + lines.length)
      return first
    })
    const jobs = chunks.map(({ job }) => job)
    const counts = chunks.map(({ lines }) => lines.length)
    await pool.query({
      ...WRITE_CHUNKS,
      values: [jobs, firsts, counts, Buffer.concat(bodies), begins, sizes],
    })
    return chunks.map(() => undefined)
  })
  return {
    append: (job, lines) => batch.ask({ job, lines }),
    read: onlyWritten,
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

const CREATE_CHUNKS = `create table bare_chunks (job_id text not null, seq bigint generated always as identity,
  lines int not null, body text not null, primary key (job_id, seq))`
const APPEND_CHUNKS = {
  name: 'append-chunks',
  text: 'insert into bare_chunks (job_id, lines, body) select * from unnest($1::text[], $2::int[], $3::text[])',
}

/** A chunk a request, in batches, and nothing else: no owner, no lease, no place in the log, no redaction. */
async function bare(url: string): Promise<LogKeeper> {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  await pool.query(CREATE_CHUNKS)
  const batch = new BareBatch<Chunk, undefined>(async (chunks) => {
    const bodies = chunks.map(({ lines }) => lines.map(({ ts, line }) => `${ts} ${line}`).join('\n'))
    const values = [chunks.map(({ job }) => job), chunks.map(({ lines }) => lines.length), bodies]
    await pool.query({ ...APPEND_CHUNKS, values })
    return chunks.map(() => undefined)
  })
  return {
    append: (job, lines) => batch.ask({ job, lines }),
    read: onlyWritten,
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
