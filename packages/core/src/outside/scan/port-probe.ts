import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { PinnedDialler, Place } from '../../platform/net/pinned-host.ts'
import { shownText } from '../../watch/surface/surface-finding.ts'
import type { TlsFacts } from '../../watch/surface/surface-scan.ts'
import { SERVICE_NAMES, TLS_PORTS } from './port-lists.ts'
import { tlsFacts } from './tls-facts.ts'

/** How long a service may take to greet or to answer, in milliseconds, and how much of it is read. */
const BANNER_MS = 1000
const BANNER_BYTES = 512
const SHOWN_BANNER = 128

/** Service behind an open port. */
export interface ServiceSight {
  readonly service: string
  /** Its greeting or answer, at most 512 bytes; `''` when it kept silent. */
  readonly said: string
  readonly banner: string | undefined
  readonly tls: TlsFacts | undefined
}

const get = (path: string, name: string): string =>
  `GET ${path} HTTP/1.0\r\nHost: ${name}\r\nAccept: */*\r\nConnection: close\r\n\r\n`

/** The one harmless request to services that do not greet, by their usual port. */
const REQUESTS: Readonly<Record<number, (name: string) => string>> = {
  2375: (name) => get('/version', name),
  2379: (name) => get('/version', name),
  5984: (name) => get('/', name),
  6379: () => 'PING\r\n',
  9200: (name) => get('/', name),
  10250: (name) => get('/pods', name),
}

/** Services that wait for the client and are looked at as web servers elsewhere. */
const SILENT = new Set(['http', 'https', 'docker-tls', 'kubernetes', 'http-proxy'])

/** Looks at the service behind an open connection and closes it. */
export async function probeService(
  socket: Socket,
  place: Place,
  { dialler, signal }: { readonly dialler: PinnedDialler; readonly signal: AbortSignal },
): Promise<ServiceSight> {
  const { port, host } = place
  const usual = SERVICE_NAMES[port] ?? 'unknown'
  const options = { timeoutMs: BANNER_MS * 2, signal }
  const secured = TLS_PORTS.has(port) ? await dialler.secure(socket, place, options) : undefined
  try {
    const tls = secured === undefined ? undefined : tlsFacts(secured, host.name)
    const request = REQUESTS[port]?.(host.name)
    const isLost = TLS_PORTS.has(port) && secured === undefined
    const said =
      isLost || (SILENT.has(usual) && request === undefined)
        ? ''
        : await heard(secured ?? socket, request, signal)
    const banner = request === undefined && said !== '' ? shownText(said, SHOWN_BANNER) : undefined
    return { service: serviceOf(said, usual), said, banner: banner || undefined, tls }
  } finally {
    secured?.destroy()
    socket.destroy()
  }
}

/** Sends a request, if there is one, and returns the beginning of the answer within the time. */
function heard(
  socket: Socket | TLSSocket,
  request: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, BANNER_MS)
  const abort = () => resolve()
  signal.addEventListener('abort', abort, { once: true })
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    // A greeting is one line; an answer to a request may take more than one packet.
    if (length >= BANNER_BYTES || (request === undefined && chunk.includes(10))) resolve()
    if (request?.startsWith('PING')) resolve()
  })
  socket.once('close', resolve)
  socket.on('error', abort)
  if (request !== undefined) socket.write(request)
  return promise.then(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    return Buffer.concat(chunks).subarray(0, BANNER_BYTES).toString('latin1')
  })
}

const GREETINGS: readonly (readonly [pattern: RegExp, service: string])[] = [
  [/^SSH-\d/, 'ssh'],
  [/^220[ -].*(?:smtp|esmtp|mail)/i, 'smtp'],
  [/^220[ -]/, 'ftp'],
  [/^\+OK/, 'pop3'],
  [/^\* OK/, 'imap'],
  [/^RFB \d/, 'vnc'],
  [/^@RSYNCD/, 'rsync'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the greeting of MySQL is binary
  [/^.{3}\u0000\u000a[\d.]+/s, 'mysql'],
  [/^\u00ff[\u00fb-\u00fe]/, 'telnet'],
  [/^(?:\+PONG|-NOAUTH|-DENIED)/, 'redis'],
  [/^HTTP\/1/, 'http'],
]

function serviceOf(said: string, usual: string): string {
  const heardAs = GREETINGS.find(([pattern]) => pattern.test(said))?.[1]
  if (heardAs === undefined) return usual
  // A web answer at the usual port of a service with an HTTP interface is that service.
  return heardAs === 'http' && usual !== 'unknown' ? usual : heardAs
}
