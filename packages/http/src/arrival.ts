import type { IncomingHttpHeaders } from 'node:http'
import type { ControlPlane } from '@svc/core'
import type { Context } from 'koa'
import { clientIp } from './client-ip.ts'
import type { Arrival } from './route.ts'

/** A request as gates see it; what few of them ask is worked out when they do. */
export class KoaArrival implements Arrival {
  readonly plane: ControlPlane
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly #ctx: Context

  constructor(plane: ControlPlane, ctx: Context) {
    this.plane = plane
    this.headers = ctx.req.headers
    this.rawHeaders = ctx.req.rawHeaders
    this.#ctx = ctx
  }

  get address(): string {
    const forwarded = this.headers['x-forwarded-for']
    return clientIp({
      forwarded: Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      socketAddress: this.#ctx.req.socket.remoteAddress,
      hops: this.plane.config.http.trustedProxyHops,
    })
  }

  query(name: string): string | undefined {
    return firstOf(this.#ctx.query[name])
  }

  get gone(): AbortSignal {
    const leaving = new AbortController()
    const { res } = this.#ctx
    if (res.destroyed) leaving.abort()
    else res.once('close', () => leaving.abort())
    return leaving.signal
  }

  setHeader(name: string, value: string): void {
    if (name === 'Vary') this.#ctx.vary(value)
    else this.#ctx.res.setHeader(name, value)
  }
}

/** The first of several values; an empty one is none. */
export function firstOf(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === 'string' ? value : value?.[0]
  return text === '' ? undefined : text
}
