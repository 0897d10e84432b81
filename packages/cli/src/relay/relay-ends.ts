import type { RelayEnd } from '@svc/core/adapters'
import { CLOSE } from './protocol.ts'

/** The code of the relay's closing of both connections, by the reason. */
export const CLOSE_CODES: Readonly<Record<RelayEnd, number>> = {
  done: CLOSE.done,
  closed: CLOSE.done,
  error: CLOSE.done,
  peer_gone: CLOSE.peerGone,
  operator_gone: CLOSE.peerGone,
  no_peer: CLOSE.noPeer,
  idle: CLOSE.idle,
  max: CLOSE.max,
  revoked: CLOSE.revoked,
  restart: CLOSE.restart,
  bad_frame: CLOSE.badFrame,
  too_large: CLOSE.tooLarge,
}

/** The words of `bye`: a side that is gone is `peer_gone`, whichever it is. */
export const wordOf = (reason: RelayEnd): string => (reason === 'operator_gone' ? 'peer_gone' : reason)
