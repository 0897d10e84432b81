import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

/**
 * Turns in a row without a new connection that count as quiet: the first of them may have begun before the
 * event loop polled the socket.
 */
const QUIET_TURNS = 2

/**
 * A longer turn of the event loop has answered requests, and more may have arrived since it read the sockets.
 */
const BUSY_TURN_MS = 1

/** The open connections of a server, and which of them owe an answer. */
export class Connections {
  // Arrays, mostly of one element: a set that is emptied again and again allocates a new table each time.
  readonly #owed = new Map<Duplex, ServerResponse[]>()
  readonly #ending = new WeakSet<Duplex>()
  readonly #upgraded = new Map<Duplex, AbortController>()
  #closing = false
  #taken = 0

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#taken += 1
      this.#owed.set(socket, [])
      socket.once('close', () => this.#owed.delete(socket))
    })
  }

  /** Records a request; call it for each request before the request is answered. */
  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const responses = this.#owed.get(socket)
    if (responses === undefined) return
    responses.push(response)
    response.on('close', () => responses.splice(responses.indexOf(response), 1))
    if (this.#closing) endWith(response)
  }

  /**
   * Records that a connection changes its protocol. Returns the signal that is aborted when the server begins
   * to drain.
   */
  upgrade(socket: Duplex): AbortSignal {
    const draining = new AbortController()
    if (this.#closing) draining.abort()
    this.#upgraded.set(socket, draining)
    socket.once('close', () => this.#upgraded.delete(socket))
    return draining.signal
  }

  /** The number of open connections that have changed their protocol, or are about to. */
  get upgraded(): number {
    return this.#upgraded.size
  }

  /** The number of answers in progress. */
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
   * Runs `work` when every request that arrived complete on this connection is answered: answers go out in
   * the order of the requests, and a raw answer sent too early would be taken for the answer to one of them.
   * Runs once per connection: every packet after unreadable bytes is unreadable too.
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

  /**
   * From now on every answer ends its connection, including answers in progress whose head has not been sent.
   * Upgraded connections are told by their signal.
   */
  closeAfterAnswers(): void {
    this.#closing = true
    for (const responses of this.#owed.values()) for (const response of responses) endWith(response)
    for (const draining of this.#upgraded.values()) draining.abort()
  }

  /**
   * Waits until no more connections come, `mostMs` at most. The kernel has accepted more connections than
   * this process has seen: each turn of the event loop takes one, and the remaining ones are reset when the
   * server closes.
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
   * Closes the connections that owe no answer, unless they are upgraded, even if part of a next request has
   * arrived. Each connection gets a turn of its own, which first reads the requests that have arrived. For
   * `mostMs`, busy turns do not count. If hundreds of connections were closed at once or in busy turns,
   * requests that arrive meanwhile would be lost.
   */
  async closeIdle(mostMs: number): Promise<void> {
    const until = performance.now() + mostMs
    for (const socket of [...this.#owed.keys()]) {
      if (performance.now() < until + mostMs) await quietTurn(until)
      const isIdle = this.#owed.get(socket)?.length === 0 && !this.#upgraded.has(socket)
      if (isIdle) (socket as Socket).destroySoon()
    }
  }

  /** Cuts every connection; returns the number of answers and upgraded connections lost. */
  cutAll(): number {
    const lost = this.answering + this.upgraded
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
