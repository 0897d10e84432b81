import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ControlPlane } from '@svc/core'
import { Refusal } from './errors.ts'
import { type Gate, type Replies, type Reply, type Route, route } from './route.ts'

/** Inputs of a route that takes a connection over. */
export interface UpgradeCall<Caller, Query extends string> {
  readonly plane: ControlPlane
  readonly caller: Caller
  /** First values of the query parameters that the route names; absent and empty are the same. */
  readonly query: Readonly<Record<Query, string | undefined>>
  readonly headers: IncomingHttpHeaders
  readonly req: IncomingMessage
  /** The connection; nothing has been written in answer to the request. */
  readonly socket: Socket
  /** Bytes of the new protocol that came with the request. */
  readonly head: Buffer
  /**
   * Aborted when the server begins to drain: say goodbye and close the socket. The server destroys it at the
   * end of the drain's deadline.
   */
  readonly draining: AbortSignal
}

/** The declaration of a route that changes the protocol of a connection (RFC 9110, section 7.8). */
export interface UpgradeRouteParts<Caller, Query extends string> {
  /** A path without parameters. */
  readonly path: string
  readonly summary: string
  /** The protocol in lower case, as the `Upgrade` header names it: `websocket`. */
  readonly protocol: string
  readonly gate: Gate<Caller>
  readonly query?: Readonly<Record<Query, string>>
  /** Request headers that the route reads, for the API document. */
  readonly reads?: Readonly<Record<string, string>>
  /** Replies to refused requests. */
  readonly replies: Replies
  /** The reply while the server drains; default: 503 as everywhere. */
  readonly whenDraining?: Reply
  /**
   * Takes the socket over, and answers 101 on it; or returns or throws a refusal before it has written. The
   * socket stays half-open when the client ends its side: its taker closes it.
   */
  accept(call: UpgradeCall<Caller, Query>): Reply | undefined | Promise<Reply | undefined>
}

/** An upgrade route in the form that the server reads. */
export type UpgradeRoute = UpgradeRouteParts<unknown, string>

/** Declares an upgrade route: the arguments of `accept` follow from the gate and the query. */
export const upgradeRoute = <Caller, const Query extends string = never>(
  parts: UpgradeRouteParts<Caller, Query>,
): UpgradeRoute => parts as unknown as UpgradeRoute

/** The route of requests to the same path that ask for no upgrade, or for another one: 426. */
export const withoutUpgrade = ({
  path,
  summary,
  protocol,
  gate,
  query,
  reads,
  replies,
}: UpgradeRoute): Route =>
  route({
    method: 'GET',
    path,
    summary,
    head: false,
    gate: { security: gate.security, replies: gate.replies, admit: () => undefined },
    ...(query === undefined ? {} : { query }),
    ...(reads === undefined ? {} : { reads }),
    replies: {
      ...replies,
      101: { description: `The connection speaks ${protocol} from here on.` },
      426: {
        description: `The request does not ask for ${protocol}.`,
        headers: { Upgrade: 'The protocol to ask for.' },
      },
    },
    handle: () => {
      // `Upgrade` must be named here (RFC 9110, section 7.8), in place of Node's own header.
      throw new Refusal('upgrade-required', { Upgrade: protocol, Connection: 'Upgrade, close' })
    },
  })
