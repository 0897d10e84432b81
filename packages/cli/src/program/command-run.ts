import type { Answer, Clock } from '@svc/core'
import type { Connection, ConnectOptions } from '../connect/connect.ts'
import { withIdEnds } from '../connect/whole-ids.ts'
import type { ExitCode } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import type { Page } from '../terminal/render.ts'
import { paint, plain, safeJson } from '../terminal/terminal.ts'

/** Options of commands that reach a control plane. */
export interface CommonOptions extends ConnectOptions {
  readonly json?: boolean
}

/** Connects a command to the control plane; tests pass their own function. */
export type Connect = (io: Io, options: ConnectOptions, licensed: boolean) => Promise<Connection>

/** Inputs of a run. */
export interface CommandRunParts<Options> {
  readonly io: Io
  readonly clock: Clock
  readonly connect: Connect
  readonly args: readonly string[]
  readonly options: Options
}

/**
 * The function that carries out a command. Its result is the exit code; undefined means 0. Only a command
 * that runs another one ends with codes that are not among `EXIT`.
 */
export type Handler<Options> = (run: CommandRun<Options>) => Promise<ExitCode | RemoteCode | undefined>

/** The exit code of a program on a host, 0 to 255. */
export type RemoteCode = number

/** One run of a command: its arguments and options, and the ways to work and to answer. */
export class CommandRun<Options = unknown> {
  readonly io: Io
  readonly clock: Clock
  readonly args: readonly string[]
  readonly options: Options & CommonOptions
  readonly #connect: Connect

  constructor({ io, clock, connect, args, options }: CommandRunParts<Options & CommonOptions>) {
    this.io = io
    this.clock = clock
    this.args = args
    this.options = options
    this.#connect = connect
  }

  /** The argument at `index`; the program has checked that required ones are there. */
  arg(index: number): string {
    return this.args[index] ?? ''
  }

  /**
   * Connects to the control plane, whose operations take the end of an id for the id. `licensed`: a license
   * key suffices for the coming requests.
   */
  async connect(licensed = false): Promise<Connection> {
    return withIdEnds(await slowly(this.io, this.#connect(this.io, this.options, licensed)))
  }

  /** Runs one operation. `A` is the type of its answer. */
  async operate<A = Answer>(name: string, input: object, licensed = false): Promise<A> {
    await using connection = await this.connect(licensed)
    return (await connection.run(name, { ...input })) as A
  }

  /** Prints the one document of this command: as JSON when asked for, else as `view` writes it. */
  print<D extends object>(document: D, view: (page: Page) => string): void {
    const { out } = this.io
    if (this.options.json !== true) out.write(view(this.page))
    else out.write(`${safeJson(JSON.stringify(document, null, out.isTty ? 2 : undefined))}\n`)
  }

  /**
   * Prints remarks beside the document, a line for each text: on stderr, so that they never get into a pipe.
   */
  hint(...lines: readonly string[]): void {
    for (const line of lines) this.io.err.write(`${plain(line)}\n`)
  }

  /** Prints a remark on the progress, dimmed on a terminal, between the lines that people read. */
  note(text: string): void {
    const { env, err } = this.io
    const isTinted = err.isTty && !env.NO_COLOR
    err.write(`${paint(plain(text), isTinted ? 'dim' : undefined)}\n`)
  }

  /** The properties of stdout that views depend on now. */
  get page(): Page {
    const { env, out } = this.io
    const colour = out.isTty && !env.NO_COLOR && env.TERM !== 'dumb'
    return {
      colour,
      now: this.clock.now(),
      ...(out.isTty ? { columns: out.columns } : {}),
    }
  }
}

const SLOW_MS = 1000

/** Tells a person at a terminal that something takes its time. */
async function slowly<T>(io: Io, work: Promise<T>): Promise<T> {
  if (!io.err.isTty) return work
  const timer = setTimeout(() => io.err.write('opening the database …\n'), SLOW_MS)
  return work.finally(() => clearTimeout(timer))
}

/** `entries` without those that are undefined, as operations take them: absent, never null. */
export const given = (entries: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))
