import { buildProgram } from '../../packages/cli/src/commands/command-tree.ts'
import { RecordingIo } from '../../test/support/recording-io.ts'

/** A command of the program, as an object of commander. */
export type Command = Awaited<ReturnType<typeof buildProgram>>

/** Returns the program, and the output of its commands when they print their help. No command runs. */
export async function inspectedProgram(): Promise<{ program: Command; written: () => string }> {
  const io = new RecordingIo()
  const written = () => {
    const { text } = io.out
    io.out.text = ''
    return text
  }
  return { program: await buildProgram(io), written }
}

/** A command and the words that call it. */
export interface NamedCommand {
  readonly words: readonly string[]
  readonly command: Command
}

/** Returns every command of a program in the order of the help text, groups before their commands. */
export function commandsOf(program: Command): readonly NamedCommand[] {
  const below = (words: readonly string[], command: Command): NamedCommand[] => [
    { words, command },
    ...command.commands.flatMap((each) => below([...words, each.name()], each as Command)),
  ]
  return below([program.name()], program)
}
