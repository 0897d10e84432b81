import type { Rows } from '../../platform/database/session.ts'
import type { Job } from './job.ts'
import { claimRows } from './job-claim-sql.ts'
import { endHead } from './job-end-sql.ts'
import { type LeaseItem, NO_WORK, type ProbeResult, probe } from './job-probe-sql.ts'
import { repeatClaim } from './job-repeat-sql.ts'
import type { LeaseAnswer } from './jobs-store.ts'

/** One item of a batch on its way to its answer. It is open until it has one. */
interface Slot {
  readonly item: LeaseItem
  /** The last probe. */
  probed: ProbeResult
  /** Undefined for a closed slot: the license is not usable. */
  answer: LeaseAnswer | undefined
  isOpen: boolean
}

/**
 * Leases for several hosts, in their order; undefined for a host without a usable license. `isBusy`: most
 * hosts probably get a job, so that a probe before the claim is not worth its time. Hosts that run the same
 * kinds share their statements; nearly all batches have one such group.
 */
export async function leaseBatch(
  items: readonly LeaseItem[],
  rows: Rows,
  isBusy: boolean,
): Promise<readonly (LeaseAnswer | undefined)[]> {
  const groups = Map.groupBy(items, ({ request }) => request.kinds?.join(' '))
  if (groups.size === 1) return leaseAlike(items, rows, isBusy)
  const answers = new Map<LeaseItem, LeaseAnswer | undefined>()
  for (const group of groups.values()) {
    const found = await leaseAlike(group, rows, isBusy)
    for (const [index, item] of group.entries()) answers.set(item, found[index])
  }
  return items.map((item) => answers.get(item))
}

/** Leases for hosts that run the same kinds. */
async function leaseAlike(
  items: readonly LeaseItem[],
  rows: Rows,
  isBusy: boolean,
): Promise<readonly (LeaseAnswer | undefined)[]> {
  const slots: Slot[] = items.map((item) => ({ item, probed: NO_WORK, answer: undefined, isOpen: true }))
  if (isBusy) await claimOpen(slots, rows)
  await probeOpen(slots, rows)
  await claimOpen(slots, rows)
  await resolveMisses(slots, rows)
  return slots.map(({ answer }) => answer)
}

const openOf = (slots: readonly Slot[]): readonly Slot[] => slots.filter(({ isOpen }) => isOpen)

function close(slot: Slot, answer: LeaseAnswer | undefined): void {
  slot.answer = answer
  slot.isOpen = false
}

/** Closes the slots that get a job. */
async function claimOpen(slots: readonly Slot[], rows: Rows): Promise<void> {
  const open = openOf(slots)
  const claimed = await claimRows(
    open.map(({ item }) => item),
    rows,
  )
  for (const slot of open) {
    const answer = claimed.get(slot.item)
    if (answer !== undefined) close(slot, answer)
  }
}

/** Closes the slots without a usable license or without work. */
async function probeOpen(slots: readonly Slot[], rows: Rows): Promise<void> {
  const open = openOf(slots)
  const found = await probe(
    open.map(({ item }) => item),
    rows,
  )
  for (const slot of open) {
    slot.probed = found.get(slot.item) ?? NO_WORK
    if (!slot.probed.licensed) close(slot, undefined)
    else if (!slot.probed.promising) close(slot, emptyHanded(slot.probed))
  }
}

const emptyHanded = ({ cancel, drained }: ProbeResult): LeaseAnswer => ({
  job: undefined,
  how: undefined,
  cancel,
  drained,
  ended: [],
})

// Near the end of a queue many hosts see the same job. One more probe for all of them finds those that still
// have something: three statements for each would make all of them wait.
async function resolveMisses(slots: readonly Slot[], rows: Rows): Promise<void> {
  if (openOf(slots).length > 1) await probeOpen(slots, rows)
  await Promise.all(openOf(slots).map(async (slot) => close(slot, await resolveMiss(slot, rows))))
}

// The probe found something that the claim did not get: the host's own job under the same claim key, a job at
// the head of its queue whose owner is lost for good, or a job that others have taken or locked meanwhile.
async function resolveMiss({ item, probed }: Slot, rows: Rows): Promise<LeaseAnswer> {
  const nothing = emptyHanded(probed)
  const again = await repeatClaim(item, rows)
  if (again !== undefined) return { ...nothing, job: again, how: 'repeated' }
  if (probed.drained) return nothing
  const ended: Job[] = []
  for (let isOver = false; ; ) {
    const answer = (await claimRows([item], rows)).get(item)
    if (answer !== undefined) return { ...answer, ended }
    if (isOver) {
      const cancel = probed.cancel.filter((id) => !ended.some((job) => job.id === id))
      return { ...nothing, cancel, ended }
    }
    const lost = await endHead(rows, item)
    ended.push(...lost)
    isOver = lost.length === 0
  }
}
