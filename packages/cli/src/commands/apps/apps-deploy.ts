import type { DeploymentView, JobView } from '@svc/core'
import { Problem, shellWord } from '@svc/core/client'
import type { Connection } from '../../connect/connect.ts'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { follow, followToEnd, printEnd } from '../jobs/follow.ts'
import { jobsTable } from '../jobs/job-table.ts'
import type { AppOptions } from './apps-show.ts'

interface Made {
  readonly job: JobView
  readonly deployment?: DeploymentView
  readonly warning?: string
  readonly note?: string
  readonly next?: readonly { readonly job_id: string; readonly host: string }[]
}

/** Flags of the commands that make a job for an app. */
export interface FollowOptions extends AppOptions {
  readonly follow?: boolean
}

interface DeployOptions extends FollowOptions {
  readonly sha?: string
  readonly ref?: string
  readonly force?: boolean
  readonly upload?: boolean
}

/** Deploys a commit of an app, the newest one of this folder, or its last one again. */
export const deployApp: Handler<DeployOptions> = async (run) => {
  const { license, sha, ref, force, upload } = run.options
  const wish = { app: run.arg(0), license, force }
  if (!upload) return deployed(run, 'apps.deploy', given({ ...wish, sha, ref }))
  if (sha !== undefined || ref !== undefined)
    throw new Problem('invalid-input', { detail: '--upload sends HEAD: leave --sha and --ref away' })
  const { uploadHead } = await import('./apps-upload.ts')
  return deployed(run, 'apps.deploy', given({ ...wish, sha: await uploadHead(run), uploaded: true }))
}

interface RunOptions extends FollowOptions {
  readonly host?: string
}

const ran =
  (operation: string): Handler<RunOptions> =>
  (run) => {
    const { license, host } = run.options
    return deployed(run, operation, given({ app: run.arg(0), license, host }))
  }

/** Ends the processes of an app. */
export const stopApp = ran('apps.stop')
/** Starts the live release of an app. */
export const startApp = ran('apps.start')
/** Replaces the processes of an app by new ones. */
export const restartApp = ran('apps.restart')

/** Goes back to an earlier good deployment of an app. */
export const rollBackApp: Handler<FollowOptions & RollbackOptions> = (run) => {
  const { license, to, withEnv } = run.options
  return deployed(run, 'apps.rollback', given({ app: run.arg(0), license, to, with_env: withEnv }))
}

interface RollbackOptions {
  readonly to?: string
  readonly withEnv?: boolean
}

/** Makes a job by an operation, and follows it if that is asked for. */
export async function deployed(
  run: CommandRun<FollowOptions>,
  operation: string,
  input: object,
): Promise<ExitCode | undefined> {
  await using connection = await run.connect()
  const answer = (await connection.run(operation, { ...input })) as unknown as Made
  const { job, warning, note, next = [] } = answer
  if (note !== undefined) run.hint(note)
  if (warning !== undefined) run.hint(`warning: ${warning}`)
  if (run.options.follow !== true) {
    run.print(answer, (page) => jobsTable([job], page))
    run.hint(`Follow it: svc jobs logs ${shellWord(job.id)} --follow`)
    for (const { job_id: jobId } of next)
      run.hint(`The next host follows when that has succeeded: svc jobs logs ${shellWord(jobId)} --follow`)
    return undefined
  }
  if (next.length > 0) return followRoll(run, connection, answer)
  return followToEnd(run, connection, job, (last) => {
    const { deployment } = answer
    const ended = deployment === undefined ? {} : { deployment: { ...deployment, state: last.state } }
    return { ...answer, job: last, ...ended }
  })
}

/** Follows the jobs of several hosts, until one of them does not succeed. */
async function followRoll(
  run: CommandRun<FollowOptions>,
  connection: Connection,
  { next = [], ...answer }: Made,
): Promise<ExitCode> {
  const ids = [answer.job.id, ...next.map(({ job_id: jobId }) => jobId)]
  let last = answer.job
  for (const [index, jobId] of ids.entries()) {
    run.hint(`host ${index + 1} of ${ids.length}: following ${jobId}, Ctrl-C leaves it alone`)
    const followed = await follow(run, connection, jobId)
    last = followed.job ?? last
    if (run.options.json !== true) printEnd(run, followed)
    if (followed.exitCode === EXIT.done) continue
    const left = ids.length - index - 1
    if (followed.job !== undefined)
      run.hint(
        `${left} ${left === 1 ? 'host was' : 'hosts were'} left as before: svc jobs retry ${shellWord(jobId)} goes on from this one`,
      )
    if (run.options.json === true) run.print({ ...answer, job: last, next }, () => '')
    return followed.exitCode
  }
  if (run.options.json === true) run.print({ ...answer, job: last, next }, () => '')
  return EXIT.done
}
