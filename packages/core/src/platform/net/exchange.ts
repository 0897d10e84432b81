import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'
import { OutboundRefused } from './outbound-refusal.ts'
import type { OutboundLimits, OutboundMethod } from './outbound-request.ts'
import type { Target } from './target.ts'

/** A request to one target. */
export interface Message {
  readonly method: OutboundMethod
  readonly headers: Headers
  readonly body: string | Uint8Array | undefined
}

/** An answer: its head, and its body as a stream. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  /**
   * The bytes as they were sent; a compressed body stays compressed. Throws `OutboundRefused` over a limit,
   * or the error that broke the connection.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Closes the connection, even in the middle of a transfer. */
  close(): Promise<void>
}

const nothing = () => {}

/** Returns a client that uses only this connection: a retry that would open another fails. */
async function clientOn(socket: Socket, target: Target, limits: OutboundLimits): Promise<Client> {
  // Loaded at the first call, so that a process without outgoing calls starts faster. A bundle gives the
  // package as its default export alone.
  const { Client } = (await import('undici')).default
  let isTaken = false
  return new Client(target.url.origin, {
    maxHeaderSize: limits.maxHeaderBytes,
    // The deadline limits the time instead: the client's own timers are accurate to a second only.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      const isFirst = !isTaken
      isTaken = true
      // Called asynchronously, as for a real connection: after a synchronous callback the client never sends
      // the request.
      queueMicrotask(() => (isFirst ? callback(null, socket) : callback(new OutboundRefused('broken'), null)))
    },
  })
}

/**
 * Sends one request over the connection and returns when the head of the answer is there. The caller must
 * close the answer.
 */
export async function exchange(
  parts: { socket: Socket; target: Target; message: Message; limits: OutboundLimits },
  deadline: Deadline,
): Promise<Received> {
  const { socket, target, message, limits } = parts
  const client = await clientOn(socket, target, limits)
  const close = async () => {
    await client.destroy()
    socket.destroy()
  }
  try {
    deadline.step(limits.answerMs)
    const answer = await client.request({
      method: message.method,
      path: `${target.url.pathname}${target.url.search}`,
      headers: Object.fromEntries(message.headers),
      body: message.body ?? null,
      signal: deadline.signal,
      reset: true,
    })
    deadline.step()
    // A reader of the body gets its errors; without a reader they are ignored.
    answer.body.on('error', nothing)
    const announced = message.method === 'HEAD' ? 0 : Number(answer.headers['content-length'] ?? 0)
    if (announced > limits.maxBytes) throw new OutboundRefused('too-large')
    const headers = readHeaders(answer.headers)
    return { status: answer.statusCode, headers, body: within(limits, answer.body, deadline), close }
  } catch (error) {
    await close()
    throw error
  }
}

function readHeaders(given: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, value = []] of Object.entries(given)) {
    for (const each of [value].flat()) {
      try {
        headers.append(name, each)
      } catch {
        throw new OutboundRefused('protocol')
      }
    }
  }
  return headers
}

/**
 * Returns the body up to its size limit. Only the silence of the far side counts as idle, not the time that
 * the reader takes.
 */
async function* within(
  { maxBytes, idleMs }: OutboundLimits,
  body: AsyncIterable<Uint8Array>,
  deadline: Deadline,
): AsyncGenerator<Uint8Array> {
  let length = 0
  deadline.step(idleMs)
  for await (const chunk of body) {
    deadline.step()
    length += chunk.length
    if (length > maxBytes) throw new OutboundRefused('too-large')
    yield chunk
    deadline.step(idleMs)
  }
}

/** Returns a whole body. */
export async function wholeOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
