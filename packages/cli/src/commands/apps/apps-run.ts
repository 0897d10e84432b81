import { Problem } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { carryOpened, commandOf } from '../ssh/ssh-open.ts'
import type { AppOptions } from './apps-show.ts'

/** Runs one command in the live release of an app, over a session. */
export const runInApp: Handler<AppOptions & { readonly reason?: string }> = async (run) => {
  const [app, ...words] = run.args
  if (words.length === 0)
    throw new Problem('invalid-input', { detail: 'say the command: svc apps run APP -- COMMAND' })
  const { license, reason } = run.options
  return carryOpened(run, 'apps.run', () => given({ app, license, reason, command: commandOf(words) }))
}
