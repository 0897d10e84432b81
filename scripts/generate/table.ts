const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Returns a Markdown table; bars in cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Returns a word as inline code; an empty text stays empty. */
export const code = (text: string): string => (text === '' ? '' : `\`${text}\``)
