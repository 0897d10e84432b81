import type { Duplex } from 'node:stream'

/**
 * Limits, in time and in bytes, on reading and dropping the input of a client that goes on sending after a
 * refusal.
 */
const LINGER_MS = 1000
const LINGER_BYTES = 256 * 1024

/**
 * Keeps an ended connection open until the client has read the last answer: data that arrives at a closed
 * connection causes a reset, which discards the answer (RFC 9112, section 9.6).
 */
export function linger(socket: Duplex): void {
  let dropped = 0
  const late = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(late))
  socket.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > LINGER_BYTES) socket.destroy()
  })
}
