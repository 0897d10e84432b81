import type { ImageView, JobView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import type { ExitCode } from '../../terminal/failure.ts'
import { followToEnd } from '../jobs/follow.ts'
import { jobsTable } from '../jobs/job-table.ts'
import { imagesTable } from './image-table.ts'

/** Flags of `svc images restore`. */
export interface RestoreOptions {
  readonly license?: string
  readonly host?: string
  readonly target?: string
  readonly drill?: boolean
  readonly verify?: boolean
  readonly data?: boolean
  readonly undo?: boolean
  readonly follow?: boolean
}

/** Orders the restore of an image, and follows its job when asked to. */
export const restoreImage: Handler<RestoreOptions> = async (run): Promise<ExitCode | undefined> => {
  const { license, host, target, drill, verify, undo } = run.options
  const data = undo ? 'undo' : run.options.data ? 'restore' : undefined
  const input = given({ image: run.arg(0), license, host, target, drill, verify, data })
  await using connection = await run.connect()
  const answer = (await connection.run('images.restore', input)) as unknown as Restoring
  const { job } = answer
  if (run.options.follow !== true) {
    run.print(answer, (page) => jobsTable([job], page))
    run.hint(`Follow it: svc jobs logs ${shellWord(job.id)} --follow`)
    return undefined
  }
  return followToEnd(run, connection, job, (last) => ({ ...answer, job: last }))
}

interface Restoring {
  readonly image: ImageView
  readonly job: JobView
}

/** Flags of `svc images forget`. */
export interface ForgetOptions {
  readonly license?: string
  readonly force?: boolean
}

/** Takes an image off the ledger. */
export const forgetImage: Handler<ForgetOptions> = async (run) => {
  const { license, force } = run.options
  const input = given({ image: run.arg(0), license, force })
  const answer = await run.operate<{ image: ImageView }>('images.forget', input)
  run.print(answer, (page) => imagesTable([answer.image], page))
}
