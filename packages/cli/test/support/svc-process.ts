import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Environment } from '@svc/core'
import { leaksIn } from '@svc/testing'
import { Recording } from '../../../../test/support/recording-io.ts'

const BIN = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))
/** Flags of Node.js that run the command from its sources. */
export const SOURCES = [
  '--conditions=svc-source',
  '--disable-warning=ExperimentalWarning',
  // These processes run for seconds: optimizing the WebAssembly of PGlite takes a third of their work.
  '--liftoff-only',
  BIN,
]
// Compiled sources are kept between the many short processes of these suites.
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/svc-cli-test', import.meta.url))

/** The commands that have to print a secret on stdout, and the secret. */
const GIVEN_OUT: readonly (readonly [command: readonly string[], what: string])[] = [
  [['licenses', 'issue'], 'a license key'],
  [['sessions', 'mint'], 'a session cookie'],
  [['alerts', 'webhook-set'], 'the secret of a webhook'],
  [['git', 'hooks', 'add'], 'the secret of a webhook'],
  [['git', 'hooks', 'rotate'], 'the secret of a webhook'],
  [['webhooks', 'endpoints', 'add'], 'the secret of a webhook'],
  [['up'], 'a license key'],
  [['up'], 'a code for one use'],
  [['users', 'first-code'], 'a code for one use'],
  [['account', 'second-factor', 'add'], 'a code for one use'],
]

/**
 * The command that shows a secret beside its document, because a person has to type it before the command can
 * end.
 */
const SHOWN: readonly (readonly [command: readonly string[], what: string])[] = [
  [['account', 'second-factor', 'add'], 'the secret of one-time codes'],
]

/** Inputs of a process. */
export interface SvcProcessParts {
  readonly cwd: string
  readonly env?: Environment
  /** Files and sockets that the process may have open at once; default: as many as this process. */
  readonly openFiles?: number
  /** Wraps the command in another: `sh -c 'umask 0; exec "$@"' sh …`. */
  readonly through?: (command: readonly string[]) => readonly string[]
  /** Arguments of Node.js before the command's; default: the sources. */
  readonly program?: readonly string[]
  /** Text for its standard input; default: none. */
  readonly input?: string
  /** Standard input stays open for `type`. */
  readonly typed?: true
}

/** The real command as a real process, from its sources unless told otherwise. */
export class SvcProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #gone: Promise<unknown>
  readonly #args: readonly string[]
  readonly #env: Environment
  readonly out = new Recording()
  readonly err = new Recording()

  constructor(
    args: readonly string[],
    { cwd, env = {}, openFiles, through, program: node = SOURCES, input, typed }: SvcProcessParts,
  ) {
    this.#args = args
    this.#env = env
    // No settings of this test run get in.
    const own = { PATH: process.env.PATH, HOME: cwd, NODE_COMPILE_CACHE: CACHE, ...env }
    const command = [process.execPath, ...node, ...args]
    const limited = ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', ...command]
    const [program = '', ...words] = through?.(command) ?? (openFiles === undefined ? command : limited)
    this.#child = spawn(program, words, {
      cwd,
      env: own,
      stdio: [input === undefined && !typed ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    // A process that ends before it has read everything is judged by its output.
    this.#child.stdin?.on('error', () => {})
    if (!typed) this.#child.stdin?.end(input)
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.out.write(text))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.err.write(text))
    this.#gone = once(this.#child, 'close')
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Types a line; standard input stays open. */
  type(line: string): void {
    this.#child.stdin?.write(`${line}\n`)
  }

  /** Types keys without the end of a line. */
  press(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /**
   * Returns the exit code when the process has ended and its output is complete; undefined after a signal.
   */
  async end(): Promise<number | undefined> {
    await this.#gone
    return this.#child.exitCode ?? undefined
  }

  /** Waits for a text on one of the outputs; fails with all output when the process ends before. */
  async until(output: 'out' | 'err', wanted: string): Promise<void> {
    const early = this.#gone.then(() => {
      if (this[output].text.includes(wanted)) return
      throw new Error(
        `ended (${this.#child.exitCode}) before saying ${wanted}: ${this.err.text}${this.out.text}`,
      )
    })
    await Promise.race([this[output].until(wanted), early])
  }

  /** Returns the address in the log line `serving`. */
  async serving(): Promise<string> {
    await this.until('err', '"msg":"serving"')
    const line = this.err.text.split('\n').find((each) => each.includes('"msg":"serving"'))
    return (JSON.parse(line ?? '{}') as { url: string }).url
  }

  /**
   * Ends the process.
   * @throws Error when the process has printed a secret that it has to keep
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.kill('SIGKILL')
    await this.#gone
    refuseLeaks(this.#args, this.#env, { out: this.out.text, err: this.err.text })
  }
}

/** @throws Error when a command has printed a secret that it has to keep */
export function refuseLeaks(
  args: readonly string[],
  env: Environment,
  said: { out: string; err: string },
): void {
  const isThis = ([command]: readonly [readonly string[], string]) =>
    command.every((word, index) => args[index] === word)
  const [own, shown] = [GIVEN_OUT, SHOWN].map((list) => list.filter(isThis).map(([, what]) => what))
  const leaks = [
    ...leaksIn(said.out, env).filter((what) => !own?.includes(what)),
    ...leaksIn(said.err, env).filter((what) => !shown?.includes(what)),
  ]
  if (leaks.length > 0) throw new Error(`svc ${args.slice(0, 2).join(' ')} has said ${leaks.join(', ')}`)
}

/** A command that has run to its end. */
export interface Ran {
  readonly code: number | undefined
  readonly out: string
  readonly err: string
}

/** Runs a command to its end. */
export async function runSvc(args: readonly string[], parts: SvcProcessParts): Promise<Ran> {
  await using svc = new SvcProcess(args, parts)
  const code = await svc.end()
  return { code, out: svc.out.text, err: svc.err.text }
}

/** Runs a command with `--json` and reads its document. */
export const jsonOf = async <D>(args: readonly string[], parts: SvcProcessParts): Promise<D> =>
  documentOf(await runSvc([...args, '--json'], parts))

/** Reads the document of a command. @throws Error when the command has failed */
export function documentOf<D>({ code, out, err }: Ran): D {
  if (code !== 0) throw new Error(`exit code ${code}: ${err}`)
  return JSON.parse(out) as D
}
