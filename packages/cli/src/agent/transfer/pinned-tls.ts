import * as https from 'node:https'
import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { sameSecret } from '@svc/core'
import { pinOf } from './self-signed.ts'

/** The peer is not the one whose TLS key was pinned. */
export class WrongPeer extends Error {
  override readonly name = 'WrongPeer'
}

const CONNECT_MS = 10_000

/**
 * Connects over TLS 1.3 to a peer whose key has a certain pin, with a certificate from any issuer. Nothing is
 * sent before the pin was compared: it is the check of the certificate here.
 */
export class PinnedAgent extends https.Agent {
  readonly #pin: string

  constructor(pin: string) {
    super({ keepAlive: true, maxSockets: 1 })
    this.#pin = pin
  }

  override createConnection(
    { host, port }: https.RequestOptions,
    callback?: (error: Error | null, socket: Socket) => void,
  ): undefined {
    const socket = connect({
      host: host ?? '',
      port: Number(port),
      minVersion: 'TLSv1.3',
      // A host signs its own certificate: the comparison below takes the place of the check by authorities.
      rejectUnauthorized: false,
    })
    const end = (error: Error | null) => {
      socket.removeAllListeners('error').removeAllListeners('timeout')
      if (error !== null) socket.on('error', () => {}).destroy()
      callback?.(error, socket)
    }
    socket.once('error', end)
    socket.setTimeout(CONNECT_MS).once('timeout', () => end(new Error('the peer did not answer in time')))
    socket.once('secureConnect', () => end(this.#isPinned(socket.setTimeout(0)) ? null : new WrongPeer()))
    return undefined
  }

  #isPinned(socket: TLSSocket): boolean {
    const certificate = socket.getPeerX509Certificate()
    return certificate !== undefined && sameSecret(pinOf(certificate.publicKey), this.#pin)
  }
}
