import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  OutboundRefused,
  outboundCodeOf,
  type PageGuard,
  type PagePlace,
  pageRefusalOf,
} from '@svc/core/adapters'
import { EgressLane } from './egress-lane.ts'

/** Dependencies of the proxy. */
export interface EgressProxyParts {
  readonly guard: PageGuard
  /** Returns so many random bytes, base64url. */
  readonly secret: (bytes: number) => string
}

const CREDENTIAL_BYTES = 24
const HEAD_MS = 10_000
const MAX_CONNECTIONS = 512

/** Headers that are about one connection, and never passed on (RFC 9110, section 7.6.1). */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Services that Chromium itself asks: its requests about a page carry the credential of that page. */
const OF_THE_BROWSER: ReadonlySet<string> = new Set([
  'clients2.google.com',
  'clients4.google.com',
  'clientservices.googleapis.com',
  'content-autofill.googleapis.com',
  'edgedl.me.gvt1.com',
  'optimizationguide-pa.googleapis.com',
  'redirector.gvt1.com',
  'safebrowsing.googleapis.com',
  'update.googleapis.com',
])
const CHALLENGE = 'Basic realm="svc"'
const nothing = () => {}
const digestOf = (credential: string): string => hash('sha256', credential)

/**
 * The only way out of a browser: an HTTP proxy, where the guard judges and pins every call. Each browser
 * context has a lane with a credential of its own; a call without one goes nowhere.
 */
export class EgressProxy {
  /** Listening is left to the caller, on loopback. */
  readonly server: Server
  readonly #parts: EgressProxyParts
  readonly #lanes = new Map<string, EgressLane>()

  constructor(parts: EgressProxyParts) {
    this.#parts = parts
    this.server = createServer({ headersTimeout: HEAD_MS, requestTimeout: 0 }, (from, to) => {
      void this.#pass(from, to).catch(() => to.destroy())
    })
    this.server.maxConnections = MAX_CONNECTIONS
    this.server.on('connect', (from, client, head) => {
      client.on('error', nothing)
      void this.#tunnel(from, client, head).catch(() => client.destroy())
    })
    this.server.on('clientError', (_error, socket) => socket.destroy())
  }

  /** Opens the lane of one browser context. */
  open({ maxBytes }: { readonly maxBytes: number }): EgressLane {
    const { secret } = this.#parts
    const username = secret(CREDENTIAL_BYTES)
    const password = secret(CREDENTIAL_BYTES)
    const key = digestOf(headerOf(username, password))
    const lane = new EgressLane({ username, password, maxBytes, forget: () => this.#lanes.delete(key) })
    this.#lanes.set(key, lane)
    return lane
  }

  // A digest is looked up, so that the time of the search reveals nothing of a credential.
  #laneOf({ headers }: IncomingMessage): EgressLane | undefined {
    const given = headers['proxy-authorization']
    return given === undefined ? undefined : this.#lanes.get(digestOf(given))
  }

  async #tunnel(from: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const lane = this.#laneOf(from)
    if (lane === undefined) {
      client.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${CHALLENGE}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      )
      return
    }
    if (!lane.hold(client)) return
    const place = placeOf(from.url ?? '')
    const url = place === undefined ? 'https://invalid/' : urlOf(place)
    const upstream = await this.#connect(lane, place, url)
    if (upstream === undefined) {
      client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      return
    }
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    for (const [source, target] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      source.on('data', (bytes: Buffer) => lane.count(bytes.length))
      source.once('close', () => target.destroy())
      source.pipe(target)
    }
  }

  async #pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const lane = this.#laneOf(from)
    if (lane === undefined) {
      to.writeHead(407, { 'Proxy-Authenticate': CHALLENGE, 'Content-Length': 0, Connection: 'close' }).end()
      return
    }
    const url = URL.parse(from.url ?? '')
    // A browser that takes the proxy for a web server asks in origin form.
    if (url === null || url.protocol !== 'http:') {
      to.destroy()
      return
    }
    if (!lane.hold(from.socket)) return
    const place = { host: bare(url.hostname), port: Number(url.port || 80) }
    const upstream = await this.#connect(lane, place, url.href)
    if (upstream === undefined) {
      // An answer of the proxy would look like one of the site.
      to.destroy()
      return
    }
    await exchanged({ from, to, url, upstream, lane })
  }

  async #connect(lane: EgressLane, place: PagePlace | undefined, url: string) {
    if (place !== undefined && OF_THE_BROWSER.has(place.host.toLowerCase().replace(/\.$/, ''))) {
      lane.refuse(url, 'browser')
      return undefined
    }
    try {
      if (place === undefined) throw new OutboundRefused('bad-url')
      const socket = await this.#parts.guard.connect(place, lane.closed)
      socket.on('error', nothing)
      return lane.hold(socket) ? socket : undefined
    } catch (error) {
      const reason = pageRefusalOf(error)
      if (reason !== undefined) lane.refuse(url, reason)
      else lane.fail(url, failureOf(error))
      return undefined
    }
  }
}

interface Exchange {
  readonly from: IncomingMessage
  readonly to: ServerResponse
  readonly url: URL
  readonly upstream: Duplex
  readonly lane: EgressLane
}

/** Sends a request over a connection that nothing else uses, and the answer back. */
function exchanged({ from, to, url, upstream, lane }: Exchange): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => {
    upstream.destroy()
    if (!to.writableFinished) to.destroy()
    resolve()
  }
  const isChunked = from.headers['transfer-encoding'] !== undefined
  const chunked = isChunked ? ['Transfer-Encoding', 'chunked'] : []
  const sent = request({
    host: url.hostname,
    method: from.method,
    path: `${url.pathname}${url.search}`,
    headers: [...kept(from.rawHeaders), ...chunked, 'Connection', 'close'],
    setDefaultHeaders: false,
    createConnection: () => upstream,
  })
  sent.on('error', end)
  sent.on('response', (answer) => {
    answer.on('error', end)
    answer.on('data', (bytes: Buffer) => lane.count(bytes.length))
    to.writeHead(answer.statusCode ?? 502, answer.statusMessage, kept(answer.rawHeaders))
    answer.pipe(to)
  })
  to.once('close', end)
  from.on('data', (bytes: Buffer) => lane.count(bytes.length))
  from.pipe(sent)
  return promise
}

/** Returns raw headers without the connection's. */
function kept(raw: readonly string[]): string[] {
  const named = new Set(OF_THE_CONNECTION)
  for (const [at, name] of raw.entries())
    if (at % 2 === 0 && name.toLowerCase() === 'connection')
      for (const each of (raw[at + 1] ?? '').split(',')) named.add(each.trim().toLowerCase())
  return raw.filter((_, at) => !named.has((raw[at - (at % 2)] ?? '').toLowerCase()))
}

const headerOf = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Reads `host:port` of a CONNECT request. */
function placeOf(text: string): PagePlace | undefined {
  const [, host = '', port = ''] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? []
  return host === '' ? undefined : { host: bare(host), port: Number(port) }
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

/** The address that a tunnel is for, as far as the proxy knows it. */
function urlOf({ host, port }: PagePlace): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === 443 ? `https://${name}/` : `https://${name}:${port}/`
}

function failureOf(error: unknown): string {
  if (error instanceof OutboundRefused && error.refusal === 'timeout') return 'ETIMEDOUT'
  const cause = error instanceof OutboundRefused ? error.cause : outboundCodeOf(error)
  return typeof cause === 'string' ? cause : 'ECONNFAILED'
}
