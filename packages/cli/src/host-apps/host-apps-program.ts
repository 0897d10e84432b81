import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Problem } from '@svc/core'
import { lockFolder } from '@svc/core/adapters'
import { failureOf, failureText } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { AppsRecord, readAppsFile } from './apps-file.ts'
import { isAppName, runtimeFolder, sharedVariables } from './apps-folder.ts'
import { imageRelease } from './container-release.ts'
import { ensureSupervisor, order, statusOf } from './control-client.ts'
import { deployApp } from './deploy-app.ts'
import { givenEnv } from './env-file.ts'
import { noteJob } from './kept-images.ts'
import { endLeftovers } from './leftovers.ts'
import { HOST_APPS } from './program-word.ts'
import { serveSite } from './site-program.ts'
import { isSystemHost } from './system/places.ts'
import { volumesFolder } from './volumes.ts'

/** Exit code for handlers: nothing of this application runs here, do as before. */
export const ELSEWHERE = 10

const OPTIONS = {
  apps: { type: 'string' },
  app: { type: 'string' },
  sha: { type: 'string' },
  image: { type: 'string' },
  env: { type: 'string' },
  port: { type: 'string' },
  'alive-ms': { type: 'string' },
  'when-ready': { type: 'boolean' },
  resume: { type: 'boolean' },
  force: { type: 'boolean' },
  data: { type: 'boolean' },
  files: { type: 'boolean' },
  folder: { type: 'string' },
  fallback: { type: 'string' },
  job: { type: 'string' },
  op: { type: 'string' },
  path: { type: 'string' },
  script: { type: 'string' },
  live: { type: 'string' },
} as const

type Values = ReturnType<typeof valuesOf>['values']

const valuesOf = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })

const numberOf = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new Problem('invalid-input', { detail: `--${name} is not a whole number` })
}

const demanded = (text: string | undefined, name: string): string => {
  if (text !== undefined && text !== '') return text
  throw new Problem('invalid-input', { detail: `--${name} is missing` })
}

function appOf({ app }: Values): string {
  const name = demanded(app, 'app')
  if (isAppName(name)) return name
  throw new Problem('invalid-input', { detail: `${name} is not an application name` })
}

/** Runs the program of the handlers: the supervisor of an apps folder, or an order to it. */
export async function runHostApps(io: Io): Promise<void> {
  try {
    const { values, positionals } = valuesOf(io.args.slice(1))
    if (positionals[0] === 'site') return await serveSite(io.env.PORT, io.cwd, values)
    const apps = resolve(io.cwd, demanded(values.apps, 'apps'))
    io.setExitCode(await run(io, positionals[0], apps, values))
  } catch (error) {
    const failure = failureOf(error)
    io.err.write(failureText(failure))
    io.setExitCode(failure.exitCode)
  }
}

async function run(io: Io, verb: string | undefined, apps: string, values: Values): Promise<number> {
  const say = (line: string) => io.out.write(`${line}\n`)
  switch (verb) {
    case 'serve': {
      // Orders need none of what keeps applications running.
      const { serve } = await import('./serve-program.ts')
      return serve(io, apps, {
        ...values,
        aliveMs: numberOf(values['alive-ms'], 'alive-ms'),
        port: numberOf(values.port, 'port'),
      })
    }
    case 'deploy':
      return deploy(io, apps, values)
    case 'stop':
    case 'remove': {
      const app = appOf(values)
      const { data = false, files = false } = values
      const body = verb === 'remove' ? { app, files, data } : { app }
      const end = await order(apps, { path: `/${verb}`, body, onLine: say })
      if (end === undefined && !isSystemHost(apps) && (await readAppsFile(runtimeFolder(apps)))?.apps[app])
        return withoutServer(io, apps, values, verb)
      if (end === undefined || end === 'unknown') return ELSEWHERE
      say(`${end} the processes of ${app}`)
      return 0
    }
    case 'expose':
    case 'unexpose':
      return exposed(io, apps, values, verb)
    case 'data':
      return moveData(io, apps, values)
    case 'db':
      return (await ordered(io, apps, values, verb)) === undefined ? ELSEWHERE : 0
    case 'script':
      return runScript(io, apps, values)
    case 'tidy':
      return (await order(apps, { path: '/tidy' })) === undefined ? ELSEWHERE : 0
    case 'status':
      say(JSON.stringify((await statusOf(apps)) ?? null))
      return 0
    default:
      throw new Problem('invalid-input', {
        detail: `${HOST_APPS} knows serve, site, deploy, stop, remove, expose, unexpose, db, data, script, tidy, logs and status`,
      })
  }
}

/** Gives the order of a job whose payload is the order; undefined where no supervisor takes it. */
async function ordered(io: Io, apps: string, values: Values, verb: 'expose' | 'unexpose' | 'db') {
  if (!isSystemHost(apps)) return undefined
  const job: unknown = JSON.parse(await readFile(resolve(io.cwd, demanded(values.job, 'job')), 'utf8'))
  const body = typeof job === 'object' && job !== null && 'payload' in job ? job.payload : undefined
  if (typeof body !== 'object' || body === null)
    throw new Problem('invalid-input', { detail: 'the job has no payload' })
  const onLine = (line: string) => io.out.write(`${line}\n`)
  await ensureSupervisor(io, apps)
  return order(apps, { path: `/${verb}`, body, onLine })
}

async function exposed(io: Io, apps: string, values: Values, verb: 'expose' | 'unexpose'): Promise<number> {
  const onLine = (line: string) => io.out.write(`${line}\n`)
  if (!isSystemHost(apps)) return ELSEWHERE
  const end = await ordered(io, apps, values, verb)
  if (end === 'unknown') onLine('the app has no such domain on this host')
  if (end === 'unexposed') onLine('the domain leads nowhere now')
  return end === undefined ? 1 : 0
}

/** Gives an order about all data of an application. Its lines are errors: the last word alone is output. */
async function moveData(io: Io, apps: string, values: Values): Promise<number> {
  if (!isSystemHost(apps)) return ELSEWHERE
  const path = values.path === undefined ? undefined : resolve(io.cwd, values.path)
  const body = { op: demanded(values.op, 'op'), app: values.app ?? '', path }
  await ensureSupervisor(io, apps)
  const onLine = (line: string) => io.err.write(`${line}\n`)
  const word = await order(apps, { path: '/data', body, onLine })
  if (word !== undefined && word !== '') io.out.write(`${word}\n`)
  return word === undefined ? 1 : 0
}

const SCRIPT_FACTS = ['SVC_JOB_ID', 'SVC_REF', 'SVC_TRIGGER']

/** Has a script of an application run as the user that builds it. Its exit code is ours. */
async function runScript(io: Io, apps: string, values: Values): Promise<number> {
  const [app, sha, script] = [appOf(values), demanded(values.sha, 'sha'), demanded(values.script, 'script')]
  const facts = SCRIPT_FACTS.flatMap((name) => (io.env[name] === undefined ? [] : [[name, io.env[name]]]))
  const env = {
    ...{ ...sharedVariables(io.env), ...(await givenEnv(values.env)) },
    ...Object.fromEntries(facts),
  }
  const live = values.live === '' ? undefined : values.live
  await ensureSupervisor(io, apps)
  const onLine = (line: string) => io.out.write(`${line}\n`)
  const fault = await order(apps, { path: '/script', body: { app, sha, script, live, env }, onLine })
  if (fault === '') return 0
  const code = /exit code (\d{1,3})$/.exec(fault ?? '')?.[1]
  if (code === undefined) io.err.write(`${fault ?? 'the supervisor does not answer'}\n`)
  return code === undefined ? 1 : Number(code)
}

/** Changes the record while no supervisor runs. */
async function withoutServer(io: Io, apps: string, values: Values, verb: 'stop' | 'remove'): Promise<number> {
  const app = appOf(values)
  await using _lock = await lockFolder(runtimeFolder(apps), 'it keeps the applications there running')
  await endLeftovers(runtimeFolder(apps))
  const record = new AppsRecord(runtimeFolder(apps), await readAppsFile(runtimeFolder(apps)))
  await (verb === 'stop' ? record.alter(app, { stopped: true }) : record.put(app, undefined))
  if (verb === 'remove' && values.data) rmSync(volumesFolder(apps, app), { recursive: true, force: true })
  io.out.write(`${verb === 'stop' ? 'stopped' : 'removed'} the processes of ${app}\n`)
  return 0
}

/** Waits for a line of the handler, which fetches the release meanwhile. False when none comes. */
async function isReady(io: Io): Promise<boolean> {
  for await (const bytes of io.input()) if (bytes.length > 0) return true
  return false
}

async function deploy(io: Io, apps: string, values: Values): Promise<number> {
  if (values['when-ready']) {
    // The first order is the slowest: it is given while the commit comes.
    const [ready] = await Promise.all([isReady(io), statusOf(apps)])
    if (!ready) return ELSEWHERE
  }
  const serve = values['alive-ms'] === undefined ? [] : ['--alive-ms', values['alive-ms']]
  const { image } = values
  const parts = {
    io,
    apps,
    app: appOf(values),
    image,
    envFile: values.env,
    jobFile: values.job,
    force: values.force === true,
    serve: values.port === undefined ? serve : [...serve, '--port', values.port],
  }
  const release =
    image === undefined ? { sha: demanded(values.sha, 'sha') } : await imageRelease(parts, image)
  const end = await deployApp({ ...parts, ...release })
  if (image !== undefined) noteJob(apps, parts.app, release.sha, io.env.SVC_JOB_ID)
  return end === 'deployed' ? 0 : ELSEWHERE
}
