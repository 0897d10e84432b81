import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './certificate.ts'

/** A request as it arrived. */
export interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The name that TLS was asked for: false for none, undefined without TLS. */
  readonly servername: string | false | null | undefined
}

/** A server on loopback that plays the far side of a call. */
export interface FarSide extends AsyncDisposable {
  readonly port: number
  readonly seen: Seen[]
  /** How many connections were made to it. */
  connections(): number
}

async function open(server: Server, at: { host: string; port: number }, seen: Seen[]): Promise<FarSide> {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(at.port, at.host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    connections: () => count,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Serves HTTP, or HTTPS with a certificate, and notes each request before it is handled. */
export async function farSide(
  handle: RequestListener = (_request, response) => response.end('hello'),
  options: { readonly host?: string; readonly port?: number; readonly certificate?: Certificate } = {},
): Promise<FarSide> {
  const { host = '127.0.0.1', port = 0, certificate } = options
  const seen: Seen[] = []
  const note: RequestListener = async (request, response) => {
    const { method, url, headers, socket } = request
    request.on('error', () => {})
    const chunks = await request.setEncoding('utf8').toArray()
    const servername = socket instanceof TLSSocket ? socket.servername : undefined
    seen.push({ method, url, headers, body: chunks.join(''), servername })
    handle(request, response)
  }
  const server = certificate ? createSecureServer({ ...certificate }, note) : createServer(note)
  return open(
    server.on('tlsClientError', () => {}),
    { host, port },
    seen,
  )
}

/** Sends everything that `talk` writes, once the first bytes of a request have come. */
export async function rawFarSide(talk: (socket: Socket) => void): Promise<FarSide> {
  const server = createRawServer((socket) => socket.once('data', () => talk(socket)))
  return open(server, { host: '127.0.0.1', port: 0 }, [])
}
