/** The options that every program has, as the help shows them. */
export const VERSION_OPTION = ['-V, --version', 'print the version'] as const
export const HELP_OPTION = ['-h, --help', 'show this help'] as const
export const HELP_COMMAND = ['help [command...]', 'show the help of a command'] as const

/** If fewer columns than this are left for a text, it is not wrapped. */
const LEAST_COLUMNS = 40

/** Wraps the text before `columns` and indents all lines but the first by `indent` spaces. */
export function wrapped(text: string, columns: number, indent: number): string {
  const width = columns - indent
  if (width < LEAST_COLUMNS) return text
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`)
}
