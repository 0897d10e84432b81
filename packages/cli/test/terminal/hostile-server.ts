import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** An answer of a server that pretends to be a control plane. */
export interface Said {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A server that means harm, on loopback. */
export interface HostileServer extends AsyncDisposable {
  readonly url: string
}

/** Answers every request with the result of `say` for its path. */
export async function hostileServer(say: (path: string) => Said): Promise<HostileServer> {
  const server = createServer(async (request, response) => {
    await text(request)
    const { status = 200, body, headers = {} } = say(request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
  return { url, [Symbol.asyncDispose]: close }
}
