import type { MemoryTables } from '../../memory-tables.ts'
import type { Statement } from '../statement.ts'
import type { Verdict } from '../verdict.ts'
import { jobPath, type WireAnswer, type WireRequest } from '../wire.ts'

/** Checks answers to agents against the owners of jobs in the store. */
export class WireAnswerCheck {
  readonly #verdict: Verdict
  readonly #jobs: MemoryTables['jobs']
  /** The host of each attempt, by job. */
  readonly #owners = new Map<string, Map<number, string>>()

  constructor(verdict: Verdict, { jobs }: Pick<MemoryTables, 'jobs'>) {
    this.#verdict = verdict
    this.#jobs = jobs
  }

  /** Records which host each attempt was given to. */
  see({ changes }: Statement): void {
    for (const { id, before, after } of changes) {
      const { attempt = 0, claimedBy } = after?.job ?? {}
      if (claimedBy === undefined || attempt === before?.job.attempt) continue
      const owners = this.#owners.get(id) ?? new Map<number, string>()
      this.#owners.set(id, owners.set(attempt, claimedBy))
    }
  }

  /** Checks a replica's answer to a request of `license`, whether the answer arrives or not. */
  answered(license: string, { path, body }: WireRequest, answer: WireAnswer): void {
    if (answer.status !== 200) return
    const fingerprint = body.fingerprint as string | undefined
    const job = jobPath(path)
    if (path === '/v1/jobs/claim') {
      const { id = '', attempt } = (answer.body.job ?? {}) as {
        readonly id?: string
        readonly attempt?: number
      }
      this.#expect(license, id, fingerprint, attempt, 'I7 own jobs only')
    } else if (job?.verb === 'status' || job?.verb === 'logs') {
      const attempt = body.attempt as number | undefined
      this.#expect(license, job.id, fingerprint, attempt, 'I2 late writes are refused')
    }
  }

  #expect(
    license: string,
    id: string,
    fingerprint: string | undefined,
    attempt: number | undefined,
    rule: string,
  ): void {
    const owners = this.#owners.get(id) ?? new Map<number, string>()
    const those = attempt === undefined ? [...owners.values()] : [owners.get(attempt)]
    const isOwner = fingerprint === undefined ? those.length > 0 : those.includes(fingerprint)
    const holds = isOwner && this.#jobs.get(id)?.job.licenseId === license
    this.#verdict.expect(holds, rule, () => {
      const known = [...owners].map(([number, host]) => `${number} by ${host}`).join(', ')
      return `${fingerprint} of ${license} was answered 200 on ${id} (attempt ${attempt}), which was held: ${known}`
    })
  }
}
