import type { Rows } from '../storage/session.ts'
import type { Job } from './job.ts'
import { endHead } from './job-end-sql.ts'
import { type LeaseAsked, look } from './job-look-sql.ts'
import { repeat } from './job-repeat-sql.ts'
import { take } from './job-take-sql.ts'
import type { LeaseAnswer } from './jobs-store.ts'

/**
 * Leases for several hosts, in their order; undefined for whom no license speaks. `isBusy`: whether work is likely for
 * most, so that a look before is not worth its time.
 */
export async function lease(
  asked: readonly LeaseAsked[],
  rows: Rows,
  isBusy: boolean,
): Promise<readonly (LeaseAnswer | undefined)[]> {
  if (!isBusy) return search(asked, rows)
  const taken = await take(asked, rows)
  const others = await search(
    asked.filter((_, index) => taken[index] === undefined),
    rows,
  )
  const left = others.values()
  return taken.map((answer) => answer ?? left.next().value)
}

/** Looks first, and says why there is nothing. */
async function search(
  asked: readonly LeaseAsked[],
  rows: Rows,
): Promise<readonly (LeaseAnswer | undefined)[]> {
  if (asked.length === 0) return []
  const seen = (await look(rows, asked)).map((found, index) => ({
    ...found,
    asked: asked[index] as LeaseAsked,
  }))
  const promising = seen.filter(({ licensed, promising }) => licensed && promising)
  const taken = (
    await take(
      promising.map(({ asked }) => asked),
      rows,
    )
  ).values()
  return Promise.all(
    seen.map(({ asked, licensed, promising, cancel, drained }) => {
      if (!licensed) return undefined
      const nothing = { job: undefined, how: undefined, cancel, drained, ended: [] }
      return promising ? (taken.next().value ?? settled(asked, nothing, rows)) : nothing
    }),
  )
}

// There was something for this host that could not be taken as it was: its own job under the same claim key, a job at the
// head of its queue whose owner is lost for good, or one that others have taken or locked meanwhile.
async function settled(asked: LeaseAsked, nothing: LeaseAnswer, rows: Rows): Promise<LeaseAnswer> {
  const again = await repeat(asked, rows)
  if (again !== undefined) return { ...nothing, job: again, how: 'repeated' }
  if (nothing.drained) return nothing
  const ended: Job[] = []
  for (let isOver = false; ; ) {
    const [answer] = await take([asked], rows)
    if (answer !== undefined) return { ...answer, ended }
    if (isOver)
      return { ...nothing, cancel: nothing.cancel.filter((id) => !ended.some((job) => job.id === id)), ended }
    const lost = await endHead(rows, asked)
    ended.push(...lost)
    isOver = lost.length === 0
  }
}
