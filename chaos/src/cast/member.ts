import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

const KEPT_CHARS = 4000
/** Marks the log line of an answer `internal`, which no client should ever get. */
const INTERNAL = '"code":"internal"'
const KEPT_FAULTS = 200
const RESTART_MS = 150
const START_MS = 60_000

/** Inputs of a member: how its process is started each time. */
export interface MemberParts {
  readonly name: string
  /** The file of the program. */
  readonly program: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd: string
  /** Makes the first line on standard input, anew for each start. */
  readonly orders?: () => object
  /** Called with each line on standard output. */
  readonly heard?: (line: string) => void
  /** Words on standard error that show that the process is ready; absent: it is ready at once. */
  readonly ready?: string
  /** The exit code of a ready process that may end by itself. */
  readonly excused?: number
  /** Called when a ready process ended by itself. */
  readonly fault: (evidence: string) => void
}

/** A process that is restarted whenever it ends, as by a supervisor. */
export class Member {
  readonly name: string
  readonly #parts: MemberParts
  #child: ChildProcess | undefined
  #life: Promise<void> = Promise.resolve()
  #said = ''
  #isOver = false
  #isReady = false
  #isStopped = false
  #killed = 0
  /** Log lines of answers `internal`, the first 200 over all starts. */
  readonly faults: string[] = []

  constructor(parts: MemberParts) {
    this.name = parts.name
    this.#parts = parts
  }

  /** Starts the process, and restarts it until `end` or `destroy`. */
  begin(): void {
    this.#life = this.#live()
  }

  /** Whether the process is ready and not frozen. */
  get isUp(): boolean {
    return this.#isReady && !this.#isStopped
  }

  /** The last 4,000 characters on standard error since the latest start. */
  get said(): string {
    return this.#said
  }

  /** Waits until the process is ready. After a minute it throws an error that quotes standard error. */
  async up(): Promise<void> {
    const until = performance.now() + START_MS
    while (!this.isUp && !this.#isOver) {
      if (performance.now() > until) throw new Error(`${this.name} does not start: ${this.#said}`)
      await pause(20)
    }
  }

  /** Kills the process with SIGKILL; it is restarted. */
  kill(): void {
    this.#isReady = false
    this.#killed += 1
    this.#child?.kill('SIGKILL')
  }

  /** Ends the process in order, as for an upgrade, and waits until it is ready again. */
  async restart(): Promise<void> {
    this.#isReady = false
    this.#killed += 1
    this.#child?.kill('SIGTERM')
    await this.up()
  }

  /** Stops the process with SIGSTOP for this time, then continues it unless it was killed in between. */
  async freeze(milliseconds: number): Promise<void> {
    const child = this.#child
    this.#isStopped = true
    child?.kill('SIGSTOP')
    await pause(milliseconds)
    child?.kill('SIGCONT')
    this.#isStopped = false
  }

  /** Continues the process if it is frozen. */
  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Writes a line to standard input. */
  tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`)
  }

  /**
   * Ends the process by closing its standard input, or by the signal, and kills it after 20 s. Returns the
   * exit code; null if the process was killed.
   */
  async end(signal?: 'SIGTERM'): Promise<number | null> {
    this.#isOver = true
    this.thaw()
    const child = this.#child
    if (signal === undefined) child?.stdin?.end()
    else child?.kill(signal)
    const late = setTimeout(() => child?.kill('SIGKILL'), 20_000)
    await this.#life
    clearTimeout(late)
    return child?.exitCode ?? null
  }

  /** Kills the process at once, for good. */
  async destroy(): Promise<void> {
    this.#isOver = true
    this.#child?.kill('SIGKILL')
    await this.#life
  }

  async #live(): Promise<void> {
    while (!this.#isOver) {
      const killed = this.#killed
      this.#said = ''
      await this.#once()
      const wasReady = this.#isReady
      this.#isReady = false
      if (this.#isOver) return
      if (wasReady && this.#killed === killed && !this.#isExcused())
        this.#parts.fault(`${this.name} ended by itself (${this.#child?.exitCode}): ${this.#said}`)
      await pause(RESTART_MS)
    }
  }

  #isExcused(): boolean {
    return this.#parts.excused !== undefined && this.#child?.exitCode === this.#parts.excused
  }

  async #once(): Promise<void> {
    const { program, args = [], env = {}, cwd, orders, heard, ready } = this.#parts
    const child = spawn(process.execPath, [program, ...args], {
      cwd,
      // The settings of this process are not passed on.
      env: { PATH: process.env.PATH, HOME: cwd, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal must reach only the run, which then ends the others in order.
      detached: true,
    })
    this.#child = child
    const killed = this.#killed
    child.stdin?.on('error', () => {})
    if (orders !== undefined) child.stdin?.write(`${JSON.stringify(orders())}\n`)
    let rest = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) heard?.(line)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = `${this.#said}${text}`.slice(-KEPT_CHARS)
      for (const line of text.split('\n'))
        if (line.includes(INTERNAL) && this.faults.length < KEPT_FAULTS) this.faults.push(line)
      if (ready !== undefined && text.includes(ready) && this.#killed === killed) this.#isReady = true
    })
    if (ready === undefined) this.#isReady = true
    await once(child, 'close').catch(() => {})
  }
}
