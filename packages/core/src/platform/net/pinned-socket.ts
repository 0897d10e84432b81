import { once } from 'node:events'
import { connect, isIPv4, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { codeOf, OutboundRefused } from './outbound-refusal.ts'
import type { Target } from './target.ts'

/** Connection options for a target whose addresses were checked. */
export interface Route {
  /** The only addresses to connect to, in the order of the resolver. */
  readonly addresses: readonly string[]
  /**
   * Time for all attempts, in milliseconds, in equal shares. The last attempt is limited by the signal alone.
   */
  readonly connectMs: number
  /** Called only for a secure target. */
  readonly trust: () => SecureContext
  readonly signal: AbortSignal
}

const nothing = () => {}

/**
 * Connects to one of the addresses and secures the connection under the target's name. The network layer gets
 * IP literals only, so it cannot resolve the name again. Throws `OutboundRefused`.
 */
export async function openSocket(target: Target, route: Route): Promise<Socket> {
  const socket = await openConnection(target.port, route)
  return target.isSecure ? secure(socket, target, route) : socket
}

/**
 * Returns at most two addresses of each family, alternating, so that a network without IPv6 costs one attempt
 * and not all of them.
 */
function attemptsOf(addresses: readonly string[]): readonly string[] {
  const four = addresses.filter((address) => isIPv4(address))
  const six = addresses.filter((address) => !isIPv4(address))
  return [four[0], six[0], four[1], six[1]].filter((address) => address !== undefined)
}

/** Connects to one of the addresses, in plain TCP. Throws `OutboundRefused`. */
export async function openConnection(
  port: number,
  { addresses, connectMs, signal }: Omit<Route, 'trust'>,
): Promise<Socket> {
  const attempts = attemptsOf(addresses)
  let last: unknown
  for (const [index, host] of attempts.entries()) {
    const socket = connect({ host, port })
    if (index < attempts.length - 1) {
      socket.setTimeout(connectMs / attempts.length, () => socket.destroy(new OutboundRefused('timeout')))
    }
    try {
      await ready(socket, 'connect', signal)
      return socket.setTimeout(0).setNoDelay(true)
    } catch (error) {
      last = error
    }
    signal.throwIfAborted()
  }
  throw new OutboundRefused('connect', { cause: codeOf(last) })
}

async function secure(socket: Socket, { host, isLiteral }: Target, route: Route): Promise<Socket> {
  const secured = connectTls({
    socket,
    host,
    // SNI allows names only (RFC 6066). For an address, the certificate is still checked against `host`.
    servername: isLiteral ? '' : host,
    secureContext: route.trust(),
    ALPNProtocols: ['http/1.1'],
    // Set explicitly, since NODE_TLS_REJECT_UNAUTHORIZED would change the default.
    rejectUnauthorized: true,
  })
  try {
    await ready(secured, 'secureConnect', route.signal)
    return secured
  } catch (error) {
    socket.destroy()
    route.signal.throwIfAborted()
    throw new OutboundRefused('tls', { cause: codeOf(error) })
  }
}

/** Waits for the event. Destroys the socket on an error or an abort. */
export async function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  socket.on('error', nothing)
  try {
    await once(socket, event, { signal })
  } catch (error) {
    socket.destroy()
    throw error
  }
}
