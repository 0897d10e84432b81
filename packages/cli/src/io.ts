import type { ChildProcess } from 'node:child_process'
import { homedir, hostname, userInfo } from 'node:os'
import type { Environment } from '@svc/core'
import { tame } from './terminal/terminal.ts'

/** A stream as a process has it. */
export interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/**
 * The one exit for text: nothing that is written commands a terminal, whether it goes to one, to a pipe that
 * ends at one or to a file that is read there later.
 */
export class Output {
  readonly #stream: Stream

  constructor(stream: Stream) {
    this.#stream = stream
  }

  get isTty(): boolean {
    return this.#stream.isTTY === true
  }

  /** Characters a line holds on a terminal, 80 elsewhere. */
  get columns(): number {
    return this.#stream.columns ?? COLUMNS
  }

  /** Writes text. Of control characters only line ends, tabs and colours pass. */
  write(text: string): void {
    this.#stream.write(tame(text))
  }

  /** Writes text as it is: only for people who asked for that. */
  writeRaw(text: string): void {
    this.#stream.write(text)
  }
}

/** Signals that ask a program to end. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type StopSignal = (typeof STOP_SIGNALS)[number]

/** Undoes what it came from. */
export type Undo = () => void

/** The process as the program sees it: tests hand in a recording one. */
export interface Io {
  /** What stands behind the program's name. */
  readonly args: readonly string[]
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  readonly hostname: string
  /** The version of Node.js that runs this, in plain numbers. */
  readonly nodeVersion: string
  /** Who acts, for the audit log: `cli:<user>@<host>`. */
  readonly actor: string
  /** How people call this program here: `svc`, or `npx svc` below npm. */
  readonly programName: string
  readonly isRoot: boolean
  /** Whether somebody sits at standard input. */
  readonly inIsTty: boolean
  readonly out: Output
  readonly err: Output
  /** The next line of standard input, not shown while it is typed; `prompt` is for a terminal. */
  readSecret(prompt: string): Promise<string>
  /** Calls back on each signal that asks to end, instead of ending. */
  onStop(listener: (signal: StopSignal) => void): Undo
  /** Calls back when an error reached nobody, instead of ending. */
  onFault(listener: (fault: unknown) => void): Undo
  /** Calls back when the process that started this one with a channel is gone. */
  onParentGone(listener: () => void): Undo
  /**
   * Starts this program once more, in a process group of its own, with a channel that tells it when this one
   * ends.
   */
  startSelf(args: readonly string[], env: Environment): ChildProcess
  /**
   * From now on the files that this process makes are for its user alone, and so are those of what it starts.
   */
  keepPrivate(): void
  /** The code to end with when nothing is left to do. */
  setExitCode(code: number): void
  /** Ends now, whatever is under way. */
  exit(code: number): void
}

/**
 * One Ctrl-C arrives twice below npm, from the terminal and from npm: within this time it is the same one.
 */
const SAME_SIGNAL_MS = 400
const COLUMNS = 80

/** The real process. The only place of this package that touches it. */
export function processIo(): Io {
  process.stdout.on('error', quietlyOnBrokenPipe)
  // Nobody reads the log any more: no reason to stop serving.
  process.stderr.on('error', () => {})
  const err = new Output(process.stderr)
  const readSecret = (prompt: string) => secretFrom(err, prompt)
  process.on('uncaughtException', (fault) => endWith(err, fault))
  return {
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    hostname: hostname(),
    nodeVersion: process.versions.node,
    get actor() {
      return `cli:${userName()}@${hostname()}`
    },
    programName: process.env.npm_execpath === undefined ? 'svc' : 'npx svc',
    isRoot: process.getuid?.() === 0,
    get inIsTty() {
      return process.stdin.isTTY === true
    },
    readSecret,
    out: new Output(process.stdout),
    err,
    onStop,
    onFault,
    onParentGone,
    startSelf,
    keepPrivate: () => {
      process.umask(0o077)
    },
    setExitCode: (code) => {
      process.exitCode = code
    },
    exit: (code) => process.exit(code),
  }
}

// `svc jobs list | head` is no failure.
function quietlyOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit()
  throw error
}

// An error that reaches nobody would be printed by Node.js itself, past the exit. Where somebody listens, it
// is theirs.
async function endWith(err: Output, fault: unknown): Promise<void> {
  if (process.listenerCount('uncaughtException') > 1) return
  const { failureOf, failureText } = await import('./program/failure.ts')
  err.write(failureText(failureOf(fault)))
  process.exit(1)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that no user has.
    return String(process.getuid?.() ?? 'unknown')
  }
}

async function secretFrom(err: Output, prompt: string): Promise<string> {
  const { hiddenLine, nextLine } = await import('./terminal/secret-input.ts')
  const { stdin } = process
  if (stdin.isTTY) return hiddenLine(stdin, prompt, (text) => err.write(text))
  // A pipe that nobody closes must not keep a program alive that has read its lines; a file cannot.
  stdin.ref?.()
  return nextLine(stdin).finally(() => stdin.unref?.())
}

function onStop(listener: (signal: StopSignal) => void): Undo {
  const last = new Map<StopSignal, number>()
  const hear = (signal: NodeJS.Signals) => {
    const known = signal as StopSignal
    const at = performance.now()
    if (at - (last.get(known) ?? Number.NEGATIVE_INFINITY) > SAME_SIGNAL_MS) listener(known)
    last.set(known, at)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, hear)
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, hear)
  }
}

function onFault(listener: (fault: unknown) => void): Undo {
  const events = ['uncaughtException', 'unhandledRejection'] as const
  for (const event of events) process.on(event, listener)
  return () => {
    for (const event of events) process.off(event, listener)
  }
}

function onParentGone(listener: () => void): Undo {
  if (process.channel === undefined) return () => {}
  process.on('disconnect', listener)
  // Listening must not keep a program alive that has nothing else to do.
  process.channel.unref()
  return () => {
    process.off('disconnect', listener)
  }
}

function startSelf(args: readonly string[], env: Environment): ChildProcess {
  const program = process.argv[1] ?? ''
  // Loaded by those who start something: every other command begins some milliseconds earlier.
  const { spawn } = process.getBuiltinModule('node:child_process')
  return spawn(process.execPath, [...process.execArgv, program, ...args], {
    env: { ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  })
}
