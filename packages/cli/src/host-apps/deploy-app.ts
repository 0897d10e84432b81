import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Problem } from '@svc/core'
import {
  APP_DEFINITION_FILE,
  type AppPlan,
  type AppRelease,
  findApp,
  imagePlan,
  isWithEnv,
  leavesData,
  readAdjustment,
  readRoll,
  withoutLogins,
} from '@svc/core/adapters'
import type { Io } from '../terminal/io.ts'
import { demandLinks } from './app-links.ts'
import { readAppsFile } from './apps-file.ts'
import {
  envDigest,
  hostVariables,
  linkCurrent,
  releaseFolder,
  runtimeFolder,
  sharedVariables,
} from './apps-folder.ts'
import { runChildTask } from './child-task.ts'
import type { composeRelease } from './compose/compose-release.ts'
import { containersOf } from './container-release.ts'
import { ensureSupervisor, order, SupervisorGone, statusOf } from './control-client.ts'
import { givenEnv } from './env-file.ts'
import type { Say } from './generation.ts'
import { releaseFacts } from './release-facts.ts'
import { lacksPackages, packagesMissing } from './system/packages.ts'
import { isSystemHost } from './system/places.ts'

/** Inputs of a deploy. */
export interface DeployParts {
  readonly io: Io
  readonly apps: string
  readonly app: string
  readonly sha: string
  /** The image that is the release, in place of files. */
  readonly image: string | undefined
  /** The file of the application's variables. */
  readonly envFile: string | undefined
  /** The file of the job; undefined: nobody asks for more than a deploy. */
  readonly jobFile: string | undefined
  /** Whether the processes are replaced also when they run this commit with these variables. */
  readonly force: boolean
  /** Further arguments of a supervisor that is started. */
  readonly serve: readonly string[]
}

/** `elsewhere`: the release runs nothing, and its files or `deploy.sh` are the handler's. */
export type DeployEnd = 'deployed' | 'elsewhere'

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** The mark of a release whose build has succeeded. It stands beside the release, which it outlives. */
const builtMark = (apps: string, app: string, sha: string): string =>
  join(apps, app, 'releases', `.built-${sha}`)
/** The mark of an app that was first deployed by a host that can run it. */
const freshMark = (apps: string, app: string): string => join(apps, app, '.fresh')

/**
 * Builds a release and lets the supervisor put it in the place of the live one.
 * @throws Problem in words for every step that fails; the old release then serves on
 */
export async function deployApp(parts: DeployParts): Promise<DeployEnd> {
  const { io, apps, app, sha, envFile } = parts
  const say: Say = (line) => io.out.write(`${line}\n`)
  const folder = releaseFolder(apps, app, sha)
  const facts = releaseFacts(folder)
  const running = await statusOf(apps)
  const known = running?.apps.find((each) => each.app === app)
  const payload = await payloadOf(parts)
  const wish = wishOf(payload)
  const adjust = (change: object) => order(apps, { path: '/adjust', body: { app, ...change }, onLine: say })
  // Variables that were changed meanwhile wait for a deploy.
  if (wish !== undefined && known?.sha === sha && known.state !== 'stopped') {
    await adjust(wish)
    return 'deployed'
  }
  if (
    !facts.names.has(APP_DEFINITION_FILE) &&
    parts.image === undefined &&
    known === undefined &&
    (await isFromBefore(apps, app))
  ) {
    say(`${app} was deployed before this host could run applications, so its files stay the deployment:`)
    say(`add ${APP_DEFINITION_FILE}, or remove the app and deploy it again, to have it run`)
    return 'elsewhere'
  }
  const plan = parts.image === undefined ? findApp(facts, app) : imagePlan(parts.image)
  say(`found ${plan.why}`)
  for (const note of plan.notes) say(note)
  const limited = Object.values(plan.processes).some(({ memory, cpus }) => memory ?? cpus)
  if (limited && !isSystemHost(apps))
    say('memory and cpus are not carried out here: see svc agent install --apps')
  await demandPackages(parts, plan, say)
  const there = running?.apps.map((each) => each.app) ?? []
  demandLinks({ apps, app, links: plan.links, isAgain: known?.sha === sha, there }, say)
  if (plan.type === 'script' || plan.type === 'files') return 'elsewhere'
  const roll = readRoll(payload)
  const { env, logins } = withoutLogins(await givenEnv(envFile))
  if (
    !parts.force &&
    !isWithEnv(payload) &&
    known?.sha === sha &&
    known.state === 'up' &&
    known.env === envDigest(env)
  ) {
    say(`${sha} runs already with these variables: nothing is built`)
    return 'deployed'
  }
  const composed = plan.compose && (await composedOf({ ...parts, logins, env }, plan.compose, say))
  const containers = plan.image && (await containersOf({ ...parts, logins }, plan, plan.image, say))
  if (containers === undefined && composed === undefined) await build(parts, plan, env, say)
  // The release need not be fetched again: its images are kept as long as its folder is.
  else await writeFile(builtMark(apps, app, sha), '')
  const release: AppRelease = {
    sha,
    number: 1,
    stop: plan.stop,
    env,
    ...(plan.cron.length === 0 ? {} : { cron: [...plan.cron] }),
    ...(plan.links.length === 0 ? {} : { links: [...plan.links] }),
    // The first of several hosts runs it for all of them.
    ...(plan.release === undefined || roll.host > 1 ? {} : { before: plan.release }),
    ...(plan.type === 'static'
      ? { static: plan.static ?? {} }
      : (composed ?? { processes: plan.processes, volumes: plan.volumes, containers })),
  }
  demandOneHost(release, app, payload)
  await ensureSupervisor(io, apps, parts.serve)
  const deployed = order(apps, {
    path: '/deploy',
    body: { app, release, job: io.env.SVC_JOB_ID, fresh: parts.force, former: isWithEnv(payload) },
    onLine: say,
  })
  const address = await deployed.catch((error: unknown) => addressAfterEnd(parts, error, known?.number, say))
  if (address === undefined)
    throw new Problem('unavailable', { detail: 'the supervisor ended before the deploy began' })
  await linkCurrent(apps, app, sha)
  if (wish !== undefined) await adjust(wish)
  const isVisited = plan.type === 'static' || release.processes?.web !== undefined
  say(isVisited ? `${app} answers at ${address}` : `${app} has no process web: nothing answers visitors`)
  return 'deployed'
}

/** The reader of compose files is loaded for them alone. */
async function composedOf(...args: Parameters<typeof composeRelease>): ReturnType<typeof composeRelease> {
  return (await import('./compose/compose-release.ts')).composeRelease(...args)
}

/** The payload of the job; undefined without one. */
async function payloadOf({ jobFile }: DeployParts): Promise<unknown> {
  if (!jobFile) return undefined
  return (JSON.parse(await readFile(jobFile, 'utf8')) as { payload?: unknown }).payload
}

/** The change that the payload of the job asks for besides; undefined: none. */
function wishOf(payload: unknown): ReturnType<typeof readAdjustment> | undefined {
  const wish = readAdjustment(payload)
  return Object.keys(wish).length > 0 ? wish : undefined
}

/** @throws Problem `conflict` for a volume of an app with several hosts: each would have data of its own */
function demandOneHost({ volumes = {}, containers = {} }: AppRelease, app: string, payload: unknown): void {
  const ofServices = Object.values(containers).flatMap(({ service }) => Object.keys(service?.volumes ?? {}))
  const [volume] = [...Object.keys(volumes), ...ofServices]
  if (volume === undefined) return
  if (leavesData(payload))
    throw new Problem('conflict', {
      detail: `${app} has the volume ${volume} on its host: svc apps move ${app} --undo, then --data brings it along`,
    })
  const { of: hosts } = readRoll(payload)
  if (hosts === 1) return
  throw new Problem('conflict', {
    detail: `${app} has ${hosts} hosts, and its volume ${volume} is on one: svc apps set ${app} --host HOST`,
  })
}

/**
 * Asks the next supervisor how a deploy ended whose own supervisor is gone: one that was switched to is live.
 * @throws the error itself when the old release is live still
 */
async function addressAfterEnd(
  { io, apps, app, sha, serve }: DeployParts,
  error: unknown,
  before: number | undefined,
  say: Say,
): Promise<string | undefined> {
  if (!(error instanceof SupervisorGone)) throw error
  const { apps: running } = await ensureSupervisor(io, apps, serve)
  const now = running.find((each) => each.app === app)
  if (now?.sha !== sha || now.number <= (before ?? 0)) throw error
  say('the supervisor was started again, and has switched')
  return now.address
}

/** An upgrade of the host starts nothing: applications that are there stay as they are. */
async function isFromBefore(apps: string, app: string): Promise<boolean> {
  if (existsSync(freshMark(apps, app)) || !existsSync(join(apps, app, 'current'))) return false
  if (isSystemHost(apps)) return true
  return (await readAppsFile(runtimeFolder(apps)))?.apps[app] === undefined
}

async function build(parts: DeployParts, plan: AppPlan, env: AppRelease['env'], say: Say): Promise<void> {
  const { io, apps, app, sha } = parts
  await demandNode(io, plan)
  await demandPython(io, plan)
  const mark = builtMark(apps, app, sha)
  const given = Object.fromEntries(
    plan.buildEnv.flatMap((name) => (name in env ? [[name, env[name] ?? '']] : [])),
  )
  const unset = plan.buildEnv.filter((name) => !(name in env))
  const isBuilt = existsSync(mark)
  if (isBuilt) {
    const isSame = (await readFile(mark, 'utf8')) === envDigest(given)
    say(isSame ? 'built already' : 'built already, with other variables: the next commit is built with these')
  } else if (unset.length > 0) say(`build.env: ${app} has no variable ${unset.join(', ')}`)
  if (isSystemHost(apps)) await buildThere(parts, plan, given, say)
  else if (!isBuilt) await buildHere(parts, plan, given, say)
  if (!isBuilt) await writeFile(mark, envDigest(given))
}

/** The supervisor has a user for the builds of each application. */
async function buildThere(
  { io, apps, app, sha, serve }: DeployParts,
  { build, buildTimeoutS }: AppPlan,
  given: AppRelease['env'],
  say: Say,
): Promise<void> {
  await ensureSupervisor(io, apps, serve)
  const env = { ...sharedVariables(io.env), ...given }
  const body = { app, sha, commands: build, env, timeout_s: buildTimeoutS }
  if ((await order(apps, { path: '/build', body, onLine: say })) === undefined)
    throw new Problem('unavailable', { detail: 'the supervisor ended before the release was built' })
}

/** Runs the commands of a build in the release; they end with the job. */
async function buildHere(
  { io, apps, app, sha }: DeployParts,
  { build, buildTimeoutS, stop }: AppPlan,
  given: AppRelease['env'],
  say: Say,
): Promise<void> {
  // The agent knows what a handler has started by this variable.
  const mark = io.env.SVC_WORK_DIR === undefined ? {} : { SVC_WORK_DIR: io.env.SVC_WORK_DIR }
  const env = { ...hostVariables(io.env), ...given, SVC_APP: app, SVC_SHA: sha, ...mark }
  const began = performance.now()
  for (const command of build) {
    const start = performance.now()
    say(`build: ${command}`)
    const timeoutS = Math.max(1, Math.ceil(buildTimeoutS - (start - began) / 1000))
    const task = { app, sha, name: 'build', folder: releaseFolder(apps, app, sha), volumes: {}, stop, env }
    const fault = await runChildTask(
      { ...task, command, timeoutS, onLine: say },
      new AbortController().signal,
    )
    if (fault !== undefined) throw new Problem('conflict', { detail: `the build: ${fault}: ${command}` })
    say(`build done after ${seconds(start)}`)
  }
}

/** @throws Problem `conflict` when the host lacks packages, and installs none */
async function demandPackages(
  { io, apps, serve }: DeployParts,
  { packages }: AppPlan,
  say: Say,
): Promise<void> {
  const missing = await packagesMissing(packages)
  if (missing.length === 0) return
  if (!isSystemHost(apps)) throw lacksPackages(missing)
  await ensureSupervisor(io, apps, serve)
  if ((await order(apps, { path: '/packages', body: { packages: missing }, onLine: say })) === undefined)
    throw new Problem('unavailable', { detail: 'the supervisor ended before packages were installed' })
}

/** @throws Problem `conflict` when the host has no Node.js, or not the one that is wanted */
async function demandNode({ env }: Io, { node, processes, build }: AppPlan): Promise<void> {
  const commands = [...build, ...Object.values(processes).flatMap(({ command }) => command ?? [])]
  const wantsNpm = commands.some((command) => /^npm\b/.test(command))
  if (node === undefined && !wantsNpm) return
  const run = promisify(execFile)
  const versionOf = (program: string) =>
    run(program, ['--version'], { env: hostVariables(env) }).then(
      ({ stdout }) => stdout.trim(),
      () => {
        throw new Problem('conflict', {
          detail: `${program} is not on the PATH of this host: install Node.js`,
        })
      },
    )
  const version = await versionOf('node')
  if (wantsNpm) await versionOf('npm')
  if (node === undefined) return
  const { default: semver } = await import('semver')
  if (semver.satisfies(version, node, { includePrerelease: true })) return
  const why =
    semver.validRange(node) === null ? 'which is no range of versions' : `and this host has ${version}`
  throw new Problem('conflict', { detail: `the application wants Node.js ${node.slice(0, 100)}, ${why}` })
}

/** @throws Problem `conflict` when the host has no Python 3 with `venv`, or not the version that is wanted */
async function demandPython({ env }: Io, { python }: AppPlan): Promise<void> {
  if (python === undefined) return
  const script = 'import platform, venv, ensurepip; print(platform.python_version())'
  const run = promisify(execFile)
  const { stdout } = await run('python3', ['-c', script], { env: hostVariables(env) }).catch(() => {
    throw new Problem('conflict', {
      detail: 'this host has no Python 3 with venv: install the packages python3 and python3-venv',
    })
  })
  const { version } = python
  if (version === undefined || `${stdout.trim()}.`.startsWith(`${version}.`)) return
  throw new Problem('conflict', {
    detail: `.python-version wants ${version}, and this host has ${stdout.trim()}`,
  })
}
