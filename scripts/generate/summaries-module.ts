import { OPERATIONS } from '@svc/core'

const LINE_CHARS = 110

const INTRODUCTION = `// Written from the operations (\`npm run generate\`); change the summary of the operation, not this file.

/** Summaries of operations by name. Help texts take them from here, since they do not load the domain. */
`

const quoted = (text: string): string =>
  text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`

/** Returns an entry as the formatter writes it: a text that is too long for its line stands on the next. */
export function entryLine(name: string, summary: string): string {
  const line = `  ${quoted(name)}: ${quoted(summary)},`
  return line.length <= LINE_CHARS ? line : `  ${quoted(name)}:\n    ${quoted(summary)},`
}

/** Returns the module of the command with the summaries of all operations. */
export function summariesModule(): string {
  const entries = OPERATIONS.map(({ name, summary }) => entryLine(name, summary))
  const changing = OPERATIONS.filter(({ changes }) => changes).map(({ name }) => `  ${quoted(name)},`)
  return `${INTRODUCTION}export const OPERATION_SUMMARIES = {\n${entries.join('\n')}\n} as const

/** The name of an operation. */
export type OperationName = keyof typeof OPERATION_SUMMARIES

/** Operations that change something. */
export const CHANGING_OPERATIONS: ReadonlySet<string> = new Set<OperationName>([
${changing.join('\n')}
])
`
}

/** Returns the module of the client with the operations that change nothing, which it may run again. */
export function readingModule(): string {
  const reading = OPERATIONS.filter(({ changes }) => !changes).map(({ name }) => `  ${quoted(name)},`)
  return `// Written from the operations (\`npm run generate\`); change \`changes\` of the operation, not this file.

/** Operations that change nothing: a call that got no answer may be made again. */
export const READING_OPERATIONS: ReadonlySet<string> = new Set([
${reading.join('\n')}
])
`
}
