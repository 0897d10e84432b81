/** One SMTP transaction. */
export interface Transaction {
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  /** The whole message, as it is sent. */
  readonly bytes: Buffer
  readonly signal: AbortSignal | undefined
  /** Called when the relay asks for the bytes, before the first one leaves. From then on it may have them. */
  started(): Promise<void>
}

/** The relay's word on one recipient. */
export interface RelayReply {
  readonly code: number
  readonly text: string
}

/** Failures of a relay before it said a word on the message. */
export const RELAY_FAULTS = ['connect', 'tls', 'auth', 'protocol', 'cancelled'] as const
export type RelayFault = (typeof RELAY_FAULTS)[number]

/** Replies to recipients. `message`: the relay's reply to the message, for the accepted recipients. */
export type RelayReplies = ReadonlyMap<string, RelayReply & { readonly stage: 'recipient' | 'message' }>

/**
 * Result of a transaction. `answered`: a reply for each recipient · `fault`: the relay let nobody in ·
 * `unknown`: the message left, and nothing came back; `refused` did not get it.
 */
export type TransactionResult =
  | { readonly status: 'answered'; readonly replies: RelayReplies }
  | { readonly status: 'fault'; readonly fault: RelayFault; readonly detail: string }
  | { readonly status: 'unknown'; readonly detail: string; readonly refused: RelayReplies }

/** Result of a look at the relay. */
export interface RelayCheck {
  readonly ok: boolean
  readonly fault?: RelayFault
  readonly detail?: string
  readonly tls?: boolean
}

/** Port to the mail relay of the settings. */
export interface MailRelay {
  /** Sends one message. Never rejects for a failure of the relay. Ends within a minute. */
  send(transaction: Transaction): Promise<TransactionResult>
  /** Connects and signs in, and sends nothing. */
  check(): Promise<RelayCheck>
}
