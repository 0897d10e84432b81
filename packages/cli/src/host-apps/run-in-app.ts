import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Problem, readAppRun } from '@svc/core'
import { failureOf, failureText } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { readAppsFile } from './apps-file.ts'
import { hostVariables, releaseFolder, runtimeFolder } from './apps-folder.ts'
import { order } from './control-client.ts'
import { placedVolumes } from './process-runtime.ts'
import { isSystemHost, SYSTEM } from './system/places.ts'

const OPTIONS = { apps: { type: 'string' }, app: { type: 'string' }, command: { type: 'string' } } as const

/** Runs one command in the live release of an application, with its variables. Its exit code is ours. */
export async function runInApp(io: Io): Promise<void> {
  try {
    const { apps = '', ...given } = parseArgs({ args: io.args.slice(2), options: OPTIONS }).values
    const { app, command } = readAppRun(given)
    io.setExitCode(await runCommand(io, resolve(io.cwd, apps), app, command))
  } catch (error) {
    const failure = failureOf(error)
    io.err.write(failureText(failure))
    io.setExitCode(failure.exitCode)
  }
}

async function runCommand(io: Io, apps: string, app: string, command: string): Promise<number> {
  if (isSystemHost(apps)) return runThere(io, apps, app, command)
  const live = (await readAppsFile(runtimeFolder(apps)))?.apps[app]?.live
  if (live === undefined)
    throw new Problem('not-found', { detail: `there is no app ${app} that runs on this host` })
  const own = { SVC_APP: app, SVC_RELEASE: String(live.number), SVC_SHA: live.sha, SVC_PROCESS: 'run.1' }
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: releaseFolder(apps, app, live.sha),
    env: { ...hostVariables(io.env), ...live.env, ...placedVolumes(apps, app, live.volumes ?? {}), ...own },
    stdio: 'inherit',
  })
  // The command gets the signals too, and answers them.
  const undo = io.onStop(() => {})
  try {
    const { promise, resolve: end, reject } = Promise.withResolvers<number>()
    child.once('error', reject)
    child.once('exit', (code, signal) => end(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
    return await promise
  } finally {
    undo()
  }
}

/** The supervisor runs it, as the user of the application: its output and its errors are one. */
async function runThere(io: Io, apps: string, app: string, command: string): Promise<number> {
  const onLine = (line: string) => io.out.write(`${line}\n`)
  const input = io.input()
  const given = order(apps, { path: '/run', body: { app, command }, onLine, input })
  const fault = await given.finally(() => io.leaveInput())
  if (fault === undefined)
    throw new Problem('unavailable', { detail: `${SYSTEM.unit} does not run: see svc agent doctor` })
  if (fault === '') return 0
  const code = /exit code (\d{1,3})$/.exec(fault)?.[1]
  if (code === undefined) io.err.write(`${fault}\n`)
  return Number(code ?? 1)
}
