import type { UpgradeRefusal } from '@svc/core/adapters'
import {
  type Gate,
  type GateRequest,
  json,
  type Reply,
  takeByAddress,
  type UpgradeRoute,
  upgradeRoute,
} from '@svc/http'
import { SUBPROTOCOL, TICKET_SUBPROTOCOL } from './protocol.ts'
import type { Arrival, Relay } from './relay.ts'

/** Refused connections, per client address. Good ones are not counted: a ticket opens one alone. */
const REFUSED = { name: 'relay-refused', limit: 60, windowSeconds: 60 }

const STATUSES: Readonly<Record<UpgradeRefusal, number>> = {
  'token invalid': 401,
  'token expired': 401,
  'origin not allowed': 403,
  'session not found': 404,
  'token consumed': 409,
  'session ended': 410,
  'subprotocol missing': 400,
  'relay full': 503,
  draining: 503,
  'rate limited': 429,
}

const anybody: Gate<GateRequest> = { security: [], replies: {}, admit: (request) => request }

const REPLIES = {
  400: { description: `The subprotocol ${SUBPROTOCOL} is missing.` },
  401: { description: 'No ticket for this side of a session, or one that is over.' },
  403: { description: 'A page of another site.' },
  404: { description: 'No such session.' },
  409: { description: 'The ticket was used.' },
  410: { description: 'The session has ended.' },
  429: { description: 'Too many refused connections.' },
  503: { description: 'The relay is full, or about to stop.' },
}

const subprotocolsOf = (header: string | undefined): readonly string[] =>
  (header ?? '').split(',').map((each) => each.trim())

function arrivalOf({ headers, rawHeaders }: GateRequest): Omit<Arrival, 'role'> {
  const subprotocols = subprotocolsOf(headers['sec-websocket-protocol'])
  const bearers = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization')
  const [, bearer] =
    bearers.length === 1 ? (/^Bearer ([!-~]+)$/i.exec(headers.authorization ?? '') ?? []) : []
  const ticket = subprotocols.find((each) => each.startsWith(TICKET_SUBPROTOCOL))
  const token = bearer ?? ticket?.slice(TICKET_SUBPROTOCOL.length)
  return { token, subprotocols, origin: headers.origin }
}

/** The routes that the two sides of a session connect to the relay by. */
export const relayRoutes = (
  relay: Relay,
  refused: (reason: UpgradeRefusal) => void,
): readonly UpgradeRoute[] =>
  (['agent', 'operator'] as const).map((role) =>
    upgradeRoute({
      path: `/relay/v1/${role}`,
      summary: `Carry a session on a host: the side of the ${role}.`,
      protocol: 'websocket',
      gate: anybody,
      reads: {
        Authorization: 'The ticket, as bearer.',
        'Sec-WebSocket-Protocol': `${SUBPROTOCOL}; a browser adds ${TICKET_SUBPROTOCOL}TICKET.`,
      },
      replies: REPLIES,
      whenDraining: json({ error: 'draining' }, { 'Retry-After': '1' }, 503),
      accept: async ({ caller, draining, req, socket, head }): Promise<Reply | undefined> => {
        draining.addEventListener('abort', () => relay.drain(), { once: true })
        const found = await relay.admit({ role, ...arrivalOf(caller) })
        if ('ticket' in found) {
          if (!socket.destroyed) relay.take(found, { req, socket, head })
          return undefined
        }
        const { refusal } = found
        refused(refusal)
        const status = STATUSES[refusal]
        if (status < 500) await takeByAddress(caller, REFUSED)
        return json({ error: refusal }, {}, status)
      },
    }),
  )
