import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** Tries of one request, over all replicas in turn. */
const TRIES = 40
const AGAIN_MS = 50

/** Results of a client's requests. */
export interface RetryReport {
  /** Fingerprints whose heartbeat was answered with 200. */
  readonly acknowledged: readonly string[]
  /** Requests that no replica answered. */
  readonly failed: readonly string[]
}

/**
 * A client that sends heartbeats one after the other on kept connections, each to the replicas in turn until
 * one answers with 200, as hosts and balancers do.
 */
export class RetryingClient {
  readonly #urls: readonly string[]
  readonly #name: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #acknowledged: string[] = []
  readonly #failed: string[] = []
  #running: Promise<void> = Promise.resolve()
  #isOver = false
  #next = 0

  /** `urls` may change while it runs. */
  constructor(urls: readonly string[], name: string) {
    this.#urls = urls
    this.#name = name
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Resolves when `more` further requests were answered or have failed. */
  async answered(more: number): Promise<void> {
    const wanted = this.#acknowledged.length + this.#failed.length + more
    while (this.#acknowledged.length + this.#failed.length < wanted) await pause(AGAIN_MS)
  }

  async stop(): Promise<RetryReport> {
    this.#isOver = true
    await this.#running
    this.#agent.destroy()
    return { acknowledged: this.#acknowledged, failed: this.#failed }
  }

  async #run(): Promise<void> {
    for (let serial = 0; !this.#isOver; serial += 1) {
      const fingerprint = `${this.#name}-${serial}-${'f'.repeat(32)}`
      const list = (await this.#insist(fingerprint, serial)) ? this.#acknowledged : this.#failed
      list.push(fingerprint)
    }
  }

  async #insist(fingerprint: string, serial: number): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      this.#next += 1
      const status = await this.#send(this.#urls[this.#next % this.#urls.length] ?? '', fingerprint, serial)
      if (status === 200) return true
      await pause(AGAIN_MS)
    }
    return false
  }

  /** Returns the status; undefined when the connection ended without an answer. */
  #send(url: string, fingerprint: string, serial: number): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    // A server in development accepts any key, and limits the rate of each.
    const key = `${this.#name}-key-${Math.floor(serial / 20)}`
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request(
      `${url}/v1/telemetry/heartbeat`,
      { method: 'POST', agent: this.#agent, headers },
      (answer) => {
        answer
          .resume()
          .once('end', () => resolve(answer.statusCode))
          .once('error', () => resolve(undefined))
      },
    )
    sent.once('error', () => resolve(undefined))
    sent.end(JSON.stringify({ fingerprint, hostname: 'h' }))
    return promise
  }
}
