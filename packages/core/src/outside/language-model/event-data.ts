/** Most characters of one line, or of the data of one event. */
const MAX_EVENT_CHARS = 64 * 1024

const LINE_END = /\r\n|\r|\n/

/**
 * Yields the data of each server-sent event (WHATWG, Server-sent events) of a stream that arrives in parts of
 * any length. Names, ids and comments are ignored; several lines of data become one text.
 * @throws RangeError when a line or an event grows beyond 65,536 characters
 */
export async function* eventData(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let data: string[] = []
  for await (const part of parts) {
    const lines = (rest + part).split(LINE_END)
    rest = lines.pop() ?? ''
    // The next part may begin with the `
    // ` of this line end.
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
