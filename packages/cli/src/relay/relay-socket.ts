import type { IncomingMessage } from 'node:http'
import { Agent } from 'node:https'
import { WebSocket } from 'ws'
import { MAX_PAYLOAD_BYTES, SUBPROTOCOL } from './protocol.ts'
import { RelayPeer } from './relay-peer.ts'

/** A relay that did not take the connection, and its own words for it. */
export class RelayRefused extends Error {
  override readonly name = 'RelayRefused'
  /** HTTP status; 0 when no relay answered, and `reason` is then a code such as `ECONNREFUSED`. */
  readonly status: number
  readonly reason: string

  constructor(status: number, reason: string) {
    super(status === 0 ? `the relay does not answer: ${reason}` : `relay refused (${status}): ${reason}`)
    this.status = status
    this.reason = reason
  }
}

const CONNECT_MS = 15_000
const MAX_REFUSAL_BYTES = 4096

/** Connects one side of a session to the relay. @throws RelayRefused */
export function connectToRelay(
  url: string,
  token: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<RelayPeer> {
  const { promise, resolve, reject } = Promise.withResolvers<RelayPeer>()
  // The ticket goes to the relay alone: redirects are not followed, and its certificate has to be good.
  const agent = url.startsWith('wss:')
    ? { agent: new Agent({ proxyEnv: { ...environment }, rejectUnauthorized: true }) }
    : {}
  const socket = new WebSocket(url, SUBPROTOCOL, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: CONNECT_MS,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD_BYTES,
    followRedirects: false,
    ...(isUnseen(url) ? { generateMask: noMask } : {}),
    ...agent,
  })
  // The first words of the relay may come with its answer: a later listener would miss them.
  const peer = new RelayPeer(socket)
  socket.once('unexpected-response', (_request, response) => {
    void refusalOf(response).then((refused) => {
      reject(refused)
      socket.terminate()
    })
  })
  socket.on('error', (error: NodeJS.ErrnoException) =>
    reject(new RelayRefused(0, error.code ?? error.message)),
  )
  socket.once('open', () => resolve(peer))
  return promise
}

/** Returns whether nobody between the two ends can read a frame: it is sealed, or stays on this machine. */
const isUnseen = (url: string): boolean =>
  /^(?:wss:|ws:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])[:/])/.test(url)

// A mask protects old proxies from bytes that look like HTTP. A key of zeros saves two passes over all bytes
// where no proxy reads them (decision 60).
const noMask = (key: Buffer): void => void key.fill(0)

async function refusalOf(response: IncomingMessage): Promise<RelayRefused> {
  const { statusCode: status = 0 } = response
  let text = ''
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text += chunk.toString()
      if (text.length > MAX_REFUSAL_BYTES) break
    }
    const { error } = JSON.parse(text) as { error?: unknown }
    return new RelayRefused(status, typeof error === 'string' ? error : 'no reason given')
  } catch {
    return new RelayRefused(status, response.statusMessage ?? 'no reason given')
  }
}
