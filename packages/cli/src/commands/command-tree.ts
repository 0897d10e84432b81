import { type Command, Option } from 'commander'
import type { CommonOptions, Handler } from '../program/command-run.ts'
import { programOf } from '../program/program-of.ts'
import type { Io } from '../terminal/io.ts'
import { COMMANDS } from './commands.ts'
import type { Run } from './declare.ts'
import type { ListedCommand } from './listed-command.ts'
import { FOOTER, SUMMARY } from './overview.ts'
import type { ProgramParts } from './program.ts'

/** Names of the commands that are declared whole; all others are declared by name and summary only. */
export type Wanted = 'all' | ReadonlySet<string>

/** Builds the program over `io`. The code of a command is loaded when the command runs. */
export async function buildProgram(
  io: Io,
  parts: ProgramParts = {},
  wanted: Wanted = 'all',
): Promise<Command> {
  const program = programOf(io, 'svc', SUMMARY).addHelpText('after', FOOTER)
  const run = runner(io, parts)
  for (const listed of COMMANDS) {
    if (wanted === 'all' || wanted.has(listed.name)) (await listed.load())(program, run)
    else listOnly(program, listed)
    program.commands.at(-1)?.description(listed.summary)
  }
  return program
}

function listOnly(program: Command, { name, args, isGroup }: ListedCommand): void {
  const command = program.command(args === undefined ? name : `${name} ${args}`)
  // An option makes the list show `[options]` behind the name.
  if (!isGroup) command.addOption(new Option('--any').hideHelp())
}

/** Turns a handler into an action of commander. */
function runner(io: Io, parts: ProgramParts): Run {
  return <O>(load: () => Promise<Handler<O>>) =>
    async (...received: unknown[]) => {
      const command = received.at(-1) as Command
      const { performRun } = await import('./perform-run.ts')
      const options = command.opts<O & CommonOptions>()
      await performRun({ io, parts, args: command.args, options, load })
    }
}
