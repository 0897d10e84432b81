import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

const KEPT_CHARS = 4000
/** What a server logs with an answer that nobody should get. */
const INTERNAL = '"code":"internal"'
const KEPT_FAULTS = 200
const RESTART_MS = 150
const START_MS = 60_000

/** A process of a run, as it is started each time. */
export interface MemberParts {
  readonly name: string
  /** The file of the program. */
  readonly program: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd: string
  /** The first line on its standard input, made anew for each life. */
  readonly orders?: () => object
  /** Told of each line on its standard output. */
  readonly heard?: (line: string) => void
  /**
   * Words on standard error after which it is at work; from then on it may not end by itself. Absent: at
   * once.
   */
  readonly ready?: string
  /** The exit code with which it may end by itself. */
  readonly excused?: number
  /** Told when it ended although nobody made it. */
  readonly fault: (evidence: string) => void
}

/** A process that is started again whenever it ends, as a supervisor would. */
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
  /** Lines of its log that tell of a fault of its own, the first ones of all its lives. */
  readonly faults: string[] = []

  constructor(parts: MemberParts) {
    this.name = parts.name
    this.#parts = parts
  }

  /** Starts it, and keeps starting it. */
  begin(): void {
    this.#life = this.#live()
  }

  /** Whether it is at work: neither stopped, nor on its way up, nor down. */
  get isUp(): boolean {
    return this.#isReady && !this.#isStopped
  }

  /** The end of what it has said on standard error in this life. */
  get said(): string {
    return this.#said
  }

  /** Waits until it is at work. Throws with what it said when that takes more than a minute. */
  async up(): Promise<void> {
    const until = performance.now() + START_MS
    while (!this.isUp && !this.#isOver) {
      if (performance.now() > until) throw new Error(`${this.name} does not start: ${this.#said}`)
      await pause(20)
    }
  }

  /** kill -9; it comes back. */
  kill(): void {
    this.#isReady = false
    this.#killed += 1
    this.#child?.kill('SIGKILL')
  }

  /** SIGSTOP, and SIGCONT after so many milliseconds unless it was killed in between. */
  async freeze(milliseconds: number): Promise<void> {
    const child = this.#child
    this.#isStopped = true
    child?.kill('SIGSTOP')
    await pause(milliseconds)
    child?.kill('SIGCONT')
    this.#isStopped = false
  }

  /** Goes on whatever it was. */
  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  /** A line on its standard input. */
  tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`)
  }

  /**
   * Ends it in order: the end of its standard input, or the signal. Gives its exit code; null when it had to
   * be killed.
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

  /** Ends it now. */
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
      // Nothing of this run's own settings gets in.
      env: { PATH: process.env.PATH, HOME: cwd, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal reaches the run alone, which ends the others.
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
