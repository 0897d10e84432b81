const LINE_END = /\r?\n/
/** Most characters of one event, so that a stream without an end of line does not fill the memory. */
const MAX_EVENT_CHARS = 1024 * 1024

/**
 * Takes the data of server-sent events out of a stream, one text for each event. Comments are left out. A
 * reader that leaves ends the stream.
 * @throws RangeError for an event of more than 1,048,576 characters
 */
export async function* eventTexts(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  let held = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = `${rest}${decoder.decode(value, { stream: true })}`.split(LINE_END)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '' && data.length > 0) {
          yield data.join('\n')
          data = []
          held = 0
        } else if (line.startsWith('data:')) {
          data.push(line.slice('data:'.length).trimStart())
          held += line.length
        }
      }
      if (held + rest.length > MAX_EVENT_CHARS) throw new RangeError('an event of the stream is too long')
    }
  } finally {
    // A stream that broke has nothing left to cancel.
    await reader.cancel().catch(() => {})
  }
}
