import { connect, type Socket } from 'node:net'

/** Receives each answer: its status, and its body if one was asked for. */
export type Answered = (status: number, body: Buffer) => void

const READ_BYTES = 64 * 1024
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const NONE = Buffer.alloc(0)
const NO_CONTENT = 204
const ZERO = 48

/**
 * One keep-alive connection with one request under way. It has no general parser, since the server on the
 * same machine lacks the processor time of a load generator: it reads status and Content-Length, and gives up
 * on anything else.
 */
export class Connection {
  readonly #socket: Socket
  readonly #answered: Answered
  /** Settled when the server took it, or did not. */
  readonly opened: Promise<unknown>
  #held: Buffer = NONE

  constructor(url: URL, answered: Answered, failed: (reason: string) => void) {
    this.#answered = answered
    this.#socket = connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback: (bytes: number, buffer: Uint8Array) => {
          try {
            this.#read(buffer as Buffer, bytes)
          } catch (error) {
            failed(String(error))
          }
          return true
        },
      },
    })
    this.opened = new Promise((resolve) => {
      this.#socket.once('connect', resolve)
      this.#socket.once('close', resolve)
    })
    this.#socket.on('error', (error) => failed(error.message))
    this.#socket.on('end', () => failed('the server ended the connection'))
  }

  send(request: Buffer): void {
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer, bytes: number): void {
    const came = chunk.subarray(0, bytes)
    const data = this.#held.length === 0 ? came : Buffer.concat([this.#held, came])
    const headEnd = data.indexOf(END_OF_HEAD)
    const status = headEnd < 0 ? 0 : statusOf(data)
    const bodyStart = headEnd + END_OF_HEAD.length
    const length =
      headEnd < 0 || status === NO_CONTENT ? 0 : contentLength(data.toString('latin1', 0, headEnd))
    if (headEnd < 0 || data.length < bodyStart + length) {
      // The read buffer is used again, so bytes that wait for the rest are copied.
      this.#held = Buffer.from(data)
      return
    }
    this.#held = NONE
    if (data.length > bodyStart + length) throw new Error('more came than one answer')
    this.#answered(status, data.subarray(bodyStart))
  }
}

const statusOf = (data: Buffer): number =>
  ((data[9] ?? 0) - ZERO) * 100 + ((data[10] ?? 0) - ZERO) * 10 + ((data[11] ?? 0) - ZERO)

function contentLength(head: string): number {
  const at = head.indexOf('ontent-Length: ')
  const start = at < 0 ? head.indexOf('ontent-length: ') : at
  if (start < 0) throw new Error('an answer without Content-Length')
  return Number.parseInt(head.slice(start + 'ontent-Length: '.length), 10)
}
