import { once } from 'node:events'
import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A message as the relay got it. */
export interface Received {
  readonly from: string
  readonly to: readonly string[]
  /** The bytes after DATA. */
  readonly raw: Buffer
}

/** A reply that is not 250: the code and its text. */
export type Refusal = readonly [code: number, text: string]

/** A mail relay on loopback, which a test lets refuse, put off and vanish. */
export interface LoopbackSmtp extends AsyncDisposable {
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** Number of connections so far. */
  readonly seen: { connections: number }
  /** Replies to recipients. */
  readonly recipients: Map<string, Refusal>
  /** Fate of the message itself: a refusal, or a connection that ends without a word. */
  message: Refusal | 'vanishes' | undefined
  /** Ends every connection and listens no more, until `start`. */
  stop(): Promise<void>
  start(): Promise<void>
}

const failure = ([responseCode, text]: Refusal) => Object.assign(new Error(text), { responseCode })

/**
 * Runs a relay without TLS and without passwords, unless `options` ask for them. It greets after
 * `greetingMs`.
 */
export async function loopbackSmtp(
  options: SMTPServerOptions = {},
  { greetingMs = 0 }: { readonly greetingMs?: number } = {},
): Promise<LoopbackSmtp> {
  const received: Received[] = []
  const seen = { connections: 0 }
  const recipients = new Map<string, Refusal>()
  const sockets = new Set<Socket>()
  let port = 0
  const create = () => {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      ...options,
      onConnect: (_session, callback) => {
        seen.connections += 1
        if (greetingMs > 0) setTimeout(callback, greetingMs)
        else callback()
      },
      onRcptTo: ({ address }, _session, callback) => {
        const refusal = recipients.get(address)
        callback(refusal && failure(refusal))
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope
          const from = mailFrom === false ? '' : mailFrom.address
          const to = rcptTo.map(({ address }) => address)
          if (relay.message === undefined || relay.message === 'vanishes')
            received.push({ from, to, raw: Buffer.concat(chunks) })
          if (relay.message === 'vanishes') for (const socket of sockets) socket.destroy()
          else callback(relay.message && failure(relay.message))
        })
      },
    })
    server.on('error', () => {})
    server.server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    return server
  }
  let server = create()
  const listen = async () => {
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
    port = (server.server.address() as { port: number }).port
  }
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  await listen()
  const relay: LoopbackSmtp = {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    seen,
    recipients,
    message: undefined,
    stop,
    start: async () => {
      server = create()
      await listen()
    },
    [Symbol.asyncDispose]: stop,
  }
  return relay
}
