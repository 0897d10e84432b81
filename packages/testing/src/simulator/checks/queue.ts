import { isRunBy } from '@svc/core/ports'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { isEnded, isHeld, spell } from './held.ts'

/** Checks the rules that concern several unfinished jobs: serial keys and dedupe keys. */
export function checkQueue({ tables, changes, name, now }: Statement, verdict: Verdict): void {
  const licenses = new Set(changes.map(({ after, before }) => (after ?? before)?.job.licenseId ?? ''))
  for (const license of licenses) {
    const chains = new Map<string, MemoryJob[]>()
    const keys = new Set<string>()
    for (const row of tables.jobs.group(license)) {
      const { serialKey, dedupeKey, state } = row.job
      if (isEnded(state)) continue
      const isTwin = dedupeKey !== undefined && keys.has(dedupeKey)
      verdict.expect(!isTwin, 'dedupe key is unique', () => `${name} left two of ${dedupeKey}: ${spell(row)}`)
      if (dedupeKey !== undefined) keys.add(dedupeKey)
      if (serialKey === undefined) {
        const isWaiting = row.place === Number.POSITIVE_INFINITY
        verdict.expect(!isWaiting, 'I4 no job waits for nothing', () => spell(row))
        continue
      }
      const chain = chains.get(serialKey) ?? []
      chains.set(serialKey, chain)
      chain.push(row)
    }
    for (const [key, chain] of chains) checkChain(key, chain, name, verdict)
  }
  checkPassed({ tables, changes, name, now }, verdict)
  for (const { after } of changes) {
    if (after?.job.state !== 'pending' || after.place <= now.getTime()) continue
    const isLegal = after.place === Number.POSITIVE_INFINITY || after.dueAt.getTime() >= after.place
    verdict.expect(isLegal, 'I4 due when it said', () => spell(after))
  }
}

function checkChain(key: string, chain: readonly MemoryJob[], name: string, verdict: Verdict): void {
  const held = chain.filter(({ job }) => isHeld(job.state)).length
  const free = chain.filter(({ place }) => place < Number.POSITIVE_INFINITY).length
  const all = () => `${name} left ${key} with ${chain.map(spell).join('; ')}`
  verdict.expect(held <= 1, 'serial key: one at a time', all)
  verdict.expect(free >= 1, 'serial key: none stranded', all)
  verdict.expect(free <= 1, 'serial key: one at a time', all)
}

/**
 * Checks the jobs that lose their serial key without an end: nobody runs them, and one that hosts run has it
 * now.
 */
function checkPassed(
  { tables, changes, name, now }: Pick<Statement, 'tables' | 'changes' | 'name' | 'now'>,
  verdict: Verdict,
): void {
  const isRun = ({ job }: MemoryJob): boolean =>
    isRunBy(
      tables.agents.all().filter(({ licenseId }) => licenseId === job.licenseId),
      job,
      now,
    )
  for (const { before, after } of changes) {
    if (before === undefined || after === undefined || isEnded(after.job.state)) continue
    if (before.place === Number.POSITIVE_INFINITY || after.place < Number.POSITIVE_INFINITY) continue
    const detail = () => `${name} took the key from ${spell(before)}`
    verdict.expect(before.job.state === 'pending' && !isRun(after), 'the key passes to what is run', detail)
    const others = tables.jobs
      .group(after.job.licenseId)
      .filter(({ job }) => job.serialKey === after.job.serialKey)
    const holder = others.find(({ place }) => place < Number.POSITIVE_INFINITY)
    verdict.expect(holder !== undefined && isRun(holder), 'the key passes to what is run', detail)
  }
}
