import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'
import type { OutboundLimits, OutboundMethod } from './outbound-request.ts'
import { Refused } from './refusal.ts'
import type { Target } from './target.ts'

/** What is sent to one target. */
export interface Message {
  readonly method: OutboundMethod
  readonly headers: Headers
  readonly body: string | Uint8Array | undefined
}

/** What came back: the head, and the body as it comes. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  /**
   * The bytes as they were sent: a compressed body stays compressed. Throws `Refused` at the caps, or what
   * broke.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Ends the connection, whatever is under way. */
  close(): Promise<void>
}

const nothing = () => {}

/** A client that has this one connection and can make no other, whatever it thinks it should retry. */
async function clientOn(socket: Socket, target: Target, limits: OutboundLimits): Promise<Client> {
  // Loaded with the first call: a process that makes none starts without it.
  const { Client } = await import('undici')
  let isTaken = false
  return new Client(target.url.origin, {
    maxHeaderSize: limits.maxHeaderBytes,
    // The deadline counts: the client's own timers tick by the second.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      const isFirst = !isTaken
      isTaken = true
      // Later, as a real connection would be there: answered at once, the client never sends the request.
      queueMicrotask(() => (isFirst ? callback(null, socket) : callback(new Refused('broken'), null)))
    },
  })
}

/**
 * Sends one request over the connection and waits for the head of the answer; who reads its body closes it.
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
    // Whoever reads it hears of its end; left unread, it ends unheard.
    answer.body.on('error', nothing)
    const announced = message.method === 'HEAD' ? 0 : Number(answer.headers['content-length'] ?? 0)
    if (announced > limits.maxBytes) throw new Refused('too-large')
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
        throw new Refused('protocol')
      }
    }
  }
  return headers
}

/** The body up to its cap. Only the far side's silence counts as idle, not the time that the reader takes. */
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
    if (length > maxBytes) throw new Refused('too-large')
    yield chunk
    deadline.step(idleMs)
  }
}

/** All of a body in one piece. */
export async function wholeOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
