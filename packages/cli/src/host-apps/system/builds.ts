import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import type { BuildOrder, ScriptOrder } from '@svc/core/adapters'
import { runAs } from '../data/run-as.ts'
import type { Say } from '../generation.ts'
import type { Builder } from '../runtime.ts'
import type { TaskFault } from '../task.ts'
import { type AppUser, shortUser, systemUser } from './app-user.ts'
import { SYSTEM } from './places.ts'
import { ran } from './systemctl.ts'
import type { TaskAs } from './unit-task.ts'
import { APPS_SEEN, BUILD_LIMITS, buildPlaces, builtFolder, RELEASES } from './unit-text.ts'

/** The folder of everything that builds need: a folder a user. */
export const BUILDS = `${SYSTEM.state}/builds`
/** Seconds of a script that has no limit of its own: its job has one. */
const SCRIPT_S = 86_400
const STOP = { signal: 'SIGTERM', grace_s: 10 } as const

/** The name of the user that builds an application. */
export const builderName = (app: string): string => shortUser('sb', app)

const homeOf = (name: string): string => `${BUILDS}/${name}/home`
const workOf = (name: string): string => `${BUILDS}/${name}/work`
/** The release that another one of the same commit takes the place of. */
const oldOf = (work: string): string => `${work}.old`
const markOf = (app: string, sha: string): string => `${RELEASES}/${app}/.built-${sha}`

/** Removes a folder of a stranger, if it is there, however deep it is, and follows no link. */
async function removed(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) await ran('rm', '-rf', '--', path)
}

/** Runs a command in a release that is made, within the time that is left. */
type Run = (command: string) => Promise<TaskFault>

/** Inputs of what makes the releases of a host. */
export interface BuildsParts {
  /** The user of an application that was admitted: its group reads the release. */
  readonly userOf: (app: string) => AppUser
  /** Runs a command as a unit, to its end. */
  readonly run: (as: TaskAs, signal: AbortSignal) => Promise<TaskFault>
}

/** Inputs of a release that is made. */
interface Made {
  readonly app: string
  readonly sha: string
  readonly env: Readonly<Record<string, string>>
  readonly seconds: number
  /** The release that is live, which a script may read. */
  readonly live?: string | undefined
  readonly say: Say
  readonly signal: AbortSignal
}

/**
 * Releases of applications: files of a commit that are copied, changed by commands of the repository, and
 * then root's. The commands run as a user who builds this one application and owns nothing else, behind the
 * walls of applications.
 */
export class Builds implements Builder {
  readonly #parts: BuildsParts
  /** The last build of each application. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(parts: BuildsParts) {
    this.#parts = parts
  }

  async build(order: BuildOrder, say: Say, signal: AbortSignal): Promise<void> {
    const { app, sha, commands, env, timeout_s: seconds } = order
    const { gid } = this.#parts.userOf(app)
    await this.#alone(app, signal, async () => {
      if (existsSync(markOf(app, sha))) return
      await this.#make({ app, sha, env, seconds, say, signal }, gid, async (run) => {
        for (const command of commands) {
          const began = performance.now()
          say(`build: ${command}`)
          const fault = await run(command)
          if (fault !== undefined)
            throw new Problem('conflict', { detail: `the build: ${fault}: ${command}` })
          say(`build done after ${((performance.now() - began) / 1000).toFixed(1)} s`)
        }
      })
    })
  }

  async script(order: ScriptOrder, say: Say, signal: AbortSignal): Promise<TaskFault> {
    const { app, sha, script, env, live } = order
    const made = { app, sha, env, live, seconds: SCRIPT_S, say, signal }
    const command = `if [ -x ./${script} ]; then exec ./${script}; fi; exec sh ./${script}`
    return this.#alone(app, signal, async () => {
      const { gid } = await this.#admit(app)
      if (script === 'stop.sh') {
        if (!existsSync(markOf(app, sha))) await this.#make(made, gid, async () => {})
        // The group of the application's own user has the release, when it runs something.
        const groups = `SupplementaryGroups=${statSync(builtFolder(app, sha)).gid}`
        return this.#command(made, command, [groups], SCRIPT_S)
      }
      let fault: TaskFault
      try {
        await this.#make(made, gid, async (run) => {
          fault = await run(command)
          if (fault !== undefined) throw new Error(fault)
        })
      } catch (error) {
        if (fault === undefined) throw error
      }
      return fault
    })
  }

  async tidy(app: string, live: string): Promise<void> {
    const kept = new Set([...namesIn(join(SYSTEM.apps, app, 'releases')), live])
    for (const sha of namesIn(`${RELEASES}/${app}`)) {
      const isOld = !kept.has(sha.replace(/^\.built-/, ''))
      if (isOld) await removed(`${RELEASES}/${app}/${sha}`)
    }
  }

  async forget(app: string): Promise<void> {
    for (const folder of [`${RELEASES}/${app}`, `${BUILDS}/${builderName(app)}`]) await removed(folder)
  }

  /** Removes builds that a supervisor that was killed left unfinished. */
  async sweep(): Promise<void> {
    for (const name of namesIn(BUILDS))
      for (const folder of [workOf(name), oldOf(workOf(name))]) await removed(folder)
  }

  /** Builds of an application wait for each other: one that was called off takes a moment to end. */
  #alone<T>(app: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(app) ?? Promise.resolve()
    const done = before.then(() => {
      signal.throwIfAborted()
      return work()
    })
    this.#turns.set(
      app,
      done.catch(() => {}),
    )
    return done
  }

  async #admit(app: string): Promise<AppUser> {
    const name = builderName(app)
    const user = await systemUser(name, `builds of ${app} by svc`, homeOf(name))
    mkdirSync(RELEASES, { recursive: true, mode: 0o711 })
    mkdirSync(`${BUILDS}/${name}`, { recursive: true, mode: 0o711 })
    this.#given(homeOf(name), user)
    return user
  }

  /** Makes a folder that is a user's alone. */
  #given(folder: string, { uid, gid }: AppUser): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chownSync(folder, uid, gid)
    chmodSync(folder, 0o700)
  }

  /** Copies the files of a commit, has them changed, and puts them in place as root's, for a group. */
  async #make(made: Made, gid: number, change: (run: Run) => Promise<void>): Promise<void> {
    const { app, sha, signal } = made
    const user = await this.#admit(app)
    const work = workOf(user.name)
    const until = performance.now() + made.seconds * 1000
    await removed(work)
    this.#given(work, user)
    try {
      // The builder reads: root would follow what the files of others turn into meanwhile.
      await runAs({
        user: user.name,
        command: ['cp', '-R', '-P', '--preserve=mode,timestamps', `${APPS_SEEN}/.`, work],
        binds: [`${join(SYSTEM.apps, app, 'releases', sha)}:${APPS_SEEN}`],
        writes: [work],
      })
      await change((command) =>
        this.#command(made, command, buildPlaces(made, work), (until - performance.now()) / 1000),
      )
      signal.throwIfAborted()
      await this.#place(made, work, gid)
    } finally {
      await removed(work)
    }
  }

  async #command(
    { app, sha, env, live, say, signal }: Made,
    command: string,
    places: readonly string[],
    seconds: number,
  ): Promise<TaskFault> {
    const user = await this.#admit(app)
    const home = homeOf(user.name)
    const folder = builtFolder(app, sha)
    const current = live === undefined ? `${RELEASES}/${app}/current` : builtFolder(app, live)
    const own = {
      ...{ HOME: home, SVC_STATE_DIR: home, SVC_APP: app, SVC_SHA: sha },
      ...{ SVC_RELEASE_DIR: folder, SVC_CURRENT_DIR: current },
    }
    const task = {
      ...{ app, sha, folder, command, stop: STOP, volumes: {}, name: 'build' },
      env: { ...env, ...own },
      timeoutS: Math.max(1, Math.ceil(seconds)),
      onLine: say,
    }
    const lines = [...places, `ReadWritePaths=${home}`, ...BUILD_LIMITS]
    return this.#parts.run({ task, user, lines }, signal)
  }

  async #place({ app, sha }: Made, work: string, gid: number): Promise<void> {
    await ran('chown', '-R', '-h', `root:${gid}`, work)
    await ran('chmod', '-R', 'u=rwX,g=rX,o=', work)
    // Its names are commits, which are no secret; each release has a group of its own.
    mkdirSync(`${RELEASES}/${app}`, { recursive: true, mode: 0o711 })
    const folder = builtFolder(app, sha)
    const old = oldOf(work)
    // A supervisor that was killed here leaves one.
    await removed(old)
    if (existsSync(folder)) renameSync(folder, old)
    renameSync(work, folder)
    writeFileSync(markOf(app, sha), '', { mode: 0o600 })
    await removed(old)
  }
}

const namesIn = (folder: string): readonly string[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : []
