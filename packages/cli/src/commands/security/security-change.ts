import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { DryRunView, SecurityOutcomeView } from '@svc/core/adapters'
import { Problem, shellWord } from '@svc/core/client'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { plain } from '../../terminal/terminal.ts'
import { exactJson } from '../exact-json.ts'
import { wholeNumber } from '../number-option.ts'
import type { HostOptions } from './security-show.ts'

/** Flags of commands that send something to a host. */
export interface SendOptions extends HostOptions {
  readonly force?: boolean
  readonly rollbackSeconds?: string
}

/** Flags of `svc security set` and `dry-run`. */
export interface SetOptions extends SendOptions {
  readonly file: string
  readonly ifRevision?: string
}

/** The input that all commands of this kind have in common. */
export const sendInput = ({ args, options }: CommandRun<SendOptions>): Record<string, unknown> =>
  given({
    host: args[0],
    license: options.license,
    force: options.force,
    rollback_s: wholeNumber('--rollback-seconds', options.rollbackSeconds),
  })

/** Prints the outcome for a document. */
export function printOutcome(run: CommandRun<SendOptions>, answer: SecurityOutcomeView): void {
  const { changed, revision, job_id: job, warnings } = answer
  run.print(answer, () =>
    changed
      ? `revision ${revision}, carried by ${plain(job ?? '')}\n`
      : job === undefined
        ? `nothing has changed: revision ${revision} says the same\n`
        : `revision ${revision} once more, carried by ${plain(job)}\n`,
  )
  run.hint(...warnings.map((warning) => `warning: ${warning}`))
  if (job !== undefined) run.hint(`Follow it: svc jobs logs ${shellWord(job)} --follow`)
}

/** Gives a host the settings of a file. */
export const setSecurity: Handler<SetOptions> = async (run) => {
  const settings = await settingsIn(run.io.cwd, run.options.file)
  const ifRevision = wholeNumber('--if-revision', run.options.ifRevision)
  const input = given({ ...sendInput(run), settings, if_revision: ifRevision })
  printOutcome(run, await run.operate<SecurityOutcomeView>('security.set', input))
}

/** Shows the rules that the settings of a file would become. */
export const trySecurity: Handler<SetOptions> = async (run) => {
  const settings = await settingsIn(run.io.cwd, run.options.file)
  const answer = await run.operate<DryRunView>('security.dry-run', { ...sendInput(run), settings })
  run.print(answer, () => answer.rendered)
  run.hint(...answer.warnings.map((warning) => `warning: ${warning}`))
}

/** Sends the newest settings once more. */
export const reapplySecurity: Handler<SendOptions> = async (run) => {
  printOutcome(run, await run.operate<SecurityOutcomeView>('security.reapply', sendInput(run)))
}

/** Flags of `svc security rollback`. */
export interface RollbackOptions extends SendOptions {
  readonly to: string
}

/** Gives a host the settings of an earlier revision. */
export const rollbackSecurity: Handler<RollbackOptions> = async (run) => {
  const input = { ...sendInput(run), to: wholeNumber('--to', run.options.to) }
  printOutcome(run, await run.operate<SecurityOutcomeView>('security.rollback', input))
}

async function settingsIn(cwd: string, file: string): Promise<object> {
  const path = resolve(cwd, file)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Problem('invalid-input', { detail: `the settings file ${path} cannot be read (${error.code})` })
  })
  const settings = exactJson(text)
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return settings
  throw new Problem('invalid-input', { detail: `${path} must hold a JSON object` })
}
