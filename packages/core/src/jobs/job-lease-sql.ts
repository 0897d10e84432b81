import type { Rows } from '../database/session.ts'
import type { Job } from './job.ts'
import { endHead } from './job-end-sql.ts'
import { type LeaseAsked, type Look, look, type Seen } from './job-look-sql.ts'
import { repeat } from './job-repeat-sql.ts'
import { take } from './job-take-sql.ts'
import type { LeaseAnswer } from './jobs-store.ts'

/**
 * Leases for several hosts, in their order; undefined for whom no license speaks. `isBusy`: whether work is
 * likely for most, so that a look before is not worth its time.
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

/** Answers by request; undefined where no license speaks for it. */
type Answers = ReadonlyMap<LeaseAsked, LeaseAnswer | undefined>

/** Looks first, and says why there is nothing. */
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

// Where a queue comes to its end many see what others are just taking: one more look tells them so, where
// three statements for each of them would be waited for by all.
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

// There was something for this host that could not be taken as it was: its own job under the same claim key,
// a job at the head of its queue whose owner is lost for good, or one that others have taken or locked
// meanwhile.
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
