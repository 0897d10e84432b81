import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

/**
 * Holds the stable ports of applications, also while those do not run: a port that anybody could take would
 * get their visitors. Connections reach a holder when no rule leads them to an instance.
 */
export class Holders implements AsyncDisposable {
  readonly #servers = new Map<number, Server>()

  /** Listens at a port. @throws the fault of the kernel when somebody else does */
  async hold(port: number): Promise<void> {
    if (this.#servers.has(port)) return
    const server = createServer((_, response) => {
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        connection: 'close',
      }
      response.writeHead(503, headers).end('The application takes no visitors at the moment.\n')
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    this.#servers.set(port, server)
  }

  async release(port: number): Promise<void> {
    const server = this.#servers.get(port)
    this.#servers.delete(port)
    if (server !== undefined) await closed(server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers.values()].map(closed))
  }
}

async function closed(server: Server): Promise<void> {
  const gone = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await gone
}
