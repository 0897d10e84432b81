import { buildProgram } from '../../packages/cli/src/program.ts'

/** A command of the program, as commander keeps it. */
export type Command = ReturnType<typeof buildProgram>

const COLUMNS = 100

function refuse(): never {
  throw new Error('a program that is only looked at does nothing')
}

/** The program, and what it writes when its commands are asked for their help. Nothing runs. */
export function inspectedProgram(): { readonly program: Command; readonly written: () => string } {
  let text = ''
  const output = {
    isTty: false,
    columns: COLUMNS,
    write: (more: string) => {
      text += more
    },
  }
  const nowhere = { args: [], env: {}, cwd: '/', home: '/', hostname: 'host', actor: 'cli:nobody@host' }
  const program = buildProgram({
    ...nowhere,
    programName: 'svc',
    isRoot: false,
    out: output,
    err: output,
    onStop: refuse,
    onFault: refuse,
    onParentGone: refuse,
    startSelf: refuse,
    setExitCode: refuse,
    exit: refuse,
  })
  const written = () => {
    const all = text
    text = ''
    return all
  }
  return { program, written }
}

/** A command with the words that call it. */
export interface NamedCommand {
  readonly words: readonly string[]
  readonly command: Command
}

/** Every command of a program in the order of the help text, groups before their commands. */
export function commandsOf(program: Command): readonly NamedCommand[] {
  const below = (words: readonly string[], command: Command): NamedCommand[] => [
    { words, command },
    ...command.commands.flatMap((each) => below([...words, each.name()], each as Command)),
  ]
  return below([program.name()], program)
}
