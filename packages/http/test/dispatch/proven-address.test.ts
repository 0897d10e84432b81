import { describe, expect, it } from '@jest/globals'
import type { ControlPlane } from '@svc/core'
import { RequestView } from '../../src/dispatch/request-view.ts'
import type { Responder } from '../../src/dispatch/responder.ts'

interface Scene {
  readonly peer: string | undefined
  readonly forwarded?: string
  readonly trustedProxies?: readonly string[]
  readonly trustedProxyHops?: number
}

function viewOf({ peer, forwarded, trustedProxies = [], trustedProxyHops = 1 }: Scene): RequestView {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const plane = { config: { http: { trustedProxies, trustedProxyHops } } } as unknown as ControlPlane
  const responder = { req: { headers, rawHeaders: [], socket: { remoteAddress: peer } }, res: {} }
  return new RequestView(plane, responder as unknown as Responder)
}

const CLIENT = '11.22.33.44'

describe('the address that a client has for certain', () => {
  it.each<[string, Scene, string | undefined]>([
    [
      'that of a connection without proxies, whatever the header says',
      { peer: CLIENT, trustedProxyHops: 0, forwarded: '6.6.6.6' },
      CLIENT,
    ],
    ['that of a connection without the header', { peer: CLIENT }, CLIENT],
    [
      'none where proxies are only counted: it may be the client',
      { peer: '6.6.6.6', forwarded: CLIENT },
      undefined,
    ],
    // A container's port, a NAT or a balancer of layer 4 gives every client a private address.
    ['none of a private peer either', { peer: '172.17.0.1', forwarded: CLIENT }, undefined],
    ['none of this machine either', { peer: '127.0.0.1', forwarded: CLIENT }, undefined],
    [
      'what a known proxy reports',
      { peer: '127.0.0.1', forwarded: `6.6.6.6, ${CLIENT}`, trustedProxies: ['127.0.0.1'] },
      CLIENT,
    ],
    [
      'what two known proxies report, mapped',
      { peer: '::ffff:10.0.0.9', forwarded: `${CLIENT}, 10.0.0.8`, trustedProxies: ['10.0.0.0/24'] },
      CLIENT,
    ],
    [
      'its own, of a peer beside the known proxies',
      { peer: '6.6.6.6', forwarded: CLIENT, trustedProxies: ['10.0.0.0/24'] },
      '6.6.6.6',
    ],
    ['none of a socket file', { peer: undefined, forwarded: CLIENT }, undefined],
  ])('is %s', (_, scene, expected) => {
    expect(viewOf(scene).provenAddress).toBe(expected)
  })
})
