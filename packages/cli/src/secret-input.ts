import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'

const MAX_LINE_CHARS = 64 * 1024

/** Reads a line at a terminal without showing it; the prompt goes to `say`. */
export async function hiddenLine(
  input: ReadStream,
  prompt: string,
  say: (text: string) => void,
): Promise<string> {
  say(prompt)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input, output: nowhere, terminal: true })
  try {
    return await reader.question('')
  } finally {
    reader.close()
    say('\n')
  }
}

const unread = new WeakMap<Readable, string>()

/** The next line of a pipe or a file, without its end; empty when there is none. The stream stays open for the one after. */
export async function nextLine(input: Readable): Promise<string> {
  let text = unread.get(input) ?? ''
  if (input.readableEncoding === null) input.setEncoding('utf8')
  if (!text.includes('\n')) {
    for await (const chunk of input.iterator({ destroyOnReturn: false })) {
      text += chunk
      if (text.includes('\n') || text.length > MAX_LINE_CHARS) break
    }
  }
  const [line = '', ...rest] = text.split('\n')
  unread.set(input, rest.join('\n'))
  return line.replace(/\r$/, '')
}
