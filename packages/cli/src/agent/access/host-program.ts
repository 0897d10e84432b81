import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { CHANNEL, type SentSignal } from '../../relay/protocol.ts'
import { signalGroup } from '../run/process-group.ts'
import { exitOf, HANG_UP_MS, type HostEnd, type HostExit } from './host-end.ts'
import { asUser, SessionRefused, type SessionUser, sessionEnvironment } from './session-user.ts'

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * How long output is still read after a program has ended, if something it left behind holds its pipes
 * open.
 */
const TRAILING_MS = 1000
const END_OF_TEXT = Buffer.of(4)

/** A program in a process group of its own: a command, or the one that keeps a terminal. */
abstract class HostProgram implements HostEnd {
  readonly ended: Promise<HostExit>
  protected readonly child: Child
  #isDone = false

  constructor(child: Child) {
    this.child = child
    const { promise, resolve } = Promise.withResolvers<HostExit>()
    this.ended = promise
    let exit: HostExit = { code: 255 }
    child.stdin.on('error', () => {})
    child.once('error', () => resolve(exit))
    child.once('exit', (code, signal) => {
      this.#isDone = true
      exit = exitOf(code, signal, signal === null ? undefined : constants.signals[signal])
      const late = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, TRAILING_MS)
      child.once('close', () => clearTimeout(late))
    })
    child.once('close', () => resolve(exit))
  }

  start(onOutput: (data: Buffer, channel?: number) => void): void {
    this.child.stdout.on('data', (data: Buffer) => onOutput(data, CHANNEL.stdout))
    this.child.stderr.on('data', (data: Buffer) => onOutput(data, CHANNEL.stderr))
  }

  pause(): void {
    this.child.stdout.pause()
    this.child.stderr.pause()
  }

  resume(): void {
    this.child.stdout.resume()
    this.child.stderr.resume()
  }

  write(data: Buffer, done: () => void): void {
    // A program need not read its input: unread bytes are gone, as in a pipe.
    if (this.child.stdin.writable) this.child.stdin.write(data, () => done())
    else done()
  }

  hangUp(): void {
    if (this.#isDone) return
    this.kill('SIGHUP')
    setTimeout(() => this.kill('SIGKILL'), HANG_UP_MS).unref()
  }

  protected kill(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined) signalGroup(this.child.pid, signal)
  }

  abstract eof(): void
  abstract resize(cols: number, rows: number): void
  abstract signal(name: SentSignal): void
}

class HostCommand extends HostProgram {
  eof(): void {
    this.child.stdin.end()
  }

  resize(): void {}

  signal(name: SentSignal): void {
    this.kill(`SIG${name}`)
  }
}

class HostTerminal extends HostProgram {
  override start(onOutput: (data: Buffer) => void): void {
    super.start((data) => onOutput(data))
  }

  eof(): void {
    if (this.child.stdin.writable) this.child.stdin.write(END_OF_TEXT)
  }

  resize(cols: number, rows: number): void {
    const device = this.#device()
    // The kernel tells the programs that the size has changed.
    if (device !== undefined) execFile('stty', ['-F', device, 'rows', `${rows}`, 'cols', `${cols}`], () => {})
  }

  signal(name: SentSignal): void {
    const group = this.#foreground()
    if (group !== undefined) signalGroup(group, `SIG${name}`)
  }

  override hangUp(): void {
    this.signal('HUP')
    const shell = this.#shell()
    if (shell !== undefined) signalGroup(shell, 'SIGHUP')
    // The program that keeps the terminal blocks a hang-up.
    this.kill('SIGTERM')
    super.hangUp()
  }

  /** The shell in the terminal: the one child of the program that keeps it. */
  #shell(): number | undefined {
    const pid = this.child.pid
    const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(' ')[0]
    return children ? Number(children) : undefined
  }

  #device(): string | undefined {
    try {
      const path = readlinkSync(`/proc/${this.#shell()}/fd/0`)
      return /^\/dev\/pts\/\d+$/.test(path) ? path : undefined
    } catch {
      return undefined
    }
  }

  /** The process group that the terminal's keys reach. */
  #foreground(): number | undefined {
    const stat = read(`/proc/${this.#shell()}/stat`)
    // The command stands in brackets and may hold anything; behind it: state, parent, group, session,
    // device, foreground.
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[5])
    return group > 0 ? group : undefined
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Runs a command with the user's shell, without a terminal. @throws SessionRefused */
export async function startCommand(user: SessionUser, command: string): Promise<HostEnd> {
  return new HostCommand(await started(user, [user.shell, '-c', command], sessionEnvironment(user)))
}

/** Runs a program with its arguments, without a shell and a terminal. @throws SessionRefused */
export async function startProgram(
  user: SessionUser,
  words: readonly string[],
  environment = sessionEnvironment(user),
): Promise<HostEnd> {
  return new HostCommand(await started(user, words, environment))
}

/** A terminal of a certain kind and size. */
export interface Screen {
  readonly term: string
  readonly cols: number
  readonly rows: number
}

/**
 * Starts the user's login shell in a terminal, which `script` of util-linux keeps: no native code is needed.
 * @throws SessionRefused
 */
export async function startShell(user: SessionUser, { term, cols, rows }: Screen): Promise<HostEnd> {
  // The name of a login shell begins with a dash.
  const login = 'stty rows "$1" cols "$2" 2>/dev/null; exec "$SHELL" -l'
  const words = ['sh', '-c', login, 'sh', `${rows}`, `${cols}`].map(quoted).join(' ')
  const program = ['script', '--quiet', '--flush', '--return', '--command', words, '/dev/null']
  const environment = { ...sessionEnvironment(user, term) }
  // This program lets no other signal through. Its end closes the terminal, which hangs up on all that runs
  // there.
  return new HostTerminal(await started(user, program, environment, 'KILL'))
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

async function started(
  user: SessionUser,
  words: readonly string[],
  env: Record<string, string>,
  atDeath: 'HUP' | 'KILL' = 'HUP',
): Promise<Child> {
  const [program = '', ...args] = asUser(user, words, atDeath)
  const child = spawn(program, args, {
    env,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  }) as Child
  const { promise, resolve, reject } = Promise.withResolvers<Child>()
  child.once('spawn', () => resolve(child))
  child.once('error', ({ code }: NodeJS.ErrnoException) =>
    reject(new SessionRefused('spawn_failed', `${program} cannot be started here (${code})`)),
  )
  return promise
}
