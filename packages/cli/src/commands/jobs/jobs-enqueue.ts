import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { DeploymentView, JobView } from '@svc/core'
import { Problem, shellWord } from '@svc/core/client'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import type { ExitCode } from '../../terminal/failure.ts'
import { exactJson } from '../exact-json.ts'
import { wholeNumber } from '../number-option.ts'
import { followToEnd } from './follow.ts'
import { jobsTable } from './job-table.ts'

/** Flags of `svc jobs enqueue`. */
export interface EnqueueOptions {
  readonly license: string
  readonly host?: string
  readonly payload: string
  readonly app?: string
  readonly urgent?: boolean
  readonly dedupeKey?: string
  readonly runAt?: string
  readonly timeout?: string
  readonly follow?: boolean
}

interface Enqueued {
  readonly job: JobView
  readonly deployment?: DeploymentView
  readonly created: boolean
  readonly warning?: string
}

/** Gives the hosts of a license a job, and follows it when asked to. */
export const enqueueJob: Handler<EnqueueOptions> = async (run): Promise<ExitCode | undefined> => {
  const input = await inputOf(run)
  await using connection = await run.connect()
  const answer = (await connection.run('jobs.enqueue', input)) as unknown as Enqueued
  const { job, created, warning } = answer
  if (!created) run.hint(`${job.id} is unfinished and has this dedupe key: nothing new was made.`)
  if (warning !== undefined) run.hint(`warning: ${warning}`)
  if (run.options.follow !== true) {
    run.print(answer, (page) => jobsTable([job], page))
    run.hint(`Follow it: svc jobs logs ${shellWord(job.id)} --follow`)
    return undefined
  }
  return followToEnd(run, connection, job, (last) =>
    given({ ...answer, job: last, deployment: mirrored(answer.deployment, last) }),
  )
}

// A deployment has its job's state, word for word (docs/agents.md).
const mirrored = (deployment: DeploymentView | undefined, { state }: JobView): DeploymentView | undefined =>
  deployment === undefined ? undefined : { ...deployment, state }

async function inputOf({ io, args, options }: CommandRun<EnqueueOptions>): Promise<Record<string, unknown>> {
  const payload = await payloadOf(io.cwd, options.payload)
  return given({
    kind: args[0],
    license: options.license,
    host: options.host,
    payload: options.app === undefined ? payload : { ...payload, app: options.app },
    urgent: options.urgent,
    dedupe_key: options.dedupeKey,
    run_at: options.runAt,
    timeout_seconds: wholeNumber('--timeout', options.timeout),
  })
}

async function payloadOf(cwd: string, text: string): Promise<object> {
  const json = text.startsWith('@') ? await readPayload(resolve(cwd, text.slice(1))) : text
  const payload = exactJson(json)
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload
  throw new Problem('invalid-input', { detail: '--payload must be a JSON object, or @FILE that holds one' })
}

async function readPayload(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Problem('invalid-input', { detail: `the payload file ${path} cannot be read (${error.code})` })
  })
}
