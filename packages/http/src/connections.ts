import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The open connections of a server, and which of them owe an answer. */
export class Connections {
  readonly #owed = new Map<Duplex, Set<ServerResponse>>()
  #closing = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#owed.set(socket, new Set())
      socket.once('close', () => this.#owed.delete(socket))
    })
    server.prependListener('request', (request, response) => this.#begin(request, response))
  }

  /** Answers that are under way. */
  get answering(): number {
    let count = 0
    for (const responses of this.#owed.values()) count += responses.size
    return count
  }

  /** Whether an answer on this connection has begun to go out. */
  isAnswering(socket: Socket): boolean {
    return [...(this.#owed.get(socket) ?? [])].some((response) => response.headersSent)
  }

  /**
   * Runs `work` when every request that arrived whole on this connection has its answer: answers go out in the order of
   * the requests, and what follows them must not be taken for one of theirs.
   */
  afterEarlier(socket: Duplex, work: () => void): void {
    const earlier = [...(this.#owed.get(socket) ?? [])].filter(({ req }) => req.complete)
    let left = earlier.length
    if (left === 0) work()
    for (const response of earlier) {
      response.once('close', () => {
        left -= 1
        if (left === 0) work()
      })
    }
  }

  /** From now on every answer ends its connection, those under way too as far as their head is not out. */
  closeAfterAnswers(): void {
    this.#closing = true
    for (const responses of this.#owed.values()) for (const response of responses) endWith(response)
  }

  /** Closes the connections that owe no answer, whatever they have sent of a next request. */
  closeIdle(): void {
    for (const [socket, responses] of this.#owed) if (responses.size === 0) (socket as Socket).destroySoon()
  }

  /** Cuts every connection; tells how many answers were lost. */
  cutAll(): number {
    const lost = this.answering
    for (const socket of this.#owed.keys()) socket.destroy()
    return lost
  }

  #begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const responses = this.#owed.get(socket)
    if (responses === undefined) return
    responses.add(response)
    response.once('close', () => responses.delete(response))
    if (this.#closing) endWith(response)
  }
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
