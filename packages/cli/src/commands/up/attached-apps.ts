import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Log } from '@svc/core'
import { hostVariables } from '../../host-apps/apps-folder.ts'
import { awaitSupervisor } from '../../host-apps/control-client.ts'
import type { Io } from '../../terminal/io.ts'

/** Wait before a supervisor that ended by itself is started again. */
const RESTART_MS = 1_000

/** Inputs of an attached supervisor. */
export interface AttachedAppsParts {
  readonly io: Io
  readonly log: Log
  /** The folder of the applications, the agent's. */
  readonly apps: string
}

/** The supervisor of applications as a child process: they come with the trial, and go with it. */
export class AttachedApps implements AsyncDisposable {
  readonly #parts: AttachedAppsParts
  #child: ChildProcess | undefined
  #restart: NodeJS.Timeout | undefined
  #isLeaving = false

  constructor(parts: AttachedAppsParts) {
    this.#parts = parts
    this.#start()
  }

  /** The port of the front; undefined when the supervisor does not start, which is no reason to end. */
  async port(): Promise<number | undefined> {
    try {
      return (await awaitSupervisor(this.#parts.apps)).port
    } catch (err) {
      this.#parts.log.warn({ err }, 'no applications can run')
      return undefined
    }
  }

  /** Ends the supervisor with all applications, and waits until it has. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isLeaving = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  }

  #start(): void {
    const { io, log, apps } = this.#parts
    const child = io.startSelf(['host-apps', 'serve', '--apps', apps], hostVariables(io.env))
    this.#child = child
    child.on('error', (err) => log.error({ err }, 'the applications could not be started'))
    child.on('exit', (code, signal) => {
      this.#child = undefined
      // One that ends well has found another at work.
      if (this.#isLeaving || code === 0) return
      log.warn({ code, signal }, 'the supervisor of applications ended by itself; starting it again')
      this.#restart = setTimeout(() => this.#start(), RESTART_MS)
    })
  }
}
