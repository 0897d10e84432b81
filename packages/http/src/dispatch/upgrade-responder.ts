import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Reply } from '../exchange/route.ts'
import { linger } from './linger.ts'
import { DirectResponder } from './responder.ts'

/**
 * A request for an upgrade, whose socket Node's server has let go. A refusal is an ordinary response on that
 * socket, after which the connection ends.
 */
export class UpgradeResponder extends DirectResponder {
  readonly socket: Socket
  readonly head: Buffer
  readonly #before: number

  constructor(req: IncomingMessage, socket: Socket, head: Buffer) {
    super(req, new ServerResponse(req))
    this.socket = socket
    this.head = head
    this.#before = socket.bytesWritten
  }

  /** Whether something was written in answer to the request: then no response can follow. */
  get isAnswered(): boolean {
    return this.socket.bytesWritten > this.#before || this.socket.writableEnded
  }

  override send(requestId: string, reply: Reply): void {
    const { res, socket } = this
    if (socket.destroyed) return
    res.shouldKeepAlive = false
    res.assignSocket(socket)
    res.once('finish', () => {
      res.detachSocket(socket)
      socket.end()
      linger(socket)
    })
    super.send(requestId, reply)
  }

  override drop(): void {
    this.socket.destroy()
  }
}
