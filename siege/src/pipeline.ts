import { connect, type Socket } from 'node:net'

/** An answer as received over the wire. */
export interface WireAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** A request as bytes; `isHead`: the answer has no body, with any `Content-Length`. */
export interface WireRequest {
  readonly bytes: Buffer
  readonly isHead: boolean
}

const END = '\r\n\r\n'

/**
 * Reads the first answer of `bytes`: the answer and its length in bytes; undefined while the answer is
 * incomplete.
 */
function readAnswer(bytes: Buffer, isHead: boolean): { answer: WireAnswer; length: number } | undefined {
  const end = bytes.indexOf(END)
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.split(' ')[1])
  const start = end + END.length
  const bodyless = isHead || status === 204 || status === 304
  const body = bodyless ? { text: '', length: 0 } : bodyOf(bytes.subarray(start), head)
  return body && { answer: { status, head, body: body.text }, length: start + body.length }
}

function bodyOf(bytes: Buffer, head: string): { text: string; length: number } | undefined {
  if (/^transfer-encoding: chunked\r?$/im.test(head)) return chunked(bytes)
  const length = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1] ?? 0)
  return bytes.length < length ? undefined : { text: bytes.toString('utf8', 0, length), length }
}

function chunked(bytes: Buffer): { text: string; length: number } | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { text: Buffer.concat(parts).toString('utf8'), length: next }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}

const PATIENCE_MS = 20_000

/** A persistent connection that sends requests in batches. */
export class Pipeline implements Disposable {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  /**
   * Sends all requests at once and returns the answers in order. If the server ends the connection after an
   * answer, the remaining requests are sent again on a new one. A server that does not read its input to the
   * end may cause a reset, which can lose an answer: a request counts as unanswered only if it gets no answer
   * when sent alone.
   * @throws Error when a request gets no answer
   */
  async send(requests: readonly WireRequest[]): Promise<WireAnswer[]> {
    const answers: WireAnswer[] = []
    let most = requests.length
    while (answers.length < requests.length) {
      const before = answers.length
      // The server may close a kept connection while these requests are on their way, but not a new
      // connection.
      const isNew = this.#socket === undefined || this.#socket.destroyed
      await this.#round(requests.slice(before, before + most), answers)
      if (answers.length > before) {
        most = requests.length
        continue
      }
      if (isNew && most === 1)
        throw new Error(`no answer to ${spell(requests[before])}: the connection was closed`)
      if (isNew) most = 1
      this.#socket?.destroy()
    }
    return answers
  }

  #round(requests: readonly WireRequest[], answers: WireAnswer[]): Promise<void> {
    const socket = this.#open()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let rest: Buffer = Buffer.alloc(0)
    let next = 0
    const onData = (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      for (let found = read(); found !== undefined; found = read()) {
        answers.push(found.answer)
        rest = rest.subarray(found.length)
        next += 1
      }
      if (next === requests.length) resolve()
    }
    const read = () =>
      next < requests.length ? readAnswer(rest, requests[next]?.isHead ?? false) : undefined
    const onClose = () => resolve()
    const timer = setTimeout(() => reject(new Error(`no answer to ${spell(requests[next])}`)), PATIENCE_MS)
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
    return promise.finally(() => {
      clearTimeout(timer)
      socket.off('data', onData)
      socket.off('close', onClose)
    })
  }

  #open(): Socket {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('error', () => socket.destroy())
    this.#socket = socket
    return socket
  }

  [Symbol.dispose](): void {
    this.#socket?.destroy()
  }
}

const SHOWN = 2000
const spell = (request: WireRequest | undefined): string =>
  JSON.stringify(request?.bytes.toString('latin1', 0, SHOWN))
