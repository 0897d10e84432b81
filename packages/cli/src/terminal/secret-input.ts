import { once } from 'node:events'
import { type Readable, Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'

const MAX_LINE_CHARS = 64 * 1024

/** Somebody pressed Ctrl-C at a question: the command is not wanted any more. */
export class Interrupted extends Error {}

/**
 * Reads a line at a terminal without showing it; the prompt goes to `say`. Empty after Ctrl-D.
 * @throws Interrupted after Ctrl-C
 */
export async function hiddenLine(
  input: ReadStream,
  prompt: string,
  say: (text: string) => void,
): Promise<string> {
  // The module is loaded here, since most programs ask nobody anything.
  const { createInterface } = await import('node:readline/promises')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input, output: nowhere, terminal: true })
  // The terminal does not echo from here on: a person who reads the prompt may type.
  say(prompt)
  try {
    const closed = once(reader, 'close').then(() => '')
    return await Promise.race([reader.question(''), closed])
  } catch (error) {
    const { name, message } = error as Error
    if (name !== 'AbortError') throw error
    if (message.includes('Ctrl+D')) return ''
    throw new Interrupted(message)
  } finally {
    reader.close()
    say('\n')
  }
}

const unread = new WeakMap<Readable, string>()

/**
 * The next line of a pipe or a file, without its end; empty when there is none. The stream stays open for the
 * one after.
 */
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
