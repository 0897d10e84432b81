import { unixSeconds } from '../../kernel/clock.ts'
import { instantOf } from '../../kernel/ids.ts'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ArchiveFolder, type ArchiveLine } from '../../platform/archive/archive-folder.ts'
import type { Base } from '../../platform/base.ts'
import type { StoredLine } from '../jobs/job-log.ts'
import { jobView } from '../jobs/job-view.ts'
import type { RetainedJob, RetentionState } from './retention-store.ts'

/** The parts that `JobArchive` is built from. */
export interface JobArchiveParts extends Pick<Base, 'storage' | 'ids'> {
  /** The folder; `none` ends an archive; undefined: there is none. */
  readonly dir: string | undefined
}

const NONE = 'none'
/** Lines of a log that are read at a time, and their characters. */
const LINES = 10_000
const CHARS = 4_000_000

/** The day on which a job was made, by its id: the files of an archive have it in their names. */
export const dayOf = (id: string): string => instantOf(id).toISOString().slice(0, 10)

const refused = (detail: string): Problem => new Problem('conflict', { detail })

/**
 * The archive of a plane: jobs and logs are written to it before they are removed. The database knows the
 * mark of its folder, so that a replica without the folder, or with the wrong one, removes nothing.
 */
export class JobArchive {
  readonly #parts: JobArchiveParts
  readonly #folder: ArchiveFolder | undefined

  constructor(parts: JobArchiveParts) {
    this.#parts = parts
    this.#folder = parts.dir === undefined || parts.dir === NONE ? undefined : new ArchiveFolder(parts.dir)
  }

  /** The folder; undefined when there is none. */
  get dir(): string | undefined {
    return this.#folder?.dir
  }

  /**
   * Looks at the folder as `open` does, and changes nothing.
   * @throws Problem `conflict` when `open` would
   */
  async check({ archive }: RetentionState): Promise<void> {
    const folder = this.#folder
    if (folder === undefined) this.#requireNone(archive)
    else if (archive === undefined) await requireNew(folder)
    else await requireMark(folder, archive)
  }

  /**
   * Returns the folder to write to, which is begun when it is new; undefined when rows go without an archive.
   * @throws Problem `conflict` when this replica does not have the folder of this plane
   */
  async open({ archive }: RetentionState): Promise<ArchiveFolder | undefined> {
    const { storage, ids } = this.#parts
    const folder = this.#folder
    if (folder === undefined) {
      this.#requireNone(archive)
      if (archive !== undefined) await storage.retention.setArchive(undefined)
      return undefined
    }
    await requireMark(folder, archive ?? (await this.#begun(folder, ids.next('arc'))))
    return folder
  }

  /** Writes jobs, and resolves when they are on the disk. */
  async keepJobs(folder: ArchiveFolder, jobs: readonly RetainedJob[]): Promise<void> {
    const lines = jobs.map(({ job, deployment }) => ({
      of: job.id,
      text: JSON.stringify({
        job: jobView(job, true),
        ...present(
          'deployment',
          deployment && {
            id: deployment.id,
            app: deployment.app,
            source: deployment.source,
            ...present('made_by', deployment.madeBy),
            created_at: unixSeconds(deployment.createdAt),
          },
        ),
      }),
    }))
    await writeByDay(folder, 'jobs', lines)
  }

  /** Writes the logs of jobs, and resolves when they are on the disk. */
  async keepLogs(folder: ArchiveFolder, ids: readonly string[]): Promise<void> {
    const { jobs } = this.#parts.storage
    let lines: ArchiveLine[] = []
    let chars = 0
    for (const id of ids) {
      for (let after = 0, more = true; more; ) {
        const found = await jobs.logs(id, after, LINES, CHARS)
        after += found.length
        more = found.length > 0
        for (const line of found) {
          lines.push({ of: id, text: JSON.stringify(line) })
          chars += line.line.length
        }
        if (chars < CHARS) continue
        await writeByDay(folder, 'logs', lines)
        lines = []
        chars = 0
      }
    }
    await writeByDay(folder, 'logs', lines)
  }

  /** Returns the lines of a log that went to the archive; undefined where this replica has none. */
  async log(jobId: string): Promise<readonly StoredLine[] | undefined> {
    if (this.#folder === undefined) return undefined
    const texts = await this.#folder.read(dayOf(jobId), 'logs', jobId).catch(() => [])
    // A run that was cut off before it removed them has written them once more.
    const lines = new Map(
      texts.map((text) => {
        const line = JSON.parse(text) as StoredLine
        return [`${line.attempt} ${line.offset}`, line]
      }),
    )
    const inOrder = (one: StoredLine, other: StoredLine) =>
      one.attempt - other.attempt || one.offset - other.offset
    return lines.size === 0 ? undefined : [...lines.values()].sort(inOrder)
  }

  /** A replica without a folder may go on where there is no archive, or where it is to end. */
  #requireNone(archive: string | undefined): void {
    if (archive === undefined || this.#parts.dir === NONE) return
    throw refused('this plane has an archive: set SERVICE_ARCHIVE_DIR to its folder, or to none to end it')
  }

  /** Marks a new folder, and returns the mark that the database then has. */
  async #begun(folder: ArchiveFolder, mark: string): Promise<string> {
    await requireNew(folder)
    await folder.begin(mark).catch((error: Error) => {
      throw refused(`${folder.dir} cannot be made an archive: ${error.message}`)
    })
    return (await this.#parts.storage.retention.setArchive(mark)).archive ?? ''
  }
}

const markOf = (folder: ArchiveFolder): Promise<string | undefined> => folder.mark().catch(() => undefined)

async function requireNew(folder: ArchiveFolder): Promise<void> {
  if ((await markOf(folder)) === undefined) return
  throw refused(`${folder.dir} is an archive already: choose an empty folder`)
}

async function requireMark(folder: ArchiveFolder, known: string): Promise<void> {
  const mark = await markOf(folder)
  if (mark === undefined) throw refused(`${folder.dir} is not there, or is not mounted: it has no mark`)
  if (mark !== known) throw refused(`${folder.dir} is the archive of another plane: choose an empty folder`)
}

/** Writes lines, which are in the order of their ids, to the files of their days. */
async function writeByDay(folder: ArchiveFolder, kind: string, lines: readonly ArchiveLine[]): Promise<void> {
  const days = Map.groupBy(lines, ({ of }) => dayOf(of))
  for (const [day, own] of days) await folder.write(day, kind, own)
}
