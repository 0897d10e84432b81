import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request to the model as it arrived. */
export interface ModelRequest {
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  } & Readonly<Record<string, unknown>>
}

/** A server on loopback that speaks as an OpenAI-compatible one does, or fails to. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string
  readonly seen: ModelRequest[]
  /** Connections that were closed while their answer was under way. */
  readonly left: number
  /** Everything it was ever sent. */
  text(): string
  /** Sets the answer to all further requests. */
  answer(how: (response: ServerResponse) => unknown): void
}

/** One event with some text. */
export const chunk = (content: string, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: reason }] })}\n\n`

/** The head of an answer that is streamed. */
export const streamed = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })

/** Says `words` one after the other and ends as it should. */
export const saying =
  (...words: readonly string[]) =>
  (response: ServerResponse): void => {
    streamed(response)
    response.write(
      `data: ${JSON.stringify({ choices: [{ delta: { role: 'assistant' } }] })}\n\n: keep-alive\n\n`,
    )
    for (const word of words) response.write(chunk(word))
    response.write(chunk('', 'stop'))
    response.end('data: {"choices":[],"usage":{"total_tokens":9}}\n\ndata: [DONE]\n\n')
  }

/** Starts it. */
export async function modelServer(): Promise<ModelServer> {
  let how: (response: ServerResponse) => unknown = saying('Run the installer.')
  const seen: ModelRequest[] = []
  let left = 0
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('')
    seen.push({ url: request.url, headers: request.headers, body: JSON.parse(body) })
    response.once('close', () => {
      if (!response.writableFinished) left += 1
    })
    how(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    get left() {
      return left
    },
    text: () => JSON.stringify(seen),
    answer: (next) => {
      how = next
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
