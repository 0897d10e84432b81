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

/** Destination of requests: an address, or a socket file of this machine. */
export type Target =
  | { readonly url: string; readonly socketPath?: undefined }
  | { readonly socketPath: string; readonly url?: undefined }

/** One request. `path` begins with a slash and is appended to the path of the address; `body` is JSON. */
export interface HttpCall {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** How long the other side may let this request wait beyond the usual time limit, in milliseconds. */
  readonly waitMs?: number
}

/** Limits of a client, and the environment. */
export interface HttpClientOptions {
  /** Time limit of one exchange, in milliseconds. */
  readonly timeoutMs: number
  /** Longest answer in bytes; default: any. */
  readonly maxAnswerBytes?: number
  /** Source of the usual proxy variables; default: no proxy. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** No answer: the connection failed, broke or took too long. */
export const noAnswer = (fault: string): Answer => ({
  status: 0,
  header: () => undefined,
  body: undefined,
  fault,
})

/**
 * HTTP over kept-alive connections to one plane. Redirects are not followed: they would carry the credential
 * to another address.
 */
export class HttpClient {
  readonly #base: URL
  readonly #socketPath: string | undefined
  readonly #agent: http.Agent
  readonly #timeoutMs: number
  readonly #maxAnswerBytes: number

  /** Throws `TypeError` when the address is not one of http(s). */
  constructor({ url, socketPath }: Target, options: HttpClientOptions) {
    this.#base = new URL(url ?? 'http://localhost')
    this.#socketPath = socketPath
    if (!/^https?:$/.test(this.#base.protocol))
      throw new TypeError('the url of the plane must be http or https')
    this.#timeoutMs = options.timeoutMs
    this.#maxAnswerBytes = options.maxAnswerBytes ?? Number.POSITIVE_INFINITY
    const keeping = { keepAlive: true, keepAliveMsecs: 15_000, proxyEnv: { ...options.environment } }
    this.#agent =
      this.#base.protocol === 'https:'
        ? // This option overrules NODE_TLS_REJECT_UNAUTHORIZED: credentials go to the plane alone.
          // NODE_EXTRA_CA_CERTS adds a private authority.
          new https.Agent({ ...keeping, rejectUnauthorized: true })
        : new http.Agent(keeping)
  }

  /**
   * Sends one request and reads its whole answer. Never throws. A connection found dead on reuse is replaced
   * once.
   */
  async send(call: HttpCall, signal?: AbortSignal): Promise<Answer> {
    const timeout = AbortSignal.timeout(this.#timeoutMs + (call.waitMs ?? 0))
    const within = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    try {
      return await this.#sendOn(call, within)
    } catch (error) {
      if (!(error instanceof StaleConnection)) return noAnswer(faultOf(error, signal))
      return this.#sendOn(call, within).catch((again: unknown) => noAnswer(faultOf(again, signal)))
    }
  }

  /** Closes every connection. */
  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  #sendOn(call: HttpCall, signal: AbortSignal): Promise<Answer> {
    const url = new URL(this.#base.pathname.replace(/(?<!\/)\/+$/, '') + call.path, this.#base)
    const { method, body } = call
    const headers: http.OutgoingHttpHeaders = { accept: 'application/json', ...call.headers }
    if (body !== undefined) {
      headers['content-type'] = 'application/json'
      headers['content-length'] = Buffer.byteLength(body)
    }
    const request = url.protocol === 'https:' ? https.request : http.request
    const socket = this.#socketPath === undefined ? {} : { socketPath: this.#socketPath }
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers, agent: this.#agent, signal, ...socket })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const stale = outgoing.reusedSocket && error.code === 'ECONNRESET'
        reject(stale ? new StaleConnection() : error)
      })
      outgoing.on('response', (incoming) => readAnswer(incoming, this.#maxAnswerBytes).then(resolve, reject))
      outgoing.end(body)
    })
  }
}

class StaleConnection extends Error {}

async function readAnswer(incoming: http.IncomingMessage, maxBytes: number): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw Object.assign(new Error('answer too long'), { code: 'ETOOLONG' })
    chunks.push(chunk)
  }
  const { headers } = incoming
  return {
    status: incoming.statusCode ?? 0,
    header: (name) => {
      const value = headers[name]
      // Only `set-cookie` comes as a list.
      return Array.isArray(value) ? value[0] : value
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

function faultOf(error: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted) return 'EABORTED'
  const { code, name } = error as NodeJS.ErrnoException
  return name === 'AbortError' || name === 'TimeoutError' ? 'ETIMEDOUT' : (code ?? 'EFAULT')
}
