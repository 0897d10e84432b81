import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StatusReport } from './agent-api.ts'
import { type ClaimedJob, readJob } from './claimed-job.ts'
import { writeDurably } from './durable-file.ts'
import { appEnvironment } from './handler-environment.ts'

/**
 * The folder of one attempt of one job, `work/<job id>.<attempt>` in the state folder, mode 0700: what the handler reads,
 * the spooled log, and how it ended until the plane has heard it. It goes when the plane has.
 */
export class WorkFolder {
  readonly job: ClaimedJob
  readonly path: string

  private constructor(root: string, job: ClaimedJob) {
    this.job = job
    this.path = join(root, `${job.id}.${job.attempt}`)
  }

  /** Makes the folder of a job just claimed, with `job.json` and `app.env` in it. */
  static async create(root: string, job: ClaimedJob): Promise<WorkFolder> {
    const folder = new WorkFolder(root, job)
    await rm(folder.path, { recursive: true, force: true })
    await mkdir(folder.path, { recursive: true, mode: 0o700 })
    await writeFile(folder.envFile, appEnvironment(job), { mode: 0o600 })
    await writeDurably(folder.jobFile, JSON.stringify(job.raw))
    return folder
  }

  /** The folders that an earlier agent left behind. One whose job cannot be read was never begun and is removed. */
  static async leftovers(root: string): Promise<WorkFolder[]> {
    const names = await readdir(root).catch(() => [])
    const found = await Promise.all(names.map((name) => WorkFolder.#reopen(root, name)))
    return found.filter((folder) => folder !== undefined)
  }

  static async #reopen(root: string, name: string): Promise<WorkFolder | undefined> {
    const job = readJob(await readJson(join(root, name, 'job.json')))
    const folder = job && new WorkFolder(root, job)
    if (folder && folder.path === join(root, name)) return folder
    await rm(join(root, name), { recursive: true, force: true })
    return undefined
  }

  /** The job object as the plane sent it. */
  get jobFile(): string {
    return join(this.path, 'job.json')
  }

  /** The application's variables as shell assignments. */
  get envFile(): string {
    return join(this.path, 'app.env')
  }

  /** The lines that the handler wrote. */
  get spoolFile(): string {
    return join(this.path, 'log.ndjson')
  }

  /** Keeps how the job ended: a restarted agent reports it if this one cannot. A full disk costs only that. */
  async keepOutcome(report: StatusReport): Promise<void> {
    await writeDurably(this.#outcomeFile, JSON.stringify(report)).catch(() => {})
  }

  /** How the job ended, when it has. */
  async outcome(): Promise<StatusReport | undefined> {
    const kept = (await readJson(this.#outcomeFile)) as StatusReport | undefined
    return typeof kept?.state === 'string' ? kept : undefined
  }

  /** Removes the folder. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 })
  }

  get #outcomeFile(): string {
    return join(this.path, 'outcome.json')
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}
