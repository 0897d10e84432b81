import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type Environment, type Log, settings } from '@svc/core'
import type { Io } from '../../terminal/io.ts'
import { LOCAL_REPOSITORIES } from '../agent/local-repositories.ts'

/** The plane, license key and folder of an agent of this machine. */
export interface AttachedAgentParts {
  readonly io: Io
  readonly log: Log
  readonly url: string
  /** File that holds the license key: arguments can be read by everybody on the machine. */
  readonly keyFile: string
  readonly stateDir: string
}

/** The agent polls often because somebody is watching; one agent is far below the limit of a license. */
const POLL_SECONDS = '2'
/** Wait before an agent that ended by itself is started again. */
const RESTART_MS = 5_000

/** A host agent as a child process, started again when it ends by itself. */
export class AttachedAgent implements AsyncDisposable {
  readonly #parts: AttachedAgentParts
  #child: ChildProcess | undefined
  #restart: NodeJS.Timeout | undefined
  #isLeaving = false

  constructor(parts: AttachedAgentParts) {
    this.#parts = parts
    this.#start()
  }

  /** Asks the agent to take no more jobs and to end with the last running one; resolves when it has. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isLeaving = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  }

  /** Asks the agent to end a second time: it then gives running jobs back at once. */
  hurry(): void {
    this.#child?.kill('SIGTERM')
  }

  #start(): void {
    const { io, log, url, keyFile, stateDir } = this.#parts
    const files = ['--key-file', keyFile, '--state-dir', stateDir]
    const args = ['agent', 'run', '--url', url, ...files, '--poll-seconds', POLL_SECONDS]
    // Quiet unless asked, as `svc up` is.
    const trial = { SERVICE_LOG_LEVEL: 'warn', ...withoutSettings(io.env), [LOCAL_REPOSITORIES]: '1' }
    const child = io.startSelf(args, trial)
    this.#child = child
    child.on('error', (err) => log.error({ err }, 'the agent could not be started'))
    child.on('exit', (code, signal) => {
      this.#child = undefined
      if (this.#isLeaving) return
      log.warn(
        { code, signal, again_in_seconds: RESTART_MS / 1000 },
        'the agent ended by itself; starting it again',
      )
      this.#restart = setTimeout(() => this.#start(), RESTART_MS)
    })
  }
}

/** Returns `env` without the settings of the service, which concern no host; the log level stays. */
function withoutSettings(env: Environment): Environment {
  const groups = Object.values(settings).flatMap((group) => Object.values(group.settings))
  const hidden = new Set(groups.map(({ name }) => name).filter((name) => name !== 'SERVICE_LOG_LEVEL'))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)))
}
