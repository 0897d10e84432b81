import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Part } from '../part.ts'

/** Answers one request: its body as it was parsed. */
export type BareHandler = (body: Record<string, unknown>, response: ServerResponse) => Promise<void> | void

/** Nothing but `node:http`: every request is a JSON body, and the path is not looked at. */
export async function bareHttp(
  handle: BareHandler,
  stop: () => Promise<void> = async () => {},
): Promise<Part> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      try {
        const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
        await handle(JSON.parse(bytes.toString()), response)
      } catch (error) {
        answerJson(response, 500, { error: String(error) })
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await stop()
    },
  }
}

/** Writes a JSON answer in one piece. */
export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
    .end(text)
}

/** Writes an answer that has no body. */
export const answerNothing = (response: ServerResponse): void => void response.writeHead(204).end()
