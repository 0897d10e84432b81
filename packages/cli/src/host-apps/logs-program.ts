import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type AppLogsWish, Problem, readAppLogsWish } from '@svc/core'
import { EXIT, failureOf, failureText } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { tameLine } from '../terminal/terminal.ts'
import { readOutput } from './app-output.ts'
import { readAppsFile } from './apps-file.ts'
import { runtimeFolder } from './apps-folder.ts'
import { order } from './control-client.ts'
import { runHostApps } from './host-apps-program.ts'
import { isSystemHost, SYSTEM } from './system/places.ts'

const OPTIONS = {
  apps: { type: 'string' },
  app: { type: 'string' },
  process: { type: 'string' },
  since: { type: 'string' },
  lines: { type: 'string' },
  follow: { type: 'boolean' },
} as const

/**
 * Runs the program of the handlers, or those of sessions: output of an application, a command in it, commits
 * of it.
 */
export async function runHostProgram(io: Io): Promise<void> {
  if (io.args[1] === 'logs') return runLogs(io)
  if (io.args[1] === 'upload') {
    const { runUpload } = await import('./upload-program.ts')
    return runUpload(io)
  }
  if (io.args[1] !== 'run') return runHostApps(io)
  const { runInApp } = await import('./run-in-app.ts')
  return runInApp(io)
}

async function runLogs(io: Io): Promise<void> {
  try {
    const { apps = '', lines, ...values } = parsed(io.args.slice(2))
    if (apps === '') throw new Problem('invalid-input', { detail: '--apps is missing' })
    const count = lines === undefined ? {} : { lines: /^\d{1,7}$/.test(lines) ? Number(lines) : lines }
    io.setExitCode(await printLogs(io, resolve(io.cwd, apps), readAppLogsWish({ ...values, ...count })))
  } catch (error) {
    const failure = failureOf(error)
    io.err.write(failureText(failure))
    io.setExitCode(failure.exitCode)
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (error) {
    throw new Problem('invalid-input', { detail: error instanceof Error ? error.message : String(error) })
  }
}

/**
 * Prints the kept output of an application, and with `follow` goes on until it is asked to end.
 * @throws Problem in words when there is none
 */
async function printLogs(io: Io, apps: string, wish: AppLogsWish): Promise<number> {
  const stop = new AbortController()
  const undo = io.onStop(() => {
    stop.abort()
    // A supervisor that does not answer must not keep the asker.
    if (isSystemHost(apps)) io.exit(EXIT.interrupted)
  })
  try {
    if (isSystemHost(apps)) await askSupervisor(io, apps, wish)
    else await readFiles(io, apps, wish, stop.signal)
    return stop.signal.aborted ? EXIT.interrupted : EXIT.done
  } finally {
    undo()
  }
}

/** The files are root's where systemd keeps applications running: the supervisor reads them. */
async function askSupervisor(io: Io, apps: string, wish: AppLogsWish): Promise<void> {
  const onLine = (line: string) => io.out.write(`${tameLine(line)}\n`)
  const end = await order(apps, { path: '/logs', body: wish, onLine })
  if (end === undefined)
    throw new Problem('unavailable', {
      detail: `${SYSTEM.unit} does not answer: see systemctl status ${SYSTEM.unit} on the host`,
    })
}

async function readFiles(io: Io, apps: string, wish: AppLogsWish, signal: AbortSignal): Promise<void> {
  const runtime = runtimeFolder(apps)
  // Nothing piles up while the asker does not read: the next lines wait until these have left this process.
  const print = async (lines: readonly string[]) => {
    if (lines.length > 0) await io.out.pourRaw(lines.map((line) => `${tameLine(line)}\n`).join(''))
  }
  await readOutput({ runtime, apps, record: await readAppsFile(runtime), wish, print, signal })
}
