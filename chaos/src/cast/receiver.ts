import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '../../../packages/testing/src/simulator/random.ts'
import { Journal } from '../journal.ts'

const FAULTY_SHARE = 0.2

/**
 * Receives the messages to the endpoints of licenses, and writes each down before it answers. While it is
 * wild, one in five is refused, accepted without an answer, or never answered.
 */
export class Receiver implements AsyncDisposable {
  isWild = false
  readonly #server: Server
  readonly #random: Random
  readonly #journal: Journal

  private constructor(random: Random, journal: string) {
    this.#random = random
    this.#journal = new Journal(journal)
    this.#server = createServer((request, response) => {
      const [license = '', message = ''] = [request.url?.slice(1), request.headers['webhook-id']].map(String)
      const sent = Date.now()
      request.resume()
      request.on('end', () => this.#answer({ license, job: message, sent }, response))
      request.on('error', () => {})
    })
  }

  /** Listens on a free port of 127.0.0.1. `journal` is a path. */
  static async listen(random: Random, journal: string): Promise<Receiver> {
    const receiver = new Receiver(random, journal)
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  /** The address of the endpoint of a license. */
  urlOf(license: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${license}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    this.#journal[Symbol.dispose]()
  }

  #answer(
    message: { readonly license: string; readonly job: string; readonly sent: number },
    to: ServerResponse,
  ) {
    const isFaulty = this.isWild && this.#random.chance(FAULTY_SHARE)
    const fate = isFaulty ? this.#random.pick(['refused', 'refused', 'unheard', 'silent'] as const) : 'well'
    const state = fate === 'well' || fate === 'unheard' ? 'accepted' : 'refused'
    this.#journal.write({ kind: 'message', ...message, got: Date.now(), state })
    if (fate === 'unheard') to.destroy()
    else if (fate !== 'silent') to.writeHead(fate === 'well' ? 204 : 500).end()
  }
}
