import { type Command, commandsOf, inspectedProgram } from './command-tree.ts'

const INTRODUCTION = `# Commands

Written from the program itself (\`npm run generate\`); change that, not this page. In a checkout, call it as \`npx svc\`
or, without a build, as \`npm run svc --\`.
`

/** The reference of the \`svc\` command: the help text of everything it can do. */
export async function commandsPage(): Promise<string> {
  const { program, written } = await inspectedProgram()
  const helpOf = (command: Command): string => {
    command.outputHelp()
    return written().trimEnd()
  }
  const sections = commandsOf(program).map(
    ({ words, command }) => `## ${words.join(' ')}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`,
  )
  return [INTRODUCTION, ...sections].join('\n')
}
