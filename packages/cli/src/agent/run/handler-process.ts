import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { ProcessOwner } from './handler-user.ts'
import { LineSplitter } from './line-splitter.ts'
import { endGroup, signalGroup } from './process-group.ts'
import type { RunningHandler } from './running-handler.ts'

/** How a handler ended: its exit code, or the signal that ended it, or why it never began. */
export interface HandlerEnd {
  readonly code?: number
  readonly signal?: NodeJS.Signals
  readonly fault?: string
  /** Why the agent's own work failed, word for word. */
  readonly error?: string
  /** The last line that the handler wrote to stderr, which usually says why it failed. */
  readonly lastWords?: string
}

/** Inputs of a handler process. */
export interface HandlerStart {
  readonly file: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** The user that the handler runs as; absent: the agent's own. */
  readonly owner?: ProcessOwner | undefined
  /** Written to its stdin, which is then closed. */
  readonly input: string
  readonly maxLineChars: number
  /** Applied to every line before any other code gets it. */
  readonly masked: (line: string) => string
  readonly onLine: (line: string, from: OutputStream) => void
  /** Gets states of lines that overwrite themselves; the line itself follows. */
  readonly onState: (state: string, from: OutputStream) => void
}

/** A stream that a handler writes to. */
export type OutputStream = 'stdout' | 'stderr'

/**
 * How long output is still read after the handler ended, if a process that it left behind holds its pipes
 * open.
 */
const TRAILING_OUTPUT_MS = 1_000

/** A running handler, in a process group of its own, so that it can be ended with everything it started. */
export class HandlerProcess implements RunningHandler {
  /** Resolves once, when the handler has ended and its output was read; never rejects. */
  readonly ended: Promise<HandlerEnd>
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #outputs: LineSplitter[] = []
  #lastWords: string | undefined
  #exited = false

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, start: HandlerStart) {
    this.#child = child
    this.#read('stdout', start, () => {})
    this.#read('stderr', start, (line) => {
      if (line.trim() !== '') this.#lastWords = line
    })
    this.ended = this.#end()
    // A handler need not read its input, so a broken pipe is no error.
    child.stdin.on('error', () => {})
    child.stdin.end(start.input)
  }

  /** Starts a handler. If that fails, the call throws or the handler ends with a `fault`. */
  static start(start: HandlerStart): HandlerProcess {
    const { file, folder: cwd, environment: env, owner } = start
    // Changing the user also drops the supplementary groups.
    const ids = owner && { uid: owner.uid, gid: owner.gid }
    return new HandlerProcess(
      spawn(file, [], { cwd, env, ...ids, stdio: ['pipe', 'pipe', 'pipe'], detached: true }),
      start,
    )
  }

  /** Whether the handler itself has ended; processes that it left behind may still write. */
  get exited(): boolean {
    return this.#exited
  }

  /** The session that the handler leads; undefined if it never began. */
  get session(): number | undefined {
    return this.#child.pid
  }

  /** SIGTERM to the group, SIGKILL after `graceMs`. */
  async terminate(graceMs: number): Promise<void> {
    if (this.#child.pid !== undefined) await endGroup(this.#child.pid, graceMs)
  }

  /** SIGKILL to the group, now. */
  kill(): void {
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL')
  }

  #read(
    from: OutputStream,
    { maxLineChars, masked, onLine, onState }: HandlerStart,
    note: (line: string) => void,
  ): void {
    const splitter = new LineSplitter(maxLineChars, {
      line: (raw) => {
        const line = masked(raw)
        note(line)
        onLine(line, from)
      },
      state: (raw) => onState(masked(raw), from),
    })
    this.#outputs.push(splitter)
    this.#child[from].on('data', (bytes: Buffer) => splitter.write(bytes))
  }

  #end(): Promise<HandlerEnd> {
    const child = this.#child
    return new Promise((resolve) => {
      let end: HandlerEnd = {}
      child.once('error', (error: NodeJS.ErrnoException) => resolve({ fault: error.code ?? error.message }))
      child.once('exit', (code, signal) => {
        this.#exited = true
        end = { ...(code === null ? {} : { code }), ...(signal ? { signal } : {}) }
        const timer = setTimeout(() => {
          child.stdout.destroy()
          child.stderr.destroy()
        }, TRAILING_OUTPUT_MS)
        child.once('close', () => clearTimeout(timer))
      })
      child.once('close', () => {
        // A last line without a line end counts, and is the last word of many a program.
        for (const output of this.#outputs) output.end()
        resolve({ ...end, ...(this.#lastWords === undefined ? {} : { lastWords: this.#lastWords }) })
      })
    })
  }
}
