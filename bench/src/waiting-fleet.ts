import { setTimeout as pause } from 'node:timers/promises'
import { type Fleet, fingerprint, licenseKey, licenseOf } from './fleet.ts'
import { Connection } from './load/connection.ts'
import { Histogram } from './measure/histogram.ts'

/** How a host asks for work: it waits at the service, or asks again after a pause. */
export type Asking = { readonly waitSeconds: number } | { readonly pauseMs: number }

/** Connections that are opened at once: a burst of all would overflow the backlog of the listener. */
const OPENED_AT_ONCE = 50

/**
 * Hosts that ask for work, each on a connection of its own. A job carries the instant of its order in its
 * payload; the time until its host has it is recorded.
 */
export class WaitingFleet {
  readonly #url: URL
  readonly #fleet: Fleet
  readonly #asking: Asking
  readonly #connections: Connection[] = []
  readonly latency = new Histogram()
  readonly faults: Record<string, number> = {}
  #isOver = false
  #got = 0
  #sentHome = 0

  constructor(url: string, fleet: Fleet, asking: Asking) {
    this.#url = new URL(url)
    this.#fleet = fleet
    this.#asking = asking
  }

  /** Jobs that hosts have got. */
  get got(): number {
    return this.#got
  }

  /** Answers without a job since `rest`. */
  get sentHome(): number {
    return this.#sentHome
  }

  /** Hosts ask no more when they have their answer. */
  rest(): void {
    this.#isOver = true
    this.#sentHome = 0
  }

  async open(): Promise<void> {
    for (let host = 0; host < this.#fleet.hosts; host += 1) {
      this.#begin(host)
      if (host % OPENED_AT_ONCE === OPENED_AT_ONCE - 1) await pause(50)
    }
  }

  close(): void {
    this.#isOver = true
    for (const connection of this.#connections) connection.close()
  }

  #begin(host: number): void {
    const request = claimOf(this.#fleet, host, this.#asking)
    const isWaiting = 'waitSeconds' in this.#asking
    const answered = (status: number, body: Buffer) => {
      if (status === 200) this.#record(body)
      else if (status !== 204) this.#fault(`status ${status}`)
      else this.#sentHome += 1
      void again(status)
    }
    const again = async (status: number) => {
      if (!isWaiting && status !== 200) await pause(spread((this.#asking as { pauseMs: number }).pauseMs))
      if (!this.#isOver) connection.send(request)
    }
    const connection = new Connection(this.#url, answered, (reason) => this.#fault(reason))
    this.#connections.push(connection)
    // Hosts that start together would ask together for ever.
    void connection.opened.then(() => (isWaiting ? connection.send(request) : again(204)))
  }

  #record(body: Buffer): void {
    const { job } = JSON.parse(body.toString()) as { job: { payload: { ordered_at: number } } }
    this.latency.record(1000 * (performance.timeOrigin + performance.now() - job.payload.ordered_at))
    this.#got += 1
  }

  #fault(reason: string): void {
    if (!this.#isOver) this.faults[reason] = (this.faults[reason] ?? 0) + 1
  }
}

const spread = (ms: number): number => ms * (0.75 + Math.random() / 2)

function claimOf(fleet: Fleet, host: number, asking: Asking): Buffer {
  const body = JSON.stringify({ fingerprint: fingerprint(host) })
  const head = [
    'POST /v1/jobs/claim HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${licenseKey(licenseOf(fleet, host))}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...('waitSeconds' in asking ? [`Prefer: wait=${asking.waitSeconds}`] : []),
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
