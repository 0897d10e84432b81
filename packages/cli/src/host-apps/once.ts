import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { writeDurably } from '../agent/state/durable-file.ts'

/** The note of a release command that has begun. */
interface Begun {
  readonly job: string
  readonly at: string
}

const fileOf = (runtime: string, app: string): string => join(runtime, `release-${app}.json`)

/**
 * Runs the release command of a job, which no later attempt repeats: its start is noted before, and the note
 * goes when its end was seen.
 * @throws Problem `conflict` when an earlier attempt began it, and nobody saw its end
 */
export async function once<T>(
  { runtime, app, job, now }: { runtime: string; app: string; job: string | undefined; now: Date },
  work: () => Promise<T>,
): Promise<T> {
  const file = fileOf(runtime, app)
  const begun = read(file)
  if (job !== undefined && begun?.job === job)
    throw new Problem('conflict', {
      detail: `the release command of this job began at ${begun.at}, and nobody saw its end: look at the things that it changes, then deploy again, which runs it again`,
    })
  if (job !== undefined) await writeDurably(file, JSON.stringify({ job, at: now.toISOString() }))
  const done = await work()
  rmSync(file, { force: true })
  return done
}

function read(file: string): Begun | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Begun
  } catch {
    return undefined
  }
}
