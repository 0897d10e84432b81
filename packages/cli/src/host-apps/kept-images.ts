import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '@svc/core'
import { releaseFolder } from './apps-folder.ts'

/** The file of a release that is an image: the jobs that deployed it, a line each. */
const JOBS = 'jobs'
const MAX_JOBS = 50
const MAX_ASKED = 20

/** The wish of a job to have the image of an earlier job. */
interface KeptWish {
  readonly jobs: readonly string[]
  /** Whether there is no other way to it: a rollback asks no registry. */
  readonly only: boolean
}

async function wishOf(jobFile: string | undefined): Promise<KeptWish> {
  if (!jobFile) return { jobs: [], only: false }
  const { payload } = JSON.parse(await readFile(jobFile, 'utf8')) as { payload?: { source?: object } }
  const { kept, only_kept: only } = (payload?.source ?? {}) as { kept?: unknown; only_kept?: unknown }
  const jobs = Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
  return { jobs: jobs.slice(0, MAX_ASKED), only: only === true }
}

const jobsOf = (folder: string): readonly string[] => {
  const path = join(folder, JOBS)
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
}

/** The release that is live; undefined when none is. */
function liveRelease(apps: string, app: string): string | undefined {
  try {
    return basename(readlinkSync(join(apps, app, 'current')))
  } catch {
    return undefined
  }
}

/**
 * The digest of the image of an earlier job, when its job asks for one that this host has.
 * @throws Problem `conflict` for a rollback to an image that is gone
 */
export async function keptImage(
  apps: string,
  app: string,
  jobFile: string | undefined,
): Promise<string | undefined> {
  const { jobs, only } = await wishOf(jobFile)
  if (jobs.length === 0) return undefined
  const folder = join(apps, app, 'releases')
  const releases = (existsSync(folder) ? readdirSync(folder) : []).filter((name) =>
    /^[0-9a-f]{64}$/.test(name),
  )
  const live = liveRelease(apps, app)
  const found = jobs.flatMap((job) =>
    releases.filter(
      (sha) => jobsOf(join(folder, sha)).includes(job) && !(only && jobs.length > 1 && sha === live),
    ),
  )
  if (found[0] !== undefined || !only) return found[0]
  throw new Problem('conflict', {
    detail: `this host has no image of that deployment any more: svc apps deploy ${app} --ref TAG pulls one`,
  })
}

/** Notes that a job has deployed an image. */
export function noteJob(apps: string, app: string, sha: string, job: string | undefined): void {
  if (!job) return
  const folder = releaseFolder(apps, app, sha)
  const jobs = [...jobsOf(folder).filter((each) => each !== job), job].slice(-MAX_JOBS)
  writeFileSync(join(folder, JOBS), jobs.map((each) => `${each}\n`).join(''))
}
