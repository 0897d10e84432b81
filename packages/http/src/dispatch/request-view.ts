import type { IncomingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import { type ControlPlane, Problem } from '@svc/core'
import { clientAddress } from '@svc/core/adapters'
import type { GateRequest } from '../exchange/route.ts'
import { isUnseen } from '../mount/web-request.ts'
import { clientIp } from './client-ip.ts'
import { QueryValues } from './query-values.ts'
import type { Responder } from './responder.ts'

/** A gate's view of a request; values that few gates need are computed on first use. */
export class RequestView implements GateRequest {
  readonly plane: ControlPlane
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly #responder: Responder
  readonly #connection: Writable
  #query: QueryValues | undefined

  /** `connection`: closes when the client has left, or has its answer. */
  constructor(plane: ControlPlane, responder: Responder, connection: Writable = responder.res) {
    this.plane = plane
    this.headers = responder.req.headers
    this.rawHeaders = responder.req.rawHeaders
    this.#responder = responder
    this.#connection = connection
  }

  get address(): string {
    const forwarded = this.headers['x-forwarded-for']
    const { trustedProxies, trustedProxyHops } = this.plane.config.http
    const { socket } = this.#responder.req
    const isByHops = forwarded !== undefined && trustedProxies.length === 0 && trustedProxyHops > 0
    if (isUnseen(socket) && !isByHops) throw addressUnknown(this.plane)
    return clientIp({
      forwarded: Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      socketAddress: socket.remoteAddress,
      proxies: trustedProxies,
      hops: trustedProxyHops,
    })
  }

  get provenAddress(): string | undefined {
    const { remoteAddress = '' } = this.#responder.req.socket
    const { trustedProxies, trustedProxyHops } = this.plane.config.http
    if (trustedProxies.length > 0) return clientAddress(this.address)
    // A header that nobody in particular wrote proves nothing, and its peer may be a proxy.
    const isDirect = trustedProxyHops === 0 || this.headers['x-forwarded-for'] === undefined
    return isDirect ? clientAddress(remoteAddress) : undefined
  }

  query(name: string): string | undefined {
    this.#query ??= new QueryValues(this.#responder.req.url)
    return this.#query.first(name)
  }

  get search(): string {
    const { url = '' } = this.#responder.req
    const at = url.indexOf('?')
    return at < 0 ? '' : url.slice(at)
  }

  get gone(): AbortSignal {
    const leaving = new AbortController()
    const connection = this.#connection
    if (connection.destroyed) leaving.abort()
    // It closes once: the wrapper of `once` would be kept for as long as a host waits.
    else connection.on('close', () => leaving.abort())
    return leaving.signal
  }

  setHeader(name: string, value: string): void {
    const { res } = this.#responder
    const before = name === 'Vary' ? res.getHeader(name) : undefined
    res.setHeader(name, before === undefined ? value : `${before}, ${value}`)
  }
}

const told = new WeakSet<ControlPlane>()

/** The refusal of a request whose client nobody named, said once in the log. */
function addressUnknown(plane: ControlPlane): Problem {
  if (!told.has(plane)) {
    told.add(plane)
    plane.log.warn({}, 'a route with a limit per address is closed: pass { address } to fetch(request)')
  }
  return new Problem('unavailable', { detail: 'the address of the client is not known here' })
}
