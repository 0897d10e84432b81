import type { ChildProcess } from 'node:child_process'
import type { Environment } from '@svc/core'
import { type Io, Output, type StopSignal, type Undo } from '../../packages/cli/src/terminal/io.ts'
import type { RawTerminal } from '../../packages/cli/src/terminal/raw-terminal.ts'

/** Keeps written texts, and lets a test wait for them. */
export class Recording {
  text = ''
  readonly #waiting: { readonly wanted: string; readonly found: () => void }[] = []

  write(text: string): void {
    this.text += text
    for (const { wanted, found } of this.#waiting) if (this.text.includes(wanted)) found()
  }

  /** Resolves when `wanted` has been written; the test's own time limit bounds it. */
  async until(wanted: string): Promise<void> {
    if (this.text.includes(wanted)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ wanted, found: resolve })
    await promise
  }
}

/** The exit of the program, with a recording behind it: it keeps the text that a terminal would get. */
export class RecordingOutput extends Output {
  readonly #kept: Recording

  constructor(isTTY: boolean) {
    const kept = new Recording()
    const write = (text: string, done?: () => void) => {
      kept.write(text)
      done?.()
    }
    super({ isTTY, columns: 80, write })
    this.#kept = kept
  }

  get text(): string {
    return this.#kept.text
  }

  set text(text: string) {
    this.#kept.text = text
  }

  until(wanted: string): Promise<void> {
    return this.#kept.until(wanted)
  }
}

/** Optional inputs of a recording process. */
export interface RecordingIoParts {
  readonly args?: readonly string[]
  readonly env?: Environment
  readonly cwd?: string
  readonly isTty?: boolean
  readonly home?: string
  /** Lines of standard input, in turn. */
  readonly secrets?: readonly string[]
}

/** A process that is none: it records a program's output and lets a test send signals. */
export class RecordingIo implements Io {
  readonly args: readonly string[]
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  readonly hostname = 'desk'
  readonly nodeVersion = '24.0.0'
  readonly actor = 'cli:ann@desk'
  readonly programName = 'svc'
  readonly isRoot = false
  readonly inIsTty: boolean
  readonly #secrets: string[]
  readonly out: RecordingOutput
  readonly err: RecordingOutput
  exitCode: number | undefined
  /** Names of the variables that the program took out of its environment. */
  readonly erased: string[] = []
  readonly #faultListeners = new Set<(fault: unknown) => void>()
  readonly #stopListeners = new Set<(signal: StopSignal) => void>()

  constructor(parts: RecordingIoParts = {}) {
    const { args = [], env = {}, cwd = '/nowhere', home = '/nowhere', isTty = false, secrets = [] } = parts
    this.args = args
    this.home = home
    this.inIsTty = isTty
    this.#secrets = [...secrets]
    this.env = env
    this.cwd = cwd
    this.out = new RecordingOutput(isTty)
    this.err = new RecordingOutput(isTty)
  }

  /** The one document of a command that was told `--json`. */
  get document(): Record<string, unknown> {
    return JSON.parse(this.out.text)
  }

  eraseVariable(name: string): boolean {
    this.erased.push(name)
    return true
  }

  readSecret(prompt: string): Promise<string> {
    if (this.inIsTty) this.err.write(prompt)
    return Promise.resolve(this.#secrets.shift() ?? '')
  }

  leaveInput(): void {}

  async *input(): AsyncGenerator<Uint8Array> {
    for (const line of this.#secrets.splice(0)) yield Buffer.from(`${line}\n`)
  }

  rawTerminal(): RawTerminal {
    throw new Error('a recording process has no terminal')
  }

  onStop(listener: (signal: StopSignal) => void): Undo {
    this.#stopListeners.add(listener)
    return () => this.#stopListeners.delete(listener)
  }

  /** Sends a signal to all listeners. */
  signal(signal: StopSignal): void {
    for (const listener of this.#stopListeners) listener(signal)
  }

  onFault(listener: (fault: unknown) => void): Undo {
    this.#faultListeners.add(listener)
    return () => this.#faultListeners.delete(listener)
  }

  /** Lets an error reach nobody. */
  fault(error: unknown): void {
    for (const listener of this.#faultListeners) listener(error)
  }

  onParentGone(): Undo {
    return () => {}
  }

  startSelf(): ChildProcess {
    throw new Error('a recording process starts no other')
  }

  readonly self = ['svc']
  readonly isAttached = false

  startApart(): ChildProcess {
    throw new Error('a recording process starts no other')
  }

  // The mask is the whole process's, and so other suites' too.
  keepPrivate(): void {}

  setExitCode(code: number): void {
    this.exitCode = code
  }

  exit(code: number): void {
    this.exitCode = code
  }
}
