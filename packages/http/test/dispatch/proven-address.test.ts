import { describe, expect, it } from '@jest/globals'
import type { ControlPlane } from '@svc/core'
import { RequestView } from '../../src/dispatch/request-view.ts'
import type { Responder } from '../../src/dispatch/responder.ts'

/** The view of a request from a peer, behind so many proxies. */
function viewOf(remoteAddress: string | undefined, hops: number, forwarded?: string): RequestView {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const plane = { config: { http: { trustedProxyHops: hops } } } as unknown as ControlPlane
  const responder = { req: { headers, rawHeaders: [], socket: { remoteAddress } }, res: {} }
  return new RequestView(plane, responder as unknown as Responder)
}

describe('the address that a client has for certain', () => {
  it.each([
    [
      'that of a connection without proxies, whatever the header says',
      '11.22.33.44',
      0,
      '6.6.6.6',
      '11.22.33.44',
    ],
    ['that of a connection without the header', '11.22.33.44', 1, undefined, '11.22.33.44'],
    ['what a proxy on this machine reports', '127.0.0.1', 1, '6.6.6.6, 11.22.33.44', '11.22.33.44'],
    ['what a proxy in a private network reports', '10.0.0.9', 2, '11.22.33.44, 10.0.0.8', '11.22.33.44'],
    ['what a proxy beside it reports, mapped', '::ffff:10.0.0.9', 1, '11.22.33.44', '11.22.33.44'],
    [
      'none, when a public peer brings the header: it may be the client',
      '6.6.6.6',
      1,
      '11.22.33.44',
      undefined,
    ],
    ['none of a socket file', undefined, 1, '11.22.33.44', undefined],
  ])('is %s', (_, peer, hops, forwarded, expected) => {
    expect(viewOf(peer, hops, forwarded).provenAddress).toBe(expected)
  })
})
