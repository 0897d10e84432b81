import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Random } from '../../../packages/testing/src/simulator/random.ts'

/** The probability of each fault, for each piece of data that passes. */
const ON_REQUEST = { 'cut before': 0.025, 'cut after': 0.03, stall: 0.03, swallow: 0.006 } as const
const ON_REPLY = { 'cut reply': 0.03, 'stall reply': 0.03 } as const
type Fault = keyof typeof ON_REQUEST | keyof typeof ON_REPLY
const STALL_MS = [50, 1300] as const

/** A proxy between agents and replicas that breaks connections in every way a network does. */
export class FaultyProxy implements AsyncDisposable {
  readonly faults = new Map<Fault, number>()
  readonly #random: Random
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #ports: readonly number[] = []
  #turn = 0
  isWild = false

  private constructor(random: Random) {
    this.#random = random
    this.#server = createServer((client) => this.#join(client))
  }

  static async listen(random: Random): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(random)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Sets the ports that connections go to, in turn. */
  lead(ports: readonly number[]): void {
    this.#ports = ports
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close').catch(() => {})
  }

  #join(client: Socket): void {
    this.#turn += 1
    const upstream = connect(this.#ports[this.#turn % this.#ports.length] ?? 0, '127.0.0.1')
    const link = { client, upstream, isSwallowed: false }
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => {})
      one.on('end', () => other.end())
      one.on('close', () => {
        this.#sockets.delete(one)
        // After a swallowed request the client's socket stays open until the client gives up.
        if (!link.isSwallowed || one === client) other.destroy()
      })
    }
    client.on('data', (data) => this.#request(link, data))
    upstream.on('data', (data) => this.#reply(link, data))
  }

  #request(link: Link, data: Buffer): void {
    const { client, upstream } = link
    if (link.isSwallowed) return
    const fault = this.#draw(ON_REQUEST)
    if (fault === 'swallow') link.isSwallowed = true
    else if (fault === 'cut before') reset(client)
    else if (fault === 'stall') this.#hold(client, upstream, data)
    else if (fault === 'cut after') {
      // The request arrives; its sender never gets the answer.
      link.isSwallowed = true
      upstream.write(data, () => reset(client))
    } else upstream.write(data)
  }

  #reply(link: Link, data: Buffer): void {
    const { client, upstream } = link
    if (link.isSwallowed) return
    const fault = this.#draw(ON_REPLY)
    if (fault === 'cut reply') client.write(data.subarray(0, data.length >> 1), () => client.destroy())
    else if (fault === 'stall reply') this.#hold(upstream, client, data)
    else client.write(data)
  }

  /** Delays `data`, and everything that the same side sends after it. */
  #hold(from: Socket, to: Socket, data: Buffer): void {
    from.pause()
    setTimeout(
      () => {
        if (!to.destroyed) to.write(data)
        from.resume()
      },
      this.#random.between(...STALL_MS),
    ).unref()
  }

  #draw<F extends Fault>(chances: Readonly<Record<F, number>>): F | undefined {
    if (!this.isWild) return undefined
    let left = this.#random.fraction()
    for (const fault in chances) {
      left -= chances[fault]
      if (left >= 0) continue
      this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1)
      return fault
    }
    return undefined
  }
}

// In Node 24, a socket that is reset while it shuts down is never closed, and the process spins at exit.
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

interface Link {
  readonly client: Socket
  readonly upstream: Socket
  isSwallowed: boolean
}
