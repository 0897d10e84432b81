import { unixSeconds } from '../../kernel/clock.ts'
import { LOOKED_ROWS } from '../../kernel/page.ts'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { redact } from '../../kernel/redaction/redactor.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Base } from '../../platform/base.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { type ClaimWait, type ClaimWaits, NOT_WAITED, type WaitedAnswer } from './claim-waits.ts'
import type { EnqueueLimits } from './enqueue-limits.ts'
import { type Claim, filterOf, HostWorks, knownKinds } from './host-works.ts'
import { isTerminal, type Job, type JobState, noJob } from './job.ts'
import { payloadWithEnv, withSealedEnv } from './job-env.ts'
import { type StoredLine, yieldIfLong } from './job-log.ts'
import type { JobMetrics } from './job-metrics.ts'
import { readPayload } from './job-payload.ts'
import { explainWait, notRun, type WaitReason } from './job-wait.ts'
import type {
  CancelOutcome,
  CancelWrite,
  JobFilter,
  LeaseAnswer,
  ListedJob,
  LogOutcome,
  LogWrite,
  Owner,
  StatusOutcome,
  StatusWrite,
  SweepResult,
} from './jobs-store.ts'
import { appendRedacted } from './log-append.ts'
import { type EnqueueInput, newJob, storeJob, withLastSource } from './new-job.ts'
import { storedLines } from './stored-lines.ts'
import { endWaiting, type Superseding, supersedeIn } from './superseding.ts'
import { waitFacts } from './wait-facts.ts'

/** The parts that `Jobs` is built from. */
export interface JobsParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'keyring'> {
  readonly licenses: Pick<Licenses, 'requireOpen'>
  readonly metrics: JobMetrics
  readonly leaseSeconds: number
  /** Limits of a license's jobs in the queue; absent: there are none. */
  readonly limits?: Pick<EnqueueLimits, 'take'> | undefined
  /** Hosts that wait for work; absent: nobody may. */
  readonly waits?: Pick<ClaimWaits, 'waited'> | undefined
}

/** A page of jobs; `next`: the id before which the next one begins. */
export interface JobPage {
  readonly jobs: readonly ListedJob[]
  readonly next?: string
}

const UNFINISHED: readonly (JobState | undefined)[] = ['pending', 'claimed', 'running']

/** Jobs that have not ended are few, and an end of an id has a bound of its own. */
const mayBeRare = ({ state, kind, host, app, idEnd }: Omit<JobFilter, 'limit'>): boolean =>
  idEnd === undefined &&
  !UNFINISHED.includes(state) &&
  (state === 'succeeded' || (kind ?? host ?? app) !== undefined)

/** The queue: work for hosts under a lease, with its log (spec, Job; States and transitions). */
export class Jobs {
  readonly #parts: JobsParts
  readonly #works: HostWorks

  constructor(parts: JobsParts) {
    this.#parts = parts
    this.#works = new HostWorks(parts)
  }

  /** How long a host owns a job after its last accepted write, in seconds. */
  get leaseSeconds(): number {
    return this.#parts.leaseSeconds
  }

  /**
   * Stores a job; `deploy` and `redeploy` make a deployment with it. A repeat under the same dedupe key
   * returns the unfinished job that has it, `created: false`. `also` writes in the same transaction.
   * @throws Problem `invalid-input` when the payload does not fit the kind, `not-found` for a license that
   * nobody has, `conflict` when it is suspended, revoked or expired, or for a redeploy without a source of an
   * app that was never deployed, `rate-limited`, or the refusal of `also`
   */
  async enqueue(
    input: EnqueueInput,
    also?: (stores: Stores, job: Job) => Promise<void>,
  ): Promise<{ job: Job; created: boolean }> {
    await this.#parts.licenses.requireOpen(input.licenseId)
    await this.#parts.limits?.take(input.licenseId)
    return this.#parts.storage.transaction(async (stores) => {
      const made = await this.enqueueIn(stores, input)
      await also?.(stores, made.job)
      return made
    })
  }

  /**
   * Stores a job as `enqueue` does, in a transaction of the caller, who has checked the license. A first line
   * of the log says where the job comes from.
   * @throws Problem `invalid-input`
   */
  async enqueueIn(
    stores: Stores,
    { firstLine, ...input }: EnqueueInput & { readonly firstLine?: string },
  ): Promise<{ job: Job; created: boolean }> {
    const { clock, ids, keyring } = this.#parts
    const payload = await withLastSource(stores, input, readPayload(input.kind, input.payload))
    const job = withSealedEnv(keyring, newJob(ids, input, payload))
    const result = await storeJob(stores, job, input.madeBy, clock.statementTime())
    if (firstLine === undefined || !result.created) return result
    const [line] = await storedLines([{ ts: unixSeconds(clock.now()), line: firstLine }])
    if (line !== undefined) await stores.jobs.preface(result.job.id, line, clock.statementTime())
    return result
  }

  /**
   * Ends the pending ones among the named jobs, in a transaction of the caller, because something newer takes
   * their place; with `alsoHeld` the others are asked to stop. The caller tells `counted` after it.
   */
  supersedeIn(stores: Stores, superseding: Superseding): Promise<readonly Job[]> {
    return supersedeIn(stores.jobs, superseding, this.#parts.clock.statementTime())
  }

  /**
   * Stores a job for one host within a transaction of another feature, and ends the pending jobs of its kind
   * for that host as superseded. The caller has checked that the license is open.
   * @throws Problem `invalid-input` when the payload does not fit the kind
   */
  async replacePending(stores: Stores, input: EnqueueInput & { readonly target: string }): Promise<Job> {
    this.counted(await endWaiting(stores.jobs, input, this.#parts.clock.statementTime()))
    return (await this.enqueueIn(stores, input)).job
  }

  /** Counts jobs that ended without a host, after the transaction that ended them. */
  counted(ended: readonly Job[]): void {
    for (const job of ended) this.#parts.metrics.finished(job, 'cancelled')
  }

  /**
   * Hands out the job that is due for this host, if any, and tells which of its jobs to stop. Remembers the
   * host's report about its work. The `env` of the payload is sealed still: `appVariables.handOut` opens it.
   * @throws Problem `unauthorized` when the license is to be checked and is not usable
   */
  claim(asked: Claim): Promise<LeaseAnswer> {
    return this.#claim(asked, true)
  }

  /**
   * Hands out a job as `claim` does, and lets the host wait for one. A host that has never reported gets its
   * answer at once, and so does every host while there is no room. Each claim checks the license.
   * @throws Problem `unauthorized` when the license is not usable, also while the host waits
   */
  async claimWhenDue(asked: Claim, wait: ClaimWait): Promise<WaitedAnswer> {
    const { waits } = this.#parts
    const { licenseId, fingerprint, kinds } = asked
    // A host without a free slot asks for no kind, and still runs those that it named before.
    const claim = () => this.#claim(asked, kinds?.length !== 0)
    if (waits === undefined || !(await this.#works.isKnown(asked)))
      return { ...(await claim()), ...NOT_WAITED }
    return waits.waited({ licenseId, fingerprint, kinds: filterOf(knownKinds(kinds)) }, wait, claim)
  }

  /**
   * Writes the owner's report on its job.
   * @throws Problem `job-not-owned` when the writer does not hold this job (or this attempt of it)
   */
  async report(write: Omit<StatusWrite, 'leaseSeconds'>): Promise<StatusOutcome> {
    const { storage, clock, leaseSeconds, metrics } = this.#parts
    const error = write.error === undefined ? undefined : redact(write.error)
    const outcome = await storage.jobs.report({ ...write, error, leaseSeconds }, clock.statementTime())
    if (outcome === undefined) {
      metrics.fenced('status')
      throw new Problem('job-not-owned')
    }
    if (outcome.effect === 'finished') metrics.finished(outcome.job, 'reported')
    return outcome
  }

  /**
   * Appends output: at most 1,000 lines of 8,192 characters are taken, secrets redacted.
   * @throws Problem `job-not-found` when the writer does not own the job
   */
  async appendLogs(write: Omit<LogWrite, 'leaseSeconds'>): Promise<LogOutcome> {
    const { metrics } = this.#parts
    const outcome = await appendRedacted(this.#parts, write)
    if (outcome === undefined) {
      metrics.fenced('logs')
      throw new Problem('job-not-found')
    }
    metrics.logLines(outcome.stored)
    return outcome
  }

  /** Renews the leases that a heartbeat lists, except for jobs that the host no longer holds. */
  async renew(owners: readonly Owner[]): Promise<void> {
    const { storage, clock, leaseSeconds } = this.#parts
    if (owners.length > 0) await storage.jobs.renew(owners, leaseSeconds, clock.statementTime())
  }

  /**
   * Ends a pending job, or asks the host that holds it to stop. Secrets in the reason are redacted.
   * @throws Problem `job-not-found`
   */
  async cancel(scope: Scope, write: CancelWrite): Promise<CancelOutcome> {
    const { storage, clock, metrics } = this.#parts
    const clean = { ...write, reason: redact(write.reason) }
    const outcome = await storage.jobs.requestCancel(scope, clean, clock.statementTime())
    if (outcome === undefined) throw new Problem('job-not-found')
    if (outcome.effect === 'ended') metrics.finished(outcome.job, 'cancelled')
    return outcome
  }

  /**
   * Makes a new job that does the work of a finished one again.
   * @throws Problem `not-found`, or `conflict` while the old job is unfinished, or when its license is
   * shut, `rate-limited`, `secrets-not-configured` when its `env` cannot be opened
   */
  async retry(scope: Scope, jobId: string, madeBy?: string): Promise<{ job: Job; created: boolean }> {
    const old = await this.get(scope, jobId)
    if (!isTerminal(old.state)) {
      throw new Problem('conflict', {
        detail: `${jobId} is ${old.state}; cancel it or wait for its end first`,
      })
    }
    await this.#parts.licenses.requireOpen(old.licenseId)
    await this.#parts.limits?.take(old.licenseId)
    const { licenseId, kind, target, urgent, serialKey, dedupeKey, maxAttempts, timeoutSeconds } = old
    const { storage, clock, ids, keyring } = this.#parts
    const payload = payloadWithEnv(keyring, old)
    // Hosts that were to follow a job that failed follow its repeat.
    const successors = old.state === 'failed' ? old.successors?.map((each) => each.target) : undefined
    const input = { licenseId, kind, payload, target, urgent, serialKey, dedupeKey, successors }
    const made = newJob(ids, { ...input, maxAttempts, timeoutSeconds }, payload, old.id)
    const job = withSealedEnv(keyring, made)
    return storage.transaction((stores) => storeJob(stores, job, madeBy, clock.statementTime()))
  }

  /** Says that no host takes the job for now, since none that is online runs its kind. */
  async warning(job: Job): Promise<string | undefined> {
    const { storage, clock } = this.#parts
    const isOut = job.state !== 'pending' || (await storage.jobs.isRun(job, clock.statementTime()))
    return isOut ? undefined : notRun(job)
  }

  /**
   * @throws Problem `not-found`
   */
  async get(scope: Scope, jobId: string): Promise<Job> {
    const job = await this.#parts.storage.jobs.get(scope, jobId)
    if (job === undefined) throw noJob(jobId)
    return job
  }

  /**
   * A page of the jobs of a scope by filter, newest first, without their payloads. A filter by a value that
   * few jobs have looks through a part of the history: the page may be empty and have a `next`.
   */
  async page(scope: Scope, { limit, ...filter }: JobFilter): Promise<JobPage> {
    const { storage } = this.#parts
    const from = mayBeRare(filter)
      ? await storage.jobs.lookedTo(scope, { ...filter, failed: filter.state === 'failed' }, LOOKED_ROWS)
      : undefined
    const found = await storage.jobs.list(scope, { ...filter, ...present('from', from), limit: limit + 1 })
    const jobs = found.slice(0, limit)
    return { jobs, ...present('next', found.length > limit ? jobs.at(-1)?.id : from) }
  }

  /** The jobs of a scope by filter, newest first, without their payloads. */
  list(scope: Scope, filter: JobFilter): Promise<readonly ListedJob[]> {
    return this.#parts.storage.jobs.list(scope, filter)
  }

  /**
   * Stored lines of all attempts, `after` lines skipped: at most `limit` and, beyond the first, `chars` code
   * units.
   */
  async logs(jobId: string, after: number, limit: number, chars?: number): Promise<readonly StoredLine[]> {
    const lines = await this.#parts.storage.jobs.logs(jobId, after, limit, chars)
    await yieldIfLong(lines)
    return lines
  }

  /** The number of stored lines of all attempts: the place where a follower goes on. */
  async logLength(jobId: string): Promise<number> {
    const attempts = await this.#parts.storage.jobs.logLengths(jobId)
    return attempts.reduce((sum, { lines }) => sum + lines, 0)
  }

  /** Explains why a job waits, or tells its state. */
  async why(scope: Scope, jobId: string): Promise<{ job: Job; reasons: readonly WaitReason[] }> {
    const { storage, clock } = this.#parts
    const job = await this.get(scope, jobId)
    return { job, reasons: explainWait({ ...(await waitFacts(storage, job)), now: clock.now() }) }
  }

  /**
   * Cancels jobs past their timeout and ends jobs whose host is lost for good. Several replicas may sweep at
   * once.
   */
  async sweep(): Promise<SweepResult> {
    const { storage, clock, metrics } = this.#parts
    const result = await storage.jobs.sweep(clock.statementTime())
    for (const job of result.ended) metrics.finished(job, 'lost')
    return result
  }

  async #claim({ kinds, concurrency, ...request }: Claim, isSaid: boolean): Promise<LeaseAnswer> {
    const { storage, clock, leaseSeconds, metrics } = this.#parts
    const work = { kinds: knownKinds(kinds), concurrency }
    const lease = { ...request, leaseSeconds, kinds: filterOf(work.kinds) }
    const answer = await storage.jobs.lease(lease, clock.statementTime())
    if (isSaid) await this.#works.note(request, work)
    for (const job of answer.ended) metrics.finished(job, 'lost')
    if (answer.job !== undefined && answer.how !== undefined) metrics.claimed(answer.job, answer.how)
    return answer
  }
}
