import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { PinnedAgent } from './pinned-tls.ts'

/** The peer refused something: trying again changes nothing. */
export class PeerRefused extends Error {
  override readonly name = 'PeerRefused'
  readonly status: number

  constructor(status: number, error: string) {
    super(error)
    this.status = status
  }
}

/** The address of a peer that listens. */
export interface PeerAddress {
  readonly host: string
  readonly port: number
}

const MAX_JSON_BYTES = 64 * 1024 * 1024
const STALLED_MS = 60_000

type Method = 'GET' | 'POST' | 'PUT'
type Document = Readonly<Record<string, unknown>>

/** The exchanges with a peer that listens, whose TLS key is pinned. */
export class PeerClient implements Disposable {
  readonly #agent: PinnedAgent
  readonly #address: PeerAddress
  readonly #stalledMs: number
  #session: string | undefined

  /** `stalledMs`: silence after which an exchange is given up. */
  constructor(address: PeerAddress, pin: string, stalledMs = STALLED_MS) {
    this.#address = address
    this.#stalledMs = stalledMs
    this.#agent = new PinnedAgent(pin)
  }

  /** Opens a session, which later exchanges name. */
  async open(given: object): Promise<Document> {
    const answer = await this.ask('POST', '/session', given)
    this.#session = String(answer.session)
    return answer
  }

  /** Exchanges JSON. @throws PeerRefused, or the error of the connection */
  async ask(method: Method, path: string, given?: object): Promise<Document> {
    const response = await this.#exchange(method, path, given && [Buffer.from(JSON.stringify(given))])
    return documentOf(response)
  }

  /** Fetches bytes. @throws PeerRefused, or the error of the connection */
  async download(path: string): Promise<AsyncIterable<Uint8Array>> {
    return this.#exchange('GET', path, undefined)
  }

  /** Brings bytes. @throws PeerRefused, or the error of the connection */
  async upload(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await documentOf(await this.#exchange('PUT', path, bytes))
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  async #exchange(
    method: Method,
    path: string,
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined,
  ): Promise<IncomingMessage> {
    const authorization = this.#session === undefined ? {} : { authorization: `Bearer ${this.#session}` }
    const sent = request({ ...this.#address, method, path, agent: this.#agent, headers: authorization })
    sent.setTimeout(this.#stalledMs, () => sent.destroy(new Error('the peer stopped answering')))
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject)
    })
    // A peer that refuses answers before it has read everything: the answer says more than the broken pipe.
    const poured = pipeline(body ?? [], sent).catch(() => {})
    const response = await answered
    if (response.statusCode === 200) {
      await poured
      return response
    }
    const { error } = await documentOf(response).catch((): Document => ({}))
    throw new PeerRefused(response.statusCode ?? 0, typeof error === 'string' ? error : 'refused')
  }
}

async function documentOf(response: IncomingMessage): Promise<Document> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_JSON_BYTES) throw new PeerRefused(0, 'the peer sent too much')
    chunks.push(chunk)
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  return typeof value === 'object' && value !== null ? (value as Document) : {}
}
