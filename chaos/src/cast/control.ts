import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Row } from './database.ts'

const TIMEOUT_MS = 3000

/** Runs an operation over the control socket of a replica; undefined if no answer 200 came within 3 s. */
export function operate(socketPath: string, name: string, input: object): Promise<Row | undefined> {
  const body = JSON.stringify(input)
  const { promise, resolve } = Promise.withResolvers<Row | undefined>()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'svc-actor': 'chaos',
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const sent = request({ socketPath, path: `/operations/${name}`, method: 'POST', headers, signal })
  sent.on('error', () => resolve(undefined))
  sent.on('response', (response) =>
    json(response).then(
      (answer) => resolve(response.statusCode === 200 ? (answer as Row) : undefined),
      () => resolve(undefined),
    ),
  )
  sent.end(body)
  return promise
}
