import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Part } from '../part.ts'

/** Answers one request: its body as it was parsed. */
export type BareHandler = (body: Record<string, unknown>, response: ServerResponse) => Promise<void> | void

/** Nothing but `node:http`: every request is a JSON body, and the path is not looked at. */
export function bareHttp(handle: BareHandler, stop: () => Promise<void> = async () => {}): Promise<Part> {
  const server = createServer((request, response) => {
    whenRead(request, async (text) => {
      try {
        await handle(JSON.parse(text), response)
      } catch (error) {
        answerJson(response, 500, { error: String(error) })
      }
    })
  })
  return serving(server, stop)
}

/** The whole body of a request. */
export const bodyOf = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => whenRead(request, resolve))

function whenRead(request: IncomingMessage, read: (text: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    read(bytes.toString())
  })
}

/** A part of a server on a free port of loopback. */
export async function serving(server: Server, stop: () => Promise<void>): Promise<Part> {
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
export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): void {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  response
    .writeHead(status, { ...headers, 'Content-Type': 'application/json', 'Content-Length': length })
    .end(text)
}

/** Writes an answer that has no body. */
export const answerNothing = (response: ServerResponse): void => void response.writeHead(204).end()
