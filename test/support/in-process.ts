import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { ControlPlane } from '@svc/core'
import { createApp } from '@svc/http'
import type { Endpoint, WireAnswer, WireRequest } from '@svc/testing/simulator'

/**
 * The agent API of a plane through the whole HTTP application, without a socket: `app.callback()` on made-up
 * requests.
 */
export function inProcess(plane: ControlPlane): Endpoint {
  const handle = createApp(plane).callback()
  return (request) =>
    new Promise((resolve) => {
      const incoming = messageOf(request)
      const response = new ServerResponse(incoming)
      keepHead(response)
      const end = response.end.bind(response)
      response.end = ((chunk?: string | Buffer) => {
        resolve(answerOf(response, String(chunk ?? '')))
        return end(chunk)
      }) as typeof response.end
      void handle(incoming, response)
    })
}

// A head that is written as a list is not kept for callers that ask for its headers.
function keepHead(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response)
  response.writeHead = ((status: number, list: readonly string[] = []) => {
    for (let at = 0; at < list.length; at += 2) response.setHeader(String(list[at]), String(list[at + 1]))
    return writeHead(status)
  }) as never
}

function messageOf({ path, key, body, idempotencyKey, address }: WireRequest): IncomingMessage {
  const message = new IncomingMessage(new Socket())
  const text = JSON.stringify(body)
  const headers = {
    Host: 'svc.test',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    'X-Forwarded-For': address,
    ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  }
  message.method = 'POST'
  message.url = path
  for (const [name, value] of Object.entries(headers)) {
    message.headers[name.toLowerCase()] = value
    message.rawHeaders.push(name, value)
  }
  message.push(text)
  message.push(null)
  return message
}

const TOLD = ['Svc-Cancel', 'Svc-Drain', 'Svc-Job-State', 'Svc-Log-Next', 'Retry-After']

function answerOf(response: ServerResponse, text: string): WireAnswer {
  const told = TOLD.filter((name) => response.hasHeader(name))
  const headers = Object.fromEntries(told.map((name) => [name, String(response.getHeader(name))]))
  const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  return { status: response.statusCode, headers, body }
}
