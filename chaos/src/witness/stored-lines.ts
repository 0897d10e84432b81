import { decodeLines } from '../../../packages/core/src/work/jobs/job-log-body.ts'
import type { Query } from '../cast/database.ts'
import type { Breach } from '../journal.ts'
import { readLine } from '../names.ts'

interface Chunk {
  readonly [column: string]: unknown
  readonly job_id: string
  readonly first_line: number
  readonly attempt: number
  readonly owner: string | null
  readonly body: Uint8Array
}

const PAGE = 500
const CHUNKS = `select c.job_id, c.first_line, c.attempt, w.owner, c.body from job_log_chunks c
  left join chaos_chunks w on w.job_id = c.job_id and w.first_line = c.first_line
  where (c.job_id, c.first_line) > ($1, $2) order by c.job_id, c.first_line limit ${PAGE}`
const MOST_BREACHES = 50

interface Stored {
  readonly job_id: string
  readonly attempt: number
  readonly writer: string
  lines: number
}

async function textsOf(body: Uint8Array): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { line } of decodeLines(body)) texts.push(...line)
  return texts
}

/**
 * Reads every stored line. Each names its place in its attempt, so a doubled or lost line, one out of order
 * and one in a foreign log are breaches. Writes the number of lines of each attempt to `chaos_stored`.
 */
export async function readStoredLines(query: Query): Promise<{ lines: number; breaches: readonly Breach[] }> {
  const reader = new LineReader()
  await query('create index on chaos_chunks (job_id, first_line)')
  for (let job = '', first = -1; ; ) {
    const chunks = await query<Chunk>(CHUNKS, [job, first])
    for (const chunk of chunks) reader.read(chunk, await textsOf(chunk.body))
    const stored = reader.take()
    if (stored.length > 0)
      await query(
        'insert into chaos_stored select * from json_populate_recordset(null::chaos_stored, $1::json)',
        [JSON.stringify(stored)],
      )
    const last = chunks.at(-1)
    if (last === undefined) break
    job = last.job_id
    first = last.first_line
  }
  await query(`create table chaos_totals as select job_id, attempt, writer, sum(lines)::int as lines
    from chaos_stored group by job_id, attempt, writer`)
  await query('create index on chaos_totals (job_id, attempt)')
  return reader
}

class LineReader {
  readonly breaches: Breach[] = []
  lines = 0
  #page: Stored[] = []
  #place = { log: '', next: 0 }

  read({ job_id, attempt, owner }: Chunk, lines: readonly string[]): void {
    const log = `${job_id} ${attempt}`
    if (this.#place.log !== log) this.#place = { log, next: 0 }
    let own = 0
    for (const text of lines) {
      // Lines of the reference agent itself, not of its handler.
      if (text.startsWith('[agent]')) continue
      this.lines += 1
      own += 1
      const line = readLine(text)
      if (line === undefined || line.job !== job_id || line.attempt !== attempt)
        this.#breach('I2', `${log} holds a line of another: ${text.slice(0, 100)}`)
      else if (line.writer !== owner)
        this.#breach('I2', `${log}: ${owner} held it when a line of ${line.writer} was stored`)
      else if (line.place !== this.#place.next)
        this.#breach('I5', `${log} of ${owner}: line ${line.place} stands where ${this.#place.next} belongs`)
      this.#place.next = (line?.place ?? this.#place.next) + 1
    }
    this.#page.push({ job_id, attempt, writer: owner ?? '', lines: own })
  }

  take(): readonly Stored[] {
    const page = this.#page
    this.#page = []
    return page
  }

  #breach(rule: string, evidence: string): void {
    if (this.breaches.length < MOST_BREACHES) this.breaches.push({ rule, evidence })
  }
}
