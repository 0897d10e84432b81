import { type Job, noJob } from '../../jobs/job.ts'
import type { OperatedJobs } from '../../jobs/job-operations.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { CancelOutcome, CancelWrite, JobFilter, ListedJob } from '../../jobs/jobs-store.ts'
import type { EnqueueInput } from '../../jobs/new-job.ts'
import { unknownLicense } from '../../licenses/license-name.ts'
import { Problem } from '../../problem.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The jobs of one tenant. Others do not exist for it. */
export class TenantJobs implements OperatedJobs {
  readonly #jobs: Jobs
  readonly #licenses: TenantLicenses

  constructor(jobs: Jobs, licenses: TenantLicenses) {
    this.#jobs = jobs
    this.#licenses = licenses
  }

  async enqueue(input: EnqueueInput) {
    await this.#licenses.require(input.licenseId)
    return this.#jobs.enqueue(input)
  }

  async warning(job: Job): Promise<string | undefined> {
    await this.#licenses.require(job.licenseId)
    return this.#jobs.warning(job)
  }

  async get(jobId: string): Promise<Job> {
    const job = await this.#jobs.get(jobId)
    if (!(await this.#licenses.owns(job.licenseId))) throw noJob(jobId)
    return job
  }

  async list(filter: JobFilter): Promise<readonly ListedJob[]> {
    const own = (await this.#licenses.list()).map(({ id }) => id)
    for (const id of filter.licenseIds ?? []) if (!own.includes(id)) throw unknownLicense()
    return this.#jobs.list({ licenseIds: own, ...filter })
  }

  async logs(jobId: string, after: number, limit: number, chars?: number) {
    await this.get(jobId)
    return this.#jobs.logs(jobId, after, limit, chars)
  }

  async logLength(jobId: string): Promise<number> {
    await this.get(jobId)
    return this.#jobs.logLength(jobId)
  }

  async why(jobId: string) {
    await this.get(jobId)
    return this.#jobs.why(jobId)
  }

  async retry(jobId: string) {
    await this.get(jobId)
    return this.#jobs.retry(jobId)
  }

  /** @throws Problem `job-not-found`, as for a job that does not exist */
  async cancel(write: CancelWrite): Promise<CancelOutcome> {
    const job = await this.get(write.jobId).catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'not-found' ? new Problem('job-not-found') : error
    })
    return this.#jobs.cancel({ ...write, licenseId: job.licenseId })
  }
}
