import type { LogLine } from '@svc/core'
import { cutLine, MAX_ACCEPTED_LINES } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Verdict } from '../verdict.ts'
import { jobPath, type WireAnswer, type WireRequest } from '../wire.ts'

interface Acknowledged {
  readonly jobId: string
  readonly attempt: number | undefined
  readonly offset: number | undefined
  readonly lines: readonly string[]
}

const REDACTED = '[redacted'

/**
 * Checks at the end that the store holds everything that agents were told: their log lines (I5, I6), and how
 * jobs ended (I3).
 */
export class AcknowledgedCheck {
  readonly #verdict: Verdict
  readonly #acknowledged: Acknowledged[] = []
  /** The final state of each job, as its owner was told. */
  readonly #ends = new Map<string, string | undefined>()
  /** Jobs that got lines without a host, which any host of the license may send (spec, Job logs). */
  readonly #open = new Set<string>()

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** Records that a request starts. */
  sent({ path, body }: WireRequest): void {
    const job = jobPath(path)
    if (job?.verb === 'logs' && body.fingerprint === undefined) this.#open.add(job.id)
  }

  /** Records the acknowledgement of an answer. */
  answered({ path, body }: WireRequest, answer: WireAnswer): void {
    const job = jobPath(path)
    if (job === undefined || answer.status !== 200) return
    const isEnd = job.verb === 'status' && (body.state === 'succeeded' || body.state === 'failed')
    if (isEnd) this.#ends.set(job.id, answer.headers['Svc-Job-State'])
    if (job.verb === 'logs') this.#keepLines(job.id, body, answer)
  }

  #keepLines(jobId: string, body: WireRequest['body'], answer: WireAnswer): void {
    const lines = (body.lines ?? []) as readonly LogLine[]
    const accepted = Number(answer.body.accepted)
    const taken = Math.min(lines.length, MAX_ACCEPTED_LINES)
    const isRight = accepted === taken || (accepted === 0 && body.offset !== undefined)
    this.#verdict.expect(
      isRight,
      'I6 accepted lines',
      () => `${lines.length} lines were sent, ${accepted} accepted`,
    )
    const kept = lines.slice(0, accepted).map(({ line }) => cutLine(line))
    const attempt = body.attempt as number | undefined
    this.#acknowledged.push({
      jobId,
      attempt,
      offset: body.offset as number | undefined,
      lines: kept,
    })
  }

  /** Looks up acknowledged lines and ends at the end of a run. */
  end({ logs, jobs }: MemoryTables): void {
    for (const [id, told] of this.#ends) {
      const state = jobs.get(id)?.job.state
      const detail = () => `the host was told that ${id} had ended as ${told}; it is ${state}`
      this.#verdict.expect(told !== undefined && state === told, 'I3 an acknowledged end is kept', detail)
    }
    const stored = new Map<string, ReturnType<typeof placesOf>>()
    for (const each of this.#acknowledged) {
      // Lines of a previous host may have taken the offsets of the present host: the known limit of lines
      // without a host.
      if (each.offset !== undefined && this.#open.has(each.jobId)) continue
      const places = stored.get(each.jobId) ?? placesOf(logs.get(each.jobId) ?? [])
      stored.set(each.jobId, places)
      const lost = each.lines.findIndex((line, index) => !isKept(places, each, line, index))
      const detail = () => `line ${lost} of ${JSON.stringify(each).slice(0, 300)} is not in the log`
      this.#verdict.expect(lost < 0, 'I5 acknowledged lines are kept', detail)
    }
  }
}

type Chunks = NonNullable<ReturnType<MemoryTables['logs']['get']>>

function placesOf(chunks: Chunks) {
  const byPlace = new Map<string, string>()
  const texts = new Set<string>()
  for (const { attempt, offset, line } of chunks.flatMap(({ lines }) => lines)) {
    byPlace.set(`${attempt}/${offset}`, line)
    texts.add(line)
  }
  return { byPlace, texts }
}

function isKept(
  { byPlace, texts }: ReturnType<typeof placesOf>,
  { attempt, offset }: Acknowledged,
  line: string,
  index: number,
): boolean {
  if (attempt === undefined || offset === undefined) return texts.has(line) || [...texts].some(isRedacted)
  const kept = byPlace.get(`${attempt}/${offset + index}`)
  return kept === line || (kept !== undefined && isRedacted(kept))
}

const isRedacted = (line: string): boolean => line.includes(REDACTED)
