/**
 * Returns a document as JSON with a line for each value, but one line for each example: nobody reads the
 * difference of two examples line by line, and their indentation would be a third of them.
 */
export function documentText(document: object): string {
  const examples: string[] = []
  const text = JSON.stringify(
    document,
    (key, value: unknown) => (key === 'examples' ? `\0${examples.push(JSON.stringify(value)) - 1}` : value),
    1,
  )
  return `${text.replaceAll(/"\\u0000(\d+)"/g, (_, at) => examples[Number(at)] ?? '')}\n`
}
