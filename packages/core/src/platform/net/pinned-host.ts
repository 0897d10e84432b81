import { connect, isIPv4, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, getCACertificates, type TLSSocket } from 'node:tls'
import { Deadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import { codeOf, type OutboundRefusal, OutboundRefused, refusalOf } from './outbound-refusal.ts'
import { messageOf, OUTBOUND_LIMITS } from './outbound-request.ts'
import { ownAddresses } from './own-addresses.ts'
import { ready } from './pinned-socket.ts'
import { type AddressRanges, AddressRules } from './public-address.ts'

/** A name with the addresses that the guard admitted for it: nothing else of it is ever connected to. */
export interface PinnedHost {
  readonly name: string
  readonly addresses: readonly string[]
}

/** A place to connect to: an admitted address of a host, and any port. */
export interface Place {
  readonly host: PinnedHost
  readonly address: string
  readonly port: number
}

/** Result of a connection attempt. `closed`: refused or unreachable; `silent`: no answer in time. */
export type Dialled =
  | { readonly state: 'open'; readonly socket: Socket }
  | { readonly state: 'closed' | 'silent' }

/** One request to a pinned address, which takes certificates as they are. */
export interface PinnedRequest extends Place {
  readonly isSecure: boolean
  readonly method?: 'GET' | 'HEAD'
  /** Path and query, as they stand in a URL. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** The whole request, in milliseconds. */
  readonly timeoutMs: number
  /** Bytes of the body that are read; the rest is left. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** An answer with the beginning of its body, or the reason why there is none. Redirects are not followed. */
export type PinnedAnswer =
  | { readonly ok: true; readonly status: number; readonly headers: Headers; readonly body: Buffer }
  | { readonly ok: false; readonly refusal: OutboundRefusal }

/**
 * The part of the outbound guard for raw connections (decision 57): it judges the addresses of a name once,
 * and dials those alone.
 */
export interface PinnedDialler {
  /** Returns the name with its addresses, or undefined if there is none or one is not public. */
  pin(name: string, addresses: readonly string[]): PinnedHost | undefined
  /** Connects. A place that this dialler has not pinned is a `TypeError`. */
  dial(place: Place, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<Dialled>
  /** Secures a connection under the host's name, with any certificate; undefined if that fails. */
  secure(
    socket: Socket,
    place: Place,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<TLSSocket | undefined>
  request(request: PinnedRequest): Promise<PinnedAnswer>
}

/** Most addresses of each family that are kept of one name. */
const MOST_IPV4 = 4
const MOST_IPV6 = 2

/** Returns a dialler by the address rules of every outgoing call. */
export function pinnedDialler({
  ca = [],
  ...ranges
}: AddressRanges & { ca?: readonly string[] } = {}): PinnedDialler {
  const rules = new AddressRules({ own: ownAddresses, ...ranges })
  const pinned = new WeakSet<PinnedHost>()
  let trusted: ReturnType<typeof createSecureContext> | undefined
  const requirePinned = ({ host, address }: Place): void => {
    if (!pinned.has(host) || !host.addresses.includes(address))
      throw new TypeError('the address is not pinned')
  }
  const dialler: PinnedDialler = {
    pin(name, addresses) {
      const admitted = addresses.map((address) => rules.admit(address))
      const known = admitted.filter((address) => address !== undefined)
      if (known.length === 0 || known.length < admitted.length) return undefined
      const unique = [...new Set(known)]
      const four = unique.filter((address) => isIPv4(address)).slice(0, MOST_IPV4)
      const six = unique.filter((address) => !isIPv4(address)).slice(0, MOST_IPV6)
      const host = Object.freeze({ name, addresses: Object.freeze([...four, ...six]) })
      pinned.add(host)
      return host
    },
    async dial(place, { timeoutMs, signal }) {
      requirePinned(place)
      signal.throwIfAborted()
      const socket = connect({ host: place.address, port: place.port, noDelay: true })
      try {
        await ready(socket, 'connect', AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
        return { state: 'open', socket }
      } catch (error) {
        signal.throwIfAborted()
        const isRefused = codeOf(error) !== undefined && codeOf(error) !== 'ETIMEDOUT' && !isAbort(error)
        return { state: isRefused ? 'closed' : 'silent' }
      }
    },
    async secure(socket, { host }, { timeoutMs, signal }) {
      trusted ??= createSecureContext({ ca: [...getCACertificates(), ...ca], minVersion: 'TLSv1.2' })
      const secured = connectTls({
        socket,
        host: host.name,
        servername: host.name,
        secureContext: trusted,
        ALPNProtocols: ['http/1.1'],
        // A scan accepts any certificate: its faults are findings, and nothing secret is sent.
        rejectUnauthorized: false,
      })
      try {
        await ready(secured, 'secureConnect', AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
        return secured
      } catch {
        socket.destroy()
        signal.throwIfAborted()
        return undefined
      }
    },
    request: (request) => answered(dialler, request),
  }
  return dialler
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

async function answered(dialler: PinnedDialler, request: PinnedRequest): Promise<PinnedAnswer> {
  const deadline = new Deadline(request.timeoutMs, [request.signal])
  try {
    const { isSecure, signal } = { ...request, signal: deadline.signal }
    const within = { timeoutMs: request.timeoutMs, signal }
    const dialled = await dialler.dial(request, within)
    if (dialled.state !== 'open')
      throw new OutboundRefused(dialled.state === 'silent' ? 'timeout' : 'connect')
    const socket = isSecure ? await dialler.secure(dialled.socket, request, within) : dialled.socket
    if (socket === undefined) throw new OutboundRefused('tls')
    return await exchanged(request, socket, deadline)
  } catch (error) {
    const refusal = refusalOf(deadline.signal.aborted ? deadline.signal.reason : error)
    if (refusal === undefined) throw error
    return { ok: false, refusal }
  } finally {
    deadline[Symbol.dispose]()
  }
}

async function exchanged(request: PinnedRequest, socket: Socket, deadline: Deadline): Promise<PinnedAnswer> {
  const { host, port, path, isSecure, method, headers = {}, maxBytes, timeoutMs } = request
  const url = new URL(`${isSecure ? 'https' : 'http'}://${host.name}:${port}`)
  // The path is set apart, so that no text in it can lead to another host.
  const [pathname = '', ...query] = path.split('?')
  url.pathname = pathname
  url.search = query.join('?')
  const received = await exchange(
    {
      socket,
      target: { url, host: host.name, isLiteral: false, isSecure, port },
      message: messageOf({ headers, ...(method && { method }) }),
      // The body is cut here, since a page that is too long is still looked at.
      limits: { ...OUTBOUND_LIMITS, answerMs: timeoutMs, maxBytes: Number.MAX_SAFE_INTEGER },
    },
    deadline,
  )
  try {
    const body = method === 'HEAD' ? Buffer.alloc(0) : await beginningOf(received.body, maxBytes, deadline)
    return { ok: true, status: received.status, headers: received.headers, body }
  } finally {
    await received.close()
  }
}

/**
 * Returns the first bytes of a body; if it breaks off or comes too slowly, the bytes that have come by then.
 */
async function beginningOf(
  body: AsyncIterable<Uint8Array>,
  most: number,
  { signal }: Deadline,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= most) break
    }
  } catch (error) {
    if (refusalOf(signal.aborted ? signal.reason : error) === undefined) throw error
  }
  return Buffer.concat(chunks).subarray(0, most)
}
