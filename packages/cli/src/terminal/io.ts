import type { ChildProcess } from 'node:child_process'
import type { Environment } from '@svc/core'
import { eraseVariable } from './own-environment.ts'
import { type RawTerminal, rawTerminal } from './raw-terminal.ts'
import { tame } from './terminal.ts'

/** An output stream of a process. */
export interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  /** Calls `done` when the text has left this process. */
  write(text: string, done?: () => void): unknown
}

/**
 * The one exit for text. Text that goes through `write` controls no terminal, whether it goes to one, to a
 * pipe that ends at one or to a file that is shown there later.
 */
export class Output {
  readonly #stream: Stream

  constructor(stream: Stream) {
    this.#stream = stream
  }

  get isTty(): boolean {
    return this.#stream.isTTY === true
  }

  /** Width of the terminal in characters; 80 elsewhere. */
  get columns(): number {
    return this.#stream.columns ?? COLUMNS
  }

  /** Writes text. The only control characters that pass are line ends, tabs and colours. */
  write(text: string): void {
    this.#stream.write(tame(text))
  }

  /** Writes text unchanged, only for people who asked for that. */
  writeRaw(text: string): void {
    this.#stream.write(text)
  }

  /** Writes text unchanged, like `writeRaw`, and waits until it has left this process. */
  pourRaw(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#stream.write(text, resolve)
    return promise
  }
}

/** Signals that ask a program to end. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type StopSignal = (typeof STOP_SIGNALS)[number]

/** The ids of a user. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Reverts the call that returned it. */
export type Undo = () => void

/** The process as the program sees it; tests pass one that records. */
export interface Io {
  /** The arguments after the program's name. */
  readonly args: readonly string[]
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  readonly hostname: string
  /** The version of Node.js that runs the program, in plain numbers. */
  readonly nodeVersion: string
  /** The operator who acts, for the audit log: `cli:<user>@<host>`. */
  readonly actor: string
  /** How people call this program here: `svc`, or `npx svc` below npm. */
  readonly programName: string
  readonly isRoot: boolean
  /** Whether standard input is a terminal. */
  readonly inIsTty: boolean
  readonly out: Output
  readonly err: Output
  /** Reads the next line of standard input, not shown while it is typed; `prompt` is for a terminal. */
  readSecret(prompt: string): Promise<string>
  /** The bytes of standard input, to its end. */
  input(): AsyncIterable<Uint8Array>
  /** Nobody waits for the rest of standard input any more. */
  leaveInput(): void
  /** The bytes of the process's streams, for a session on a host. */
  rawTerminal(): RawTerminal
  /** Calls `listener` on each signal that asks the program to end, instead of ending it. */
  onStop(listener: (signal: StopSignal) => void): Undo
  /** Calls `listener` when no code handles an error, instead of ending the program. */
  onFault(listener: (fault: unknown) => void): Undo
  /** Whether the process that started this one did so with a channel, and ends it when it ends. */
  readonly isAttached: boolean
  /** Calls `listener` when the process that started this one with a channel is gone. */
  onParentGone(listener: () => void): Undo
  /**
   * Starts this program once more, in a process group of its own, with a channel that tells the new process
   * when this one ends.
   */
  startSelf(args: readonly string[], env: Environment): ChildProcess
  /** The words that start this program once more; arguments follow. */
  readonly self: readonly string[]
  /**
   * Starts this program once more, in a session of its own, so that it stays when this one ends; `errors` is
   * a descriptor for its stderr. `owner`: the user that it runs as, if not this one.
   */
  startApart(args: readonly string[], env: Environment, errors: number, owner?: Owner): ChildProcess
  /**
   * Takes a variable out of the environment, also out of the copy that other processes of the user can read.
   * Returns false if they still can.
   */
  eraseVariable(name: string): boolean
  /** Makes the files that this process and its children create from now on accessible to its user alone. */
  keepPrivate(): void
  /** Sets the code to end with when nothing is left to do. */
  setExitCode(code: number): void
  /** Ends at once, even with work under way. */
  exit(code: number): void
}

/**
 * Below npm one Ctrl-C arrives twice, from the terminal and from npm: signals within this time count as one.
 */
const SAME_SIGNAL_MS = 400
const COLUMNS = 80

// An `import` would read all that the module offers, which takes a millisecond of each command.
const { homedir, hostname, userInfo } = process.getBuiltinModule('node:os')

/** Returns the real process. No other code of this package touches it. */
export function processIo(): Io {
  process.stdout.on('error', quietlyOnBrokenPipe)
  // A log that nobody reads any more is no reason to stop serving.
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
    input: () => process.stdin,
    leaveInput: () => process.stdin.unref?.(),
    rawTerminal: () => rawTerminal(process),
    out: new Output(process.stdout),
    err,
    onStop,
    onFault,
    isAttached: process.channel !== undefined,
    onParentGone,
    self: selfWords(),
    startSelf,
    startApart,
    eraseVariable: (name) => {
      const isGone = eraseVariable(name)
      delete process.env[name]
      return isGone
    },
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

// Node.js itself would print an uncaught error past `Output`. If there is another listener, it handles the
// error.
async function endWith(err: Output, fault: unknown): Promise<void> {
  if (process.listenerCount('uncaughtException') > 1) return
  const { failureOf, failureText } = await import('./failure.ts')
  err.write(failureText(failureOf(fault)))
  process.exit(1)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user id that has no user.
    return String(process.getuid?.() ?? 'unknown')
  }
}

async function secretFrom(err: Output, prompt: string): Promise<string> {
  const { hiddenLine, nextLine } = await import('./secret-input.ts')
  const { stdin } = process
  if (stdin.isTTY) return hiddenLine(stdin, prompt, (text) => err.write(text))
  // A pipe that stays open must not keep the program alive after it has read its lines. A file needs no
  // `ref`.
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

const selfWords = (): readonly string[] => [process.execPath, ...process.execArgv, process.argv[1] ?? '']

function startApart(args: readonly string[], env: Environment, errors: number, owner?: Owner): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const [program = '', ...words] = selfWords()
  const child = spawn(program, [...words, ...args], {
    env: { ...env },
    // A working folder may be removed; the root folder stays.
    cwd: '/',
    stdio: ['ignore', 'ignore', errors],
    ...(owner && { uid: owner.uid, gid: owner.gid }),
    detached: true,
  })
  child.unref()
  return child
}

function startSelf(args: readonly string[], env: Environment): ChildProcess {
  const [program = '', ...words] = selfWords()
  // The module is loaded here, so that commands that start no process begin some milliseconds earlier.
  const { spawn } = process.getBuiltinModule('node:child_process')
  return spawn(program, [...words, ...args], {
    env: { ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  })
}
