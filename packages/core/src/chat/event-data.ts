/** Characters of one line, or of the data of one event. */
const MAX_EVENT_CHARS = 64 * 1024

const LINE_END = /\r\n|\r|\n/

/**
 * The data of each server-sent event of a stream that comes in parts of any length (WHATWG, Server-sent
 * events): names, identifiers and comments are read over, several lines of data are one text.
 * @throws RangeError when a line or an event grows beyond 65,536 characters
 */
export async function* eventData(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let data: string[] = []
  for await (const part of parts) {
    const lines = (rest + part).split(LINE_END)
    rest = lines.pop() ?? ''
    // The second half of a line end may be on its way.
    if (part.endsWith('\r') && lines.length > 0) rest = `${lines.pop()}\r`
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      else if (line === 'data') data.push('')
    }
    const chars = data.reduce((sum, line) => sum + line.length, rest.length)
    if (chars > MAX_EVENT_CHARS) throw new RangeError('an event is too long')
  }
}
