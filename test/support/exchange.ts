import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'

/** A request as a test writes it. */
export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer | undefined
}

/** An answer as a test reads it. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body read as JSON; undefined when it is empty. */
  readonly body: unknown
}

/** One request on a connection of its own; `place` is a port on this machine or a socket file. */
export function exchange(
  place: number | string,
  { method = 'GET', path, headers, body }: Sent,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const where: RequestOptions =
    typeof place === 'number' ? { host: '127.0.0.1', port: place } : { socketPath: place }
  const sent = request(
    { ...where, method, path, agent: false, headers: { ...headers } as IncomingHttpHeaders },
    (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('error', reject)
      answer.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const isJson = answer.headers['content-type']?.startsWith('application/json')
        const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, body: parsed })
      })
    },
  )
  sent.once('error', reject)
  sent.end(body)
  return promise
}

/** Sends bytes as they are and gives everything that came back until the other side closed. */
export function rawExchange(port: number, bytes: string | Buffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.once('error', reject)
  socket.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  return promise
}
