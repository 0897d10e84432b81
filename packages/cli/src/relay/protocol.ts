import type { AccessMode } from '@svc/core'

/** The subprotocol that both sides and the relay speak (docs/reference/relay.md). */
export const SUBPROTOCOL = 'svc-relay.v1'
/** Beginning of the subprotocol in which a browser, which can set no header, sends its ticket. */
export const TICKET_SUBPROTOCOL = 'svc-token.'

const WINDOW_BYTES = 262_144
/** A relay that names a larger window than this is not believed. */
export const MAX_WINDOW_BYTES = 1_048_576

/**
 * Bytes of one direction that may be on their way without being acknowledged. Sessions that carry files, over
 * long ways too, have more.
 */
export const windowOf = (mode: AccessMode): number =>
  mode === 'tcp' || mode === 'upload' ? MAX_WINDOW_BYTES : WINDOW_BYTES
/** Longest frame of bytes. */
export const MAX_FRAME_BYTES = 64 * 1024
/** Longest message that a relay takes: a frame with some room. */
export const MAX_PAYLOAD_BYTES = MAX_FRAME_BYTES + 16
/** Longest control object. */
export const MAX_CONTROL_BYTES = 4096

/** Codes of a relay's closing of a connection. */
export const CLOSE = {
  done: 1000,
  restart: 1012,
  badFrame: 4400,
  noPeer: 4408,
  revoked: 4410,
  peerGone: 4411,
  tooLarge: 4413,
  idle: 4440,
  max: 4441,
} as const

/** Whether frames begin with the number of their stream: those of programs without a terminal. */
export const hasChannels = (mode: AccessMode): boolean => mode !== 'shell' && mode !== 'tcp'

/** First byte of each frame of a session that has channels. */
export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2 } as const

/** Signals that an operator may send to the programs of a session. */
export const SENT_SIGNALS = ['INT', 'TERM', 'HUP', 'QUIT'] as const
export type SentSignal = (typeof SENT_SIGNALS)[number]

/** Why a host refuses a session's request. */
export type HostRefusal = 'declined' | 'no_user' | 'spawn_failed' | 'busy'

/** A control object: one text frame of JSON. Kinds that a side does not know are passed over. */
export interface Control {
  readonly t: string
  readonly [field: string]: unknown
}

/** Reads a control object; undefined for everything else. */
export function parseControl(text: string): Control | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isControl = typeof value === 'object' && value !== null && typeof (value as Control).t === 'string'
    return isControl ? (value as Control) : undefined
  } catch {
    return undefined
  }
}

/** Returns a whole number of a control object within bounds; undefined for everything else. */
export function wholeOf(value: unknown, min: number, max: number): number | undefined {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
    ? (value as number)
    : undefined
}
