/** `@svc/cli`: the `svc` command. */

import type { Clock } from '@svc/core'
import type { Connect } from '../program/command-run.ts'
import { type Io, processIo } from '../terminal/io.ts'
import { COMMANDS } from './commands.ts'
import { overviewText } from './overview.ts'

/** Parts that tests use instead of the machine's own. */
export interface ProgramParts {
  readonly clock?: Clock
  readonly connect?: Connect
}

const OVERVIEWS: ReadonlySet<string> = new Set(['-h', '--help', 'help'])

/** Runs the program to its end; every failure becomes a sentence on stderr and an exit code. */
export async function runProgram(io: Io = processIo(), parts: ProgramParts = {}): Promise<void> {
  const [first = '', ...more] = io.args
  if (first === 'host-apps') {
    const { runHostProgram } = await import('../host-apps/logs-program.ts')
    await runHostProgram(io)
    return
  }
  if (more.length === 0 && OVERVIEWS.has(first)) {
    io.out.write(overviewText(io.out.columns))
    io.setExitCode(0)
    return
  }
  await runCommand(io, parts, argsOf(io))
}

/** The arguments; `svc help jobs list` is `svc jobs list --help`, and `svc version` is `svc --version`. */
function argsOf({ args }: Io): readonly string[] {
  const [first, ...more] = args
  if (first === 'help') return [...more, '--help']
  return first === 'version' && more.length === 0 ? ['--version'] : args
}

async function runCommand(io: Io, parts: ProgramParts, args: readonly string[]): Promise<void> {
  const { buildProgram } = await import('./command-tree.ts')
  const { parseTo } = await import('../program/parse-to.ts')
  await parseTo(io, args, () => buildProgram(io, parts, namedIn(args)))
}

/** Returns the commands that these arguments may mean: usually one. */
const namedIn = (args: readonly string[]): ReadonlySet<string> =>
  new Set(args.filter((word) => COMMANDS.some(({ name }) => name === word)))
