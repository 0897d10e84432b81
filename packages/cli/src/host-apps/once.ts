import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { writeDurably } from '../agent/state/durable-file.ts'
import { CALLED_OFF, type TaskFault, UNSEEN } from './task.ts'

/** The note of a release command that has begun. */
interface Begun {
  readonly job: string
  readonly at: string
}

const fileOf = (runtime: string, app: string): string => join(runtime, `release-${app}.json`)

/** Faults of a command that did not come to its own end: it may have done a part of its work. */
const CUT_OFF: readonly TaskFault[] = [CALLED_OFF, UNSEEN]

/**
 * Runs the release command of a job, which no later attempt repeats: its start is noted before, and the note
 * goes when it has come to an end of its own.
 * @throws Problem `conflict` when an earlier attempt began it, and it did not come to its end
 */
export async function once(
  { runtime, app, job, now }: { runtime: string; app: string; job: string | undefined; now: Date },
  work: () => Promise<TaskFault>,
): Promise<TaskFault> {
  const file = fileOf(runtime, app)
  const begun = read(file)
  if (job !== undefined && begun?.job === job)
    throw new Problem('conflict', {
      detail: `the release command of this job began at ${begun.at}, and did not come to its end: look at the things that it changes, then deploy again, which runs it again`,
    })
  if (job !== undefined) await writeDurably(file, JSON.stringify({ job, at: now.toISOString() }))
  const fault = await work()
  if (!CUT_OFF.includes(fault)) rmSync(file, { force: true })
  return fault
}

function read(file: string): Begun | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Begun
  } catch {
    return undefined
  }
}
