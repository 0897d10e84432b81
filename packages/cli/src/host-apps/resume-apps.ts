import { closeSync, existsSync, openSync } from 'node:fs'
import type { Log } from '@svc/core'
import type { HandlerUser } from '../agent/run/handler-user.ts'
import type { Io } from '../terminal/io.ts'
import { hostVariables, runtimeFolder } from './apps-folder.ts'
import { isSystemHost } from './system/places.ts'

/**
 * Starts the supervisor of an apps folder as the user of handlers, when applications were ever kept running
 * there: they come back with the agent. One that runs already is left alone, and an attached agent leaves it
 * to the process that started it, whose applications end with it.
 */
export function resumeApps(io: Io, log: Log, apps: string, user: HandlerUser | undefined): void {
  if (io.isAttached || isSystemHost(apps) || !existsSync(runtimeFolder(apps))) return
  const its = user && { HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: user.loginShell }
  const nowhere = openSync('/dev/null', 'w')
  try {
    const env = { ...hostVariables(io.env), ...its }
    const child = io.startApart(['host-apps', 'serve', '--apps', apps, '--resume'], env, nowhere, user)
    const failed = (err: unknown) => log.warn({ err }, 'the applications of this host could not be started')
    child.once('error', failed)
    child.once('exit', (code) => {
      if (code !== 0) failed(`exit code ${code}`)
    })
  } finally {
    closeSync(nowhere)
  }
}
