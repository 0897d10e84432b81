import type { Rows } from '../database/session.ts'
import type { Job } from './job.ts'
import { endHead } from './job-end-sql.ts'
import { type LeaseAsked, type Look, look, type Seen } from './job-look-sql.ts'
import { repeat } from './job-repeat-sql.ts'
import { take } from './job-take-sql.ts'
import type { LeaseAnswer } from './jobs-store.ts'

/**
 * Leases for several hosts, in their order; undefined for a host without a usable license. `isBusy`: most
 * hosts probably get a job, so that a probe before the claim is not worth its time.
 */
export async function lease(
  asked: readonly LeaseAsked[],
  rows: Rows,
  isBusy: boolean,
): Promise<readonly (LeaseAnswer | undefined)[]> {
  const taken: Answers = isBusy ? await take(asked, rows) : new Map()
  const others = await search(
    asked.filter((each) => !taken.has(each)),
    rows,
  )
  return asked.map((each) => taken.get(each) ?? others.get(each))
}

/** Answers by request; undefined for a request without a usable license. */
type Answers = ReadonlyMap<LeaseAsked, LeaseAnswer | undefined>

/** Probes first, then claims for the promising hosts. */
async function search(asked: readonly LeaseAsked[], rows: Rows): Promise<Answers> {
  const seen = await seek(asked, rows)
  const promising = seen.filter(isPromising)
  const taken = await take(
    promising.map(({ asked }) => asked),
    rows,
  )
  const settled = await settle(
    promising.filter(({ asked }) => !taken.has(asked)),
    rows,
  )
  const found: Answers = new Map([...taken, ...settled])
  return new Map(
    seen.map((each) => [each.asked, isPromising(each) ? found.get(each.asked) : emptyHanded(each)]),
  )
}

const seek = async (asked: readonly LeaseAsked[], rows: Rows): Promise<readonly Seen[]> =>
  asked.length === 0 ? [] : look(rows, asked)

const isPromising = ({ licensed, promising }: Look): boolean => licensed && promising

const emptyHanded = ({ licensed, cancel, drained }: Look): LeaseAnswer | undefined =>
  licensed ? { job: undefined, how: undefined, cancel, drained, ended: [] } : undefined

// Near the end of a queue many hosts see the same job. One more probe for all of them finds out who still has
// something: three statements for each would make all of them wait.
async function settle(missed: readonly Seen[], rows: Rows): Promise<Answers> {
  const still =
    missed.length > 1
      ? await seek(
          missed.map(({ asked }) => asked),
          rows,
        )
      : missed
  const answers = await Promise.all(
    still.map(
      async (each) =>
        [each.asked, isPromising(each) ? await settleOne(each, rows) : emptyHanded(each)] as const,
    ),
  )
  return new Map(answers)
}

// The probe found something that the claim did not get: the host's own job under the same claim key, a job at
// the head of its queue whose owner is lost for good, or a job that others have taken or locked meanwhile.
async function settleOne({ asked, cancel, drained }: Seen, rows: Rows): Promise<LeaseAnswer> {
  const nothing = { job: undefined, how: undefined, cancel, drained, ended: [] }
  const again = await repeat(asked, rows)
  if (again !== undefined) return { ...nothing, job: again, how: 'repeated' }
  if (drained) return nothing
  const ended: Job[] = []
  for (let isOver = false; ; ) {
    const answer = (await take([asked], rows)).get(asked)
    if (answer !== undefined) return { ...answer, ended }
    if (isOver)
      return { ...nothing, cancel: cancel.filter((id) => !ended.some((job) => job.id === id)), ended }
    const lost = await endHead(rows, asked)
    ended.push(...lost)
    isOver = lost.length === 0
  }
}
