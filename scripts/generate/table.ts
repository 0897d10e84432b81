const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A Markdown table; bars in cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** A word as code; nothing for nothing. */
export const code = (text: string): string => (text === '' ? '' : `\`${text}\``)
