import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StartPart } from '../part.ts'

/** Receives webhooks: answers 204 at once, and below `/hang` never. */
export const start: StartPart<null> = async () => {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (request.url?.startsWith('/hang')) return
      response.writeHead(204).end()
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
