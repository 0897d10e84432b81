import type { RelayFault, RelayReply, TransactionResult } from '../../reach/email/smtp/mail-relay.ts'

const TEXT_CHARS = 300
const CLOSING = 421

/** An error of nodemailer's connection. */
export interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
  readonly recipient?: string
}

/** An envelope as it is handed to nodemailer, which notes the relay's replies to recipients in it. */
export interface SentEnvelope {
  readonly from: string
  readonly to: string[]
  readonly rejectedErrors?: readonly SmtpError[]
}

/** How far a transaction has come. */
export interface Stage {
  /** Whether the relay has greeted and let us in: later replies are about this message. */
  isReady: boolean
  /** Whether the relay was about to get the bytes. */
  hasLeft: boolean
}

type Reply = RelayReply & { readonly stage: 'recipient' | 'message' }

export class Cancelled extends Error {}
export class TimedOut extends Error {}
export class Closed extends Error {}

const plainText = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, TEXT_CHARS)

/** The words of the relay, or else of the error. */
export const textOf = ({ response, message }: SmtpError): string => plainText(response ?? message)

/** The replies after a message that the relay took: its own word, and its refusals of recipients. */
export function takenReplies(sent: SentEnvelope, response: string): TransactionResult {
  const code = Number(/^\d{3}/.exec(response)?.[0] ?? 250)
  return answered(sent, { code, text: plainText(response), stage: 'message' })
}

/**
 * Returns the outcome of a failed transaction. A reply that came counts, even if the connection failed after
 * it. Without one, the way is at fault if the relay has not let us in, and the message is put off if it has:
 * a relay that ends connections at one message does not hold back the others.
 */
export function outcomeOf(error: SmtpError, sent: SentEnvelope, stage: Stage): TransactionResult {
  if (error instanceof Cancelled && !stage.hasLeft)
    return { status: 'fault', fault: 'cancelled', detail: textOf(error) }
  const reply = stage.isReady ? replyOf(error, sent) : undefined
  if (reply !== undefined) return answered(sent, reply)
  const detail = textOf(error)
  if (stage.hasLeft) return { status: 'unknown', detail, refused: refusalsOf(sent) }
  if (!stage.isReady) return { status: 'fault', fault: faultOf(error), detail }
  return answered(sent, putOff(`the relay said nothing: ${detail}`))
}

const putOff = (text: string): Reply => ({ code: 451, text: text.slice(0, TEXT_CHARS), stage: 'message' })

/** The word of the relay on those whom it did not refuse by name. */
function replyOf(error: SmtpError, sent: SentEnvelope): Reply | undefined {
  const { responseCode: code, response } = error
  if (code === undefined || response === undefined || code < 400) return undefined
  const text = textOf(error)
  // A relay that leaves at one recipient has not spoken about the others.
  const isOfOne = code === CLOSING && [...refusalsOf(sent).values()].some((each) => each.code === CLOSING)
  return isOfOne ? putOff(`the relay ended the connection: ${text}`) : { code, text, stage: 'message' }
}

function answered(sent: SentEnvelope, others: Reply): TransactionResult {
  const refused = refusalsOf(sent)
  return {
    status: 'answered',
    replies: new Map(sent.to.map((address) => [address, refused.get(address) ?? others])),
  }
}

const refusalsOf = ({ rejectedErrors = [] }: SentEnvelope): ReadonlyMap<string, Reply> =>
  new Map(
    rejectedErrors.map((error) => [
      error.recipient ?? '',
      { code: error.responseCode ?? 451, text: textOf(error), stage: 'recipient' },
    ]),
  )

/** The fault of a relay that let nobody in. */
export function faultOf(error: SmtpError): RelayFault {
  if (error instanceof Cancelled) return 'cancelled'
  if (error.code === 'EAUTH' || error.code === 'ENOAUTH') return 'auth'
  if (error.code === 'ETLS' || /certificate|SSL|TLS/.test(error.message)) return 'tls'
  if (['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'ECONNREFUSED'].includes(error.code ?? ''))
    return 'connect'
  return error instanceof TimedOut ? 'connect' : 'protocol'
}
