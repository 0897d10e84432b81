import { type CancelOutcome, type Job, type JobState, ofLicense, PLATFORM, type Storage } from '@svc/core'
import {
  type CancelWrite,
  type JobsStore,
  LEASE_SECONDS,
  type LeaseAnswer,
  type LeaseRequest,
  type LogOutcome,
  type LogWrite,
  type NewJob,
  type Owner,
  type StatusOutcome,
  type StatusWrite,
} from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { buildJob } from './build-job.ts'

/** The host that acts when a test does not say which. */
export const HOST = 'host-a-0123456789abcdef'
/** Another host of the same license. */
export const OTHER = 'host-b-0123456789abcdef'

/** A license with a queue of its own, and the clock whose instant every call uses. */
export class JobsScene {
  readonly storage: Storage
  readonly clock = new FakeClock()
  readonly licenseId = buildId('lic')
  readonly #isBegun: boolean

  /** `isBegun`: whether `held` also reports that the job is running. */
  constructor(storage: Storage, isBegun = false) {
    this.storage = storage
    this.#isBegun = isBegun
  }

  get jobs(): JobsStore {
    return this.storage.jobs
  }

  get now(): Date {
    return this.clock.now()
  }

  /** Returns the instant `seconds` from now. */
  in(seconds: number): Date {
    return new Date(this.now.getTime() + seconds * 1000)
  }

  /** Stores the license of this scene and returns the digest of its key. */
  async license(): Promise<string> {
    const license = buildLicense({ id: this.licenseId })
    await this.storage.licenses.add(license)
    return license.keyDigest
  }

  async enqueue(fields: Partial<NewJob> = {}): Promise<Job> {
    return (await this.jobs.enqueue(buildJob({ licenseId: this.licenseId, ...fields }), this.now)).job
  }

  claim(fingerprint = HOST, fields: Partial<LeaseRequest> = {}): Promise<LeaseAnswer> {
    const { licenseId } = this
    const request = { licenseId, fingerprint, leaseSeconds: LEASE_SECONDS, claimKey: undefined, ...fields }
    return this.jobs.lease(request, this.now)
  }

  /** Claims, and returns the id of the job. */
  async claimedId(fingerprint = HOST, fields: Partial<LeaseRequest> = {}): Promise<string | undefined> {
    return (await this.claim(fingerprint, fields)).job?.id
  }

  /** Enqueues a job, lets `fingerprint` claim it, and returns it. */
  async held(fields: Partial<NewJob> = {}, fingerprint = HOST): Promise<Job> {
    const { id } = await this.enqueue(fields)
    const { job } = await this.claim(fingerprint)
    if (job?.id !== id) throw new Error('another job of this license was due before')
    if (!this.#isBegun) return job
    await this.report(job, 'running', { fingerprint })
    return this.stored(job)
  }

  owner(job: Job, fields: Partial<Owner> = {}): Owner {
    const { licenseId } = this
    return { jobId: job.id, licenseId, fingerprint: HOST, attempt: undefined, ...fields }
  }

  report(job: Job, state: JobState, fields: Partial<StatusWrite> = {}): Promise<StatusOutcome | undefined> {
    const word = { state, exitCode: undefined, error: undefined, leaseSeconds: LEASE_SECONDS }
    return this.jobs.report({ ...this.owner(job), ...word, ...fields }, this.now)
  }

  append(
    job: Job,
    texts: readonly string[],
    fields: Partial<LogWrite> = {},
  ): Promise<LogOutcome | undefined> {
    const lines = texts.map((line, index) => ({ ts: index, line }))
    const rest = { offset: undefined, idempotencyKey: undefined, leaseSeconds: LEASE_SECONDS }
    return this.jobs.appendLogs({ ...this.owner(job), lines, ...rest, ...fields }, this.now)
  }

  cancel(
    job: Job,
    fields: Partial<CancelWrite> = {},
    scope = ofLicense(this.licenseId),
  ): Promise<CancelOutcome | undefined> {
    const write = { jobId: job.id, fingerprint: undefined, reason: 'asked', ...fields }
    return this.jobs.requestCancel(scope, write, this.now)
  }

  /** Returns the job as it is stored now. */
  async stored(job: Pick<Job, 'id'>): Promise<Job> {
    const found = await this.jobs.get(PLATFORM, job.id)
    if (found === undefined) throw new Error(`${job.id} is gone`)
    return found
  }

  /** Returns the stored log lines of a job. */
  async lines(job: Job, after = 0, limit = 10_000): Promise<string[]> {
    return (await this.jobs.logs(job.id, after, limit)).map(({ line }) => line)
  }

  /** Sweeps, and returns its changes to jobs of this license. */
  async sweep(): Promise<{ timedOut: string[]; ended: string[] }> {
    const { timedOut, ended } = await this.jobs.sweep(this.now)
    const own = (jobs: readonly Job[]) =>
      jobs.filter((job) => job.licenseId === this.licenseId).map((job) => job.id)
    return { timedOut: own(timedOut), ended: own(ended) }
  }
}

/** The scene of the test that runs. */
export type Scene = () => JobsScene
