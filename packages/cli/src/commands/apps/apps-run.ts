import { Problem } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { carryOpened, commandOf } from '../ssh/ssh-open.ts'
import type { AppOptions } from './apps-show.ts'

interface RunOptions extends AppOptions {
  readonly host?: string
  readonly reason?: string
}

/** Runs one command in the live release of an app, over a session. */
export const runInApp: Handler<RunOptions> = async (run) => {
  const [app, ...words] = run.args
  if (words.length === 0)
    throw new Problem('invalid-input', { detail: 'say the command: svc apps run APP -- COMMAND' })
  const { license, host, reason } = run.options
  return carryOpened(run, 'apps.run', () => given({ app, license, host, reason, command: commandOf(words) }))
}
