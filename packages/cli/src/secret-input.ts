import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'

const MAX_LINE_BYTES = 64 * 1024

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

/** The first line of a pipe or a file, without its end; empty when there is none. */
export async function firstLine(input: AsyncIterable<Buffer | string>): Promise<string> {
  let text = ''
  for await (const chunk of input) {
    text += chunk.toString()
    if (text.includes('\n') || text.length > MAX_LINE_BYTES) break
  }
  return text.split('\n')[0]?.replace(/\r$/, '') ?? ''
}
