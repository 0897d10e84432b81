import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A language model's service. */
export interface EndlessModel extends AsyncDisposable {
  readonly url: string
}

const WORD_EVERY_MS = 100

/** A language model that answers every question word after word and never comes to an end. */
export async function endlessModel(): Promise<EndlessModel> {
  const word = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word ' } }] })}\n\n`
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write(word), WORD_EVERY_MS)
    response.on('close', () => clearInterval(timer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
