import type { IncomingHttpHeaders } from 'node:http'
import type { ControlPlane } from '@svc/core'
import type { Arrival } from '../route.ts'
import type { Carrier } from './carrier.ts'
import { clientIp } from './client-ip.ts'
import { QueryValues } from './query-values.ts'

/** A gate's view of a request; values that few gates need are computed on first use. */
export class RequestArrival implements Arrival {
  readonly plane: ControlPlane
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly #carrier: Carrier
  #query: QueryValues | undefined

  constructor(plane: ControlPlane, carrier: Carrier) {
    this.plane = plane
    this.headers = carrier.req.headers
    this.rawHeaders = carrier.req.rawHeaders
    this.#carrier = carrier
  }

  get address(): string {
    const forwarded = this.headers['x-forwarded-for']
    return clientIp({
      forwarded: Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      socketAddress: this.#carrier.req.socket.remoteAddress,
      hops: this.plane.config.http.trustedProxyHops,
    })
  }

  query(name: string): string | undefined {
    this.#query ??= new QueryValues(this.#carrier.req.url)
    return this.#query.first(name)
  }

  get gone(): AbortSignal {
    const leaving = new AbortController()
    const { res } = this.#carrier
    if (res.destroyed) leaving.abort()
    else res.once('close', () => leaving.abort())
    return leaving.signal
  }

  setHeader(name: string, value: string): void {
    const { res } = this.#carrier
    const before = name === 'Vary' ? res.getHeader(name) : undefined
    res.setHeader(name, before === undefined ? value : `${before}, ${value}`)
  }
}
