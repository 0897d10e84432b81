import type { HeartbeatOutcome, HeartbeatWrite } from '@svc/core/ports'
import type { MemoryAgent } from '../../memory-tables.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'

/** Checks the registry of hosts: heartbeats never go back, and only operators drain. */
export class HostCheck {
  readonly #verdict: Verdict
  readonly #known = new Map<string, MemoryAgent>()

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** Checks one statement on the registry. */
  check({ name, args, result, tables }: Statement): void {
    if (name === 'agents.list') return
    const beat = name === 'agents.heartbeat' ? (args[0] as HeartbeatWrite) : undefined
    const [license, host] = beat === undefined ? (args as string[]) : [beat.licenseId, beat.fingerprint]
    const key = JSON.stringify([license, host])
    const before = this.#known.get(key)
    const after = tables.agents.get(key)
    if (beat !== undefined) this.#checkBeat(before, after, result as HeartbeatOutcome, tables)
    if (after === undefined) this.#known.delete(key)
    else this.#known.set(key, after)
  }

  #checkBeat(
    before: MemoryAgent | undefined,
    after: MemoryAgent | undefined,
    outcome: HeartbeatOutcome,
    tables: Statement['tables'],
  ): void {
    const expect = (holds: boolean, rule: string) =>
      this.#verdict.expect(holds, rule, () => `host ${after?.fingerprint} of ${after?.licenseId}`)
    const [last, next] = [before?.lastHeartbeat?.getTime() ?? 0, after?.lastHeartbeat?.getTime() ?? -1]
    expect(next >= last, 'I8 heartbeats never go back')
    expect(after?.seq === (before?.seq ?? 0) + 1 && outcome.seq === after.seq, 'I8 heartbeats are counted')
    expect(after?.drainedAt === before?.drainedAt, 'only operators drain')
    for (const id of outcome.cancel) {
      const job = tables.jobs.get(id)?.job
      const isOurs = job?.licenseId === after?.licenseId && job?.claimedBy === after?.fingerprint
      expect(isOurs && job?.cancel !== undefined, 'I7 own cancels only')
    }
  }
}
