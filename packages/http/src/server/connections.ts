import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

/** The first turn that brings nothing may have begun before its look at the socket. */
const QUIET_TURNS = 2

/** A turn that took longer has answered requests, and more may have come since it read. */
const BUSY_TURN_MS = 1

/** The open connections of a server, and which of them owe an answer. */
export class Connections {
  // Arrays, mostly of one: a set that is emptied again and again makes a new table each time.
  readonly #owed = new Map<Duplex, ServerResponse[]>()
  readonly #ending = new WeakSet<Duplex>()
  #closing = false
  #taken = 0

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#taken += 1
      this.#owed.set(socket, [])
      socket.once('close', () => this.#owed.delete(socket))
    })
  }

  /** Notes a request; to be told of each before anybody answers it. */
  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const responses = this.#owed.get(socket)
    if (responses === undefined) return
    responses.push(response)
    response.on('close', () => responses.splice(responses.indexOf(response), 1))
    if (this.#closing) endWith(response)
  }

  /** Answers that are under way. */
  get answering(): number {
    let count = 0
    for (const responses of this.#owed.values()) count += responses.length
    return count
  }

  /** Whether an answer on this connection has begun to go out. */
  isAnswering(socket: Socket): boolean {
    return (this.#owed.get(socket) ?? []).some((response) => response.headersSent)
  }

  /**
   * Runs `work` when every request that arrived whole on this connection has its answer: answers go out in
   * the order of the requests, and what follows them must not be taken for one of theirs. Once a connection:
   * each packet behind what cannot be read cannot be read either.
   */
  afterEarlier(socket: Duplex, work: () => void): void {
    if (this.#ending.has(socket)) return
    this.#ending.add(socket)
    const earlier = (this.#owed.get(socket) ?? []).filter(({ req }) => req.complete)
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

  /**
   * Waits until no connection comes any more, `mostMs` at most. The kernel has taken more of them than were
   * seen here: each turn brings one, and those left behind are reset when the server closes.
   */
  async takeWaiting(mostMs: number): Promise<void> {
    const until = performance.now() + mostMs
    let quiet = 0
    while (quiet < QUIET_TURNS && performance.now() < until) {
      const seen = this.#taken
      await turn()
      quiet = this.#taken === seen ? quiet + 1 : 0
    }
  }

  /**
   * Closes the connections that owe no answer, whatever they have sent of a next request. Each has a turn of
   * its own, in which the requests that have arrived are read first; turns that were busy do not count for
   * `mostMs`. Closed all at once, or while there is much to do, hundreds of connections lose the requests
   * that come meanwhile.
   */
  async closeIdle(mostMs: number): Promise<void> {
    const until = performance.now() + mostMs
    for (const socket of [...this.#owed.keys()]) {
      if (performance.now() < until + mostMs) await quietTurn(until)
      if (this.#owed.get(socket)?.length === 0) (socket as Socket).destroySoon()
    }
  }

  /** Cuts every connection; tells how many answers were lost. */
  cutAll(): number {
    const lost = this.answering
    for (const socket of this.#owed.keys()) socket.destroy()
    return lost
  }
}

async function quietTurn(until: number): Promise<void> {
  for (let isQuiet = false; !isQuiet; ) {
    const before = performance.now()
    await turn()
    isQuiet = performance.now() - before < BUSY_TURN_MS || before > until
  }
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
