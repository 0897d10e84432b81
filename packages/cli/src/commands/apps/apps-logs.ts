import { given, type Handler } from '../../program/command-run.ts'
import { wholeNumber } from '../number-option.ts'
import { carryOpened } from '../ssh/ssh-open.ts'
import type { AppOptions } from './apps-show.ts'

/** Flags of `svc apps logs`. */
export interface AppLogsOptions extends AppOptions {
  readonly host?: string
  readonly process?: string
  readonly since?: string
  readonly lines?: string
  readonly follow?: boolean
}

/** Prints the output of an app, which its host keeps, over a session. */
export const appLogs: Handler<AppLogsOptions> = (run) =>
  carryOpened(run, 'apps.logs', () => {
    const { license, host, process, since, lines, follow } = run.options
    const wish = { process, since, lines: wholeNumber('--lines', lines), follow }
    return given({ app: run.arg(0), license, host, ...wish })
  })
