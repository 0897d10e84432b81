import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyText, DROPPED, type FakeProvider } from '@svc/testing'

/** A fake of a hosting provider behind a socket of loopback. */
export interface ProviderServer extends AsyncDisposable {
  /** Its origin, without a path. */
  readonly url: string
}

/**
 * Serves a fake over HTTP on loopback. A request whose answer the fake drops loses its connection.
 * `onRequest` is called before each request is handled.
 */
export async function serveProvider(
  provider: FakeProvider,
  onRequest: (path: string) => void = () => {},
): Promise<ProviderServer> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url: path = '/', headers } = request
    onRequest(path)
    const body = Buffer.concat(chunks).toString()
    const answer = provider.handle({ method, path, authorization: headers.authorization, body })
    if (answer === DROPPED) {
      request.socket.destroy()
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body === undefined ? '' : bodyText(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
