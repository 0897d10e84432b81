import * as http from 'node:http'
import * as https from 'node:https'

/** The answer to one exchange. */
export interface Answer {
  /** HTTP status; 0 when no whole answer came, and `fault` then says why. */
  readonly status: number
  /** A response header by its lower-case name; `undefined` when absent. */
  header(name: string): string | undefined
  /** The JSON body; `undefined` when it is empty or no JSON. */
  readonly body: unknown
  /** A code such as `ECONNREFUSED` or `ETIMEDOUT`, only with status 0. */
  readonly fault?: string
}

/** One request. `body` is sent as it is. */
export interface Exchange {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Far above any answer of the agent wire, so that a faulty plane cannot fill the agent's memory. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** No answer: the connection failed, broke or took too long. */
export const noAnswer = (fault: string): Answer => ({
  status: 0,
  header: () => undefined,
  body: undefined,
  fault,
})

/**
 * HTTP over kept-alive connections to one plane. Redirects are not followed: they would carry the license key
 * to another address.
 */
export class HttpExchange {
  readonly #base: URL
  readonly #agent: http.Agent
  readonly #timeoutMs: number

  /**
   * `environment` supplies the usual proxy variables. Throws `TypeError` when `url` is not an http(s)
   * address.
   */
  constructor(url: string, timeoutMs: number, environment: Readonly<Record<string, string | undefined>>) {
    this.#base = new URL(url)
    if (!/^https?:$/.test(this.#base.protocol))
      throw new TypeError('the url of the plane must be http or https')
    this.#timeoutMs = timeoutMs
    const options = { keepAlive: true, keepAliveMsecs: 15_000, proxyEnv: { ...environment } }
    this.#agent =
      this.#base.protocol === 'https:'
        ? // This option overrules NODE_TLS_REJECT_UNAUTHORIZED: the key goes to the plane alone.
          new https.Agent({ ...options, rejectUnauthorized: true })
        : new http.Agent(options)
  }

  /**
   * Sends one request and reads its whole answer. Never throws. A connection found dead on reuse is replaced
   * once.
   */
  async send(exchange: Exchange, signal: AbortSignal): Promise<Answer> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)])
    try {
      return await this.#sendOn(exchange, within)
    } catch (error) {
      if (!(error instanceof StaleConnection)) return noAnswer(faultOf(error, signal))
      return this.#sendOn(exchange, within).catch((again: unknown) => noAnswer(faultOf(again, signal)))
    }
  }

  /** Closes every connection. */
  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  #sendOn(exchange: Exchange, signal: AbortSignal): Promise<Answer> {
    const url = new URL(this.#base.pathname.replace(/\/+$/, '') + exchange.path, this.#base)
    const { method, body } = exchange
    const headers: http.OutgoingHttpHeaders = { accept: 'application/json', ...exchange.headers }
    if (body !== undefined) {
      headers['content-type'] = 'application/json'
      headers['content-length'] = Buffer.byteLength(body)
    }
    const request = url.protocol === 'https:' ? https.request : http.request
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers, agent: this.#agent, signal })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const stale = outgoing.reusedSocket && error.code === 'ECONNRESET'
        reject(stale ? new StaleConnection() : error)
      })
      outgoing.on('response', (incoming) => readAnswer(incoming).then(resolve, reject))
      outgoing.end(body)
    })
  }
}

class StaleConnection extends Error {}

async function readAnswer(incoming: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw Object.assign(new Error('answer too long'), { code: 'ETOOLONG' })
    chunks.push(chunk)
  }
  const { headers } = incoming
  return {
    status: incoming.statusCode ?? 0,
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(',') : value
    },
    body: parse(Buffer.concat(chunks).toString()),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function faultOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'EABORTED'
  const { code, name } = error as NodeJS.ErrnoException
  return name === 'AbortError' || name === 'TimeoutError' ? 'ETIMEDOUT' : (code ?? 'EFAULT')
}
