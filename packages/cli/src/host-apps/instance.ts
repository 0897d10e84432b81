import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { LineSplitter } from '../agent/run/line-splitter.ts'
import { membersAtWork, signalGroup } from '../agent/run/process-group.ts'

/** Inputs of an instance. */
export interface InstanceStart {
  readonly command: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** The port that it is told to listen at; undefined for a process without one. */
  readonly port: number | undefined
  readonly onLine: (line: string) => void
}

const LINE_CHARS = 8_192
const LAST_LINES = 50
const LOOK_FIRST_MS = 10
const LOOK_SELDOM_MS = 200
/** How long output is read after the end, when a process that left the group holds the pipes. */
const TRAILING_MS = 500

// The process of the brackets reads a pipe of the supervisor. It ends when the supervisor does, however that
// dies, and the group ends with it: no instance is left without an owner. The application has no such pipe.
const GUARDED = `( trap '' TERM INT HUP QUIT USR1 USR2
  read -r _ <&3; kill -TERM 0; sleep 2; kill -KILL 0 ) </dev/null >/dev/null 2>&1 &
exec 3<&-
exec sh -c "$1"`

/** A process of an application, in a session of its own, with everything that it starts. */
export class Instance {
  /** Resolves once, when the process has ended, to how it ended; never rejects. */
  readonly ended: Promise<string>
  readonly port: number | undefined
  /** Requests and connections of visitors that it answers now. */
  open = 0
  /** The address that answered. */
  host = '127.0.0.1'
  readonly #child: ChildProcess
  readonly #last: string[] = []
  #isRunning = true
  #isStopping = false

  constructor({ command, folder, env, port, onLine }: InstanceStart) {
    this.port = port
    this.#child = spawn('/bin/sh', ['-c', GUARDED, 'sh', command], {
      cwd: folder,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    this.#child.stdio[3]?.on('error', () => {})
    const take = (line: string) => {
      this.#last.push(line)
      if (this.#last.length > LAST_LINES) this.#last.shift()
      onLine(line)
    }
    const splitters = [this.#child.stdout, this.#child.stderr].map((stream) => {
      const splitter = new LineSplitter(LINE_CHARS, { line: take, state: () => {} })
      stream?.on('data', (bytes: Buffer) => splitter.write(bytes))
      return splitter
    })
    this.ended = this.#end(() => {
      for (const splitter of splitters) splitter.end()
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  /** The last lines of its output, at most 50. */
  get lastLines(): readonly string[] {
    return this.#last
  }

  /** Sends `signal` to the whole group, and SIGKILL to the rest of it after `graceMs`. */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    const group = this.#child.pid
    this.#isStopping = true
    if (group === undefined) return
    signalGroup(group, signal)
    const until = performance.now() + graceMs
    // The watcher of the group is the one that stays.
    for (let look = LOOK_FIRST_MS; performance.now() < until; look = Math.min(look * 2, LOOK_SELDOM_MS)) {
      if (!this.#isRunning && (await membersAtWork(group)) <= 1) break
      await Promise.race([pause(look), ...(this.#isRunning ? [this.ended] : [])])
    }
    signalGroup(group, 'SIGKILL')
    await this.ended
  }

  #end(onOutputEnd: () => void): Promise<string> {
    const child = this.#child
    const { promise, resolve } = Promise.withResolvers<string>()
    child.once('error', (error) => {
      this.#isRunning = false
      resolve(`it could not be started: ${error.message}`)
    })
    child.once('exit', (code, signal) => {
      this.#isRunning = false
      if (child.pid !== undefined && !this.#isStopping) signalGroup(child.pid, 'SIGKILL')
      const words = signal === null ? `exit code ${code}` : signal
      const finish = () => {
        clearTimeout(timer)
        onOutputEnd()
        resolve(words)
      }
      const timer = setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, TRAILING_MS)
      child.once('close', finish)
    })
    return promise
  }
}
