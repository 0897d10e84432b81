import type { JobRun } from './job-run.ts'

/** Most jobs that one heartbeat may name (docs/agents.md). */
const MAX_NAMED = 64

/** The jobs that this host has in hand: claimed and not yet ended. */
export class RunningJobs {
  readonly #runs = new Map<string, { readonly run: JobRun; readonly ended: Promise<unknown> }>()

  /** Number of jobs in hand. */
  get size(): number {
    return this.#runs.size
  }

  /** Keeps a job in hand until `ended` settles. */
  add(run: JobRun, ended: Promise<unknown>): void {
    const entry = { run, ended }
    this.#runs.set(run.job.id, entry)
    void ended.finally(() => {
      if (this.#runs.get(run.job.id) === entry) this.#runs.delete(run.job.id)
    })
  }

  /** The run of a job, when it is in hand. */
  get(id: string): JobRun | undefined {
    return this.#runs.get(id)?.run
  }

  /** Returns the jobs that a heartbeat names, so that their leases are renewed. */
  list(): { id: string; attempt: number }[] {
    return [...this.#runs.values()]
      .slice(0, MAX_NAMED)
      .map(({ run: { job } }) => ({ id: job.id, attempt: job.attempt }))
  }

  /** Cancels the jobs of `ids`; jobs that are not in hand are ignored. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) this.get(id)?.interrupt('cancelled')
  }

  /** Cancels the jobs that the header `Svc-Cancel` names. */
  hearCancels(header: string | undefined): void {
    if (header !== undefined) this.cancel(header.split(',').map((id) => id.trim()))
  }

  /** Applies `act` to every run. */
  each(act: (run: JobRun) => void): void {
    for (const { run } of this.#runs.values()) act(run)
  }

  /** Resolves when the next of the jobs in hand has ended. */
  async oneEnded(): Promise<void> {
    await Promise.race([...this.#runs.values()].map(({ ended }) => ended))
  }

  /** Resolves when the job has ended; at once when it is not in hand. */
  async jobEnded(id: string): Promise<void> {
    await this.#runs.get(id)?.ended
  }

  /** Resolves when all jobs that are now in hand have ended. */
  async allEnded(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended))
  }
}
