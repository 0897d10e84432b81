import { IncomingMessage } from 'node:http'
import { isIP, Socket } from 'node:net'

/** The connection of a request that nobody showed; its address is known only if the caller named it. */
class UnseenSocket extends Socket {
  constructor(address: string | undefined) {
    super()
    Object.defineProperty(this, 'remoteAddress', { value: address })
  }
}

/** Whether the address of the peer of a connection is not known, and may be anybody's. */
export const isUnseen = (socket: Socket): boolean =>
  socket instanceof UnseenSocket && socket.remoteAddress === undefined

const hasNoBody = (method: string): boolean => method === 'GET' || method === 'HEAD'

/**
 * A web-standard request as the routes read a request of Node.js. Its body is read when a route asks for it,
 * and no faster.
 */
export class WebRequest extends IncomingMessage {
  readonly #body: ReadableStream<Uint8Array> | null
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #isBegun = false
  #makeRoom: (() => void) | undefined

  /** `address`: the client's; anything that is none counts as unknown. */
  constructor(request: Request, address: unknown) {
    super(new UnseenSocket(typeof address === 'string' && isIP(address) > 0 ? address : undefined))
    const { pathname, search, host } = new URL(request.url)
    this.method = request.method
    this.url = `${pathname}${search}`
    this.httpVersionMajor = 1
    this.httpVersionMinor = 1
    this.httpVersion = '1.1'
    const wasRead = request.bodyUsed || request.body?.locked === true
    this.#body = wasRead ? null : request.body
    // A body that was read before is at its end, as Node's is.
    if (wasRead) Object.defineProperty(this, 'readableEnded', { value: true })
    const headers = new Headers(request.headers)
    if (!headers.has('host')) headers.set('host', host)
    // A length, or this header, says that there is a body at all.
    if (!hasNoBody(request.method) && this.#body !== null && !headers.has('content-length'))
      headers.set('transfer-encoding', 'chunked')
    this.headers = Object.fromEntries(headers)
    for (const header of headers) this.rawHeaders.push(...header)
  }

  override _read(): void {
    this.#makeRoom?.()
    if (this.#isBegun) return
    this.#isBegun = true
    void this.#pump()
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    this.#reader?.cancel().catch(() => {})
    this.#makeRoom?.()
    // Nobody listens for errors of a request: its `close` says that the client has gone.
    done()
  }

  async #pump(): Promise<void> {
    try {
      this.#reader = this.#body?.getReader()
      for (;;) {
        const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined }
        if (this.destroyed) return
        if (done) break
        if (!this.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))) await this.#room()
      }
      this.complete = true
      this.push(null)
    } catch {
      this.destroy()
    }
  }

  #room(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#makeRoom = () => {
      this.#makeRoom = undefined
      resolve()
    }
    return promise
  }
}
