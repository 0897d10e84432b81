import type { MemoryJob } from '../../jobs/memory-job.ts'
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
