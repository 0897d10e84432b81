import type { JobView } from '@svc/core'
import type { Connection } from '../../connect/connect.ts'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { follow, type LogsOptions, printEnd } from '../jobs/follow.ts'
import { type MoveAnswer, moveTable } from './app-tables.ts'
import type { AppOptions } from './apps-show.ts'
import { hostNames, type NameHost } from './host-names.ts'

/** Flags of `svc apps move`. */
export interface MoveOptions extends AppOptions {
  readonly to?: string
  readonly data?: boolean
  readonly dryRun?: boolean
  readonly undo?: boolean
  readonly finish?: boolean
}

type Moved = MoveAnswer & { readonly upload?: string; readonly job?: JobView; readonly warning?: string }

const LAST_WORDS = {
  moved: 'The old host keeps everything, stopped: --undo goes back to it, --finish removes the app there.',
  undone: 'The host that it came back from keeps its files, stopped.',
  finished: 'Volumes stay on the old host, for a job remove with data.',
} as const

/** Moves an app to another host, each step after the one before, and goes on where an earlier call ended. */
export const moveApp: Handler<MoveOptions & LogsOptions> = async (run) => {
  const { license, to, data, dryRun, undo, finish } = run.options
  const input = given({ app: run.arg(0), license, to, data, undo, finish })
  await using connection = await run.connect()
  const ask = async (more: object) =>
    (await connection.run('apps.move', { ...input, ...more })) as unknown as Moved
  const plan = await ask({ dry_run: true })
  const nameOf = await hostNames(run, connection)
  if (dryRun === true) {
    run.print(plan, (page) => moveTable(plan, page, nameOf))
    if (plan.upload !== undefined) run.hint(`First ${plan.upload} is sent to the new host from this folder.`)
    return undefined
  }
  if (plan.upload !== undefined) {
    const { uploadCommit } = await import('./apps-upload.ts')
    await uploadCommit(run, plan.upload, plan.to)
  }
  for (;;) {
    const now = await ask({})
    if (now.warning !== undefined) run.hint(`warning: ${now.warning}`)
    if (now.job === undefined) return ended(run, now, nameOf)
    const code = await followStep(run, { connection, nameOf }, now, now.job)
    if (code !== undefined) return code
  }
}

function ended(run: CommandRun<MoveOptions>, now: Moved, nameOf: NameHost): undefined {
  run.print(now, (page) => moveTable(now, page, nameOf))
  const words = LAST_WORDS[now.state as keyof typeof LAST_WORDS]
  if (words !== undefined) run.hint(words)
}

/** Follows the job of a step; undefined when it has succeeded. */
async function followStep(
  run: CommandRun<LogsOptions>,
  { connection, nameOf }: { readonly connection: Connection; readonly nameOf: NameHost },
  now: Moved,
  job: JobView,
): Promise<ExitCode | undefined> {
  const number = now.steps.findIndex(({ state }) => state === 'now')
  const { step = '', host = '' } = now.steps[number] ?? {}
  run.hint(`step ${number + 1} of ${now.steps.length}, ${step} on ${nameOf(host)}: ${job.id}`)
  const followed = await follow(run, connection, job.id)
  if (run.options.json !== true) printEnd(run, followed)
  if (followed.exitCode === EXIT.done) return undefined
  if (followed.job !== undefined)
    run.hint('The move stands still: the same command does this step again, and --undo goes back.')
  if (run.options.json === true) run.print({ ...now, job: followed.job ?? job }, () => '')
  return followed.exitCode
}
