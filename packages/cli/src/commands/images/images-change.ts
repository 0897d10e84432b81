import type { ImageView, JobView } from '@svc/core'
import { shellWord } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { jobsTable } from '../jobs/job-table.ts'
import { imagesTable } from './image-table.ts'

/** Flags of `svc images restore`. */
export interface RestoreOptions {
  readonly license?: string
  readonly host?: string
  readonly target?: string
  readonly drill?: boolean
  readonly verify?: boolean
}

/** Orders the restore of an image. */
export const restoreImage: Handler<RestoreOptions> = async (run) => {
  const { license, host, target, drill, verify } = run.options
  const input = given({ image: run.arg(0), license, host, target, drill, verify })
  const answer = await run.operate<{ image: ImageView; job: JobView }>('images.restore', input)
  run.print(answer, (page) => jobsTable([answer.job], page))
  run.hint(`Follow it: svc jobs logs ${shellWord(answer.job.id)} --follow`)
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
