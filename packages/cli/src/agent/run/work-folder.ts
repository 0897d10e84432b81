import { lstat, mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../state/durable-file.ts'
import type { StatusReport } from '../wire/agent-api.ts'
import { type ClaimedJob, readJob } from './claimed-job.ts'
import { gitAuthOf, withoutGitAuth } from './git-auth.ts'
import { appEnvironment } from './handler-environment.ts'
import { GRANT, grant, type HandlerPlace } from './handler-folders.ts'
import { type HandlerUser, runAs } from './handler-user.ts'

/** The handler's folder within a work folder. */
const HANDLER_FOLDER = 'run'

/** The rights of a group. */
const GROUP = 0o070

/** The parent folder of work folders, and the user that handlers run as, if not the agent's own. */
export interface WorkRoot {
  readonly path: string
  readonly handlerUser: HandlerUser | undefined
}

/** Returns the parent folder of an agent's work folders. */
export const workRoot = ({ stateDir, handlerUser }: HandlerPlace): WorkRoot => ({
  path: join(stateDir, 'work'),
  handlerUser,
})

/**
 * The folder of one attempt of one job, `work/<job id>.<attempt>` in the state folder. It holds, for the
 * agent alone, the job, the spooled log and the outcome; and the handler's folder `run` with the files that
 * the handler reads. It is deleted when the plane has received the outcome.
 */
export class WorkFolder {
  readonly job: ClaimedJob
  readonly path: string
  /** The working folder of the handler. */
  readonly handlerPath: string
  readonly #user: HandlerUser | undefined

  private constructor(root: WorkRoot, job: ClaimedJob) {
    this.job = job
    this.path = join(root.path, `${job.id}.${job.attempt}`)
    this.handlerPath = join(this.path, HANDLER_FOLDER)
    this.#user = root.handlerUser
  }

  /** Makes the folder of a job that was just claimed. */
  static async create(root: WorkRoot, job: ClaimedJob): Promise<WorkFolder> {
    const folder = new WorkFolder(root, job)
    const user = root.handlerUser
    const text = JSON.stringify(job.raw)
    await folder.remove()
    await mkdir(folder.path, { recursive: true, mode: 0o700 })
    // Fails if the folder exists already: until it is handed over below, no other user may have touched it.
    await mkdir(folder.handlerPath, { mode: 0o700 })
    await writeFile(folder.envFile, appEnvironment(job), { mode: 0o600 })
    await writeFile(folder.jobFile, JSON.stringify(withoutGitAuth(job)), { mode: 0o600 })
    const auth = gitAuthOf(job)?.text
    if (auth !== undefined) await writeFile(folder.gitAuthFile, auth, { mode: 0o600 })
    if (user) {
      const files = [folder.envFile, folder.jobFile, ...(auth === undefined ? [] : [folder.gitAuthFile])]
      for (const file of files) await grant(file, user, GRANT.read)
      await grant(folder.handlerPath, user, GRANT.work)
      await grant(folder.path, user, GRANT.pass)
    }
    await writeDurably(folder.#keptJob, text)
    return folder
  }

  /**
   * Returns the folders that an earlier agent left behind. A folder whose job cannot be read was never begun
   * and is deleted.
   */
  static async leftovers(root: WorkRoot): Promise<WorkFolder[]> {
    const names = await readdir(root.path).catch(() => [])
    const found = await Promise.all(names.map((name) => WorkFolder.#reopen(root, name)))
    return found.filter((folder) => folder !== undefined)
  }

  static async #reopen(root: WorkRoot, name: string): Promise<WorkFolder | undefined> {
    const path = join(root.path, name)
    const job = readJob(await readJson(join(path, 'job.json')))
    const folder = job && new WorkFolder(root, job)
    if (folder && folder.path === path) return folder
    await removeFolder(path, root.handlerUser)
    return undefined
  }

  /** The job object as the plane sent it, for the handler. */
  get jobFile(): string {
    return join(this.handlerPath, 'job.json')
  }

  /** The application's variables as shell assignments. */
  get envFile(): string {
    return join(this.handlerPath, 'app.env')
  }

  /** The handler's report on the images of the host. */
  get imagesFile(): string {
    return join(this.handlerPath, 'images.json')
  }

  /** The credentials of the repository, if the job brings some; the deploy handler removes it after use. */
  get gitAuthFile(): string {
    return join(this.handlerPath, 'git-auth')
  }

  /** The lines that the handler wrote. */
  get spoolFile(): string {
    return join(this.path, 'log.ndjson')
  }

  /**
   * Stores how the job ended, so that a restarted agent can report it. A failed write, as on a full disk, is
   * ignored.
   */
  async keepOutcome(report: StatusReport): Promise<void> {
    await writeDurably(this.#outcomeFile, JSON.stringify(report)).catch(() => {})
  }

  /** Returns how the job ended, or undefined when it has not. */
  async outcome(): Promise<StatusReport | undefined> {
    const kept = (await readJson(this.#outcomeFile)) as StatusReport | undefined
    return typeof kept?.state === 'string' ? kept : undefined
  }

  /** Removes the folder. */
  async remove(): Promise<void> {
    await removeFolder(this.path, this.#user)
  }

  /** The agent's own copy of the job: the handler can change the copy that it is given. */
  get #keptJob(): string {
    return join(this.path, 'job.json')
  }

  get #outcomeFile(): string {
    return join(this.path, 'outcome.json')
  }
}

/**
 * Deletes a work folder, the agent's own files first: without them the job is never taken up again. Files of
 * another user are deleted as that user, because one of their processes may still run and could lead root by
 * a link to any other folder. Files that cannot be deleted stay until the next start and block nothing.
 */
async function removeFolder(path: string, user: HandlerUser | undefined): Promise<void> {
  const names: string[] = await readdir(path).catch(() => [])
  const own = names.filter((name) => name !== HANDLER_FOLDER)
  await Promise.allSettled(own.map((name) => rm(join(path, name), { recursive: !user, force: true })))
  if (names.includes(HANDLER_FOLDER))
    await removeHandlerFolder(join(path, HANDLER_FOLDER), user).catch(() => {})
  await rmdir(path).catch(() => {})
}

async function removeHandlerFolder(path: string, user: HandlerUser | undefined): Promise<void> {
  if (!user) return rm(path, { recursive: true, force: true, maxRetries: 3 })
  // One that its agent never handed over, as it was killed before, has no other user's files.
  if (((await lstat(path)).mode & GROUP) === 0) return rm(path, { recursive: true, force: true })
  // Tools leave read-only folders behind, such as Go's cache of modules.
  await runAs(user, 'find', [path, '-mindepth', '1', '-type', 'd', '-exec', 'chmod', 'u+rwx', '{}', ';'])
  await runAs(user, 'find', [path, '-mindepth', '1', '-delete'])
  await rmdir(path)
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}
