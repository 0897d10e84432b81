import type {
  EmailMessage,
  EmailRecipient,
  EmailRecipientState,
  MessageState,
} from '../sending/email-message.ts'
import { isOpen, settledState } from '../sending/email-message.ts'
import type { MessageProgress } from '../sending/email-messages-store.ts'
import type { UnknownPolicy } from '../settings.ts'
import type { RelayReplies } from './mail-relay.ts'
import { isPutOff, saysNoMailbox } from './smtp-reply.ts'

/** Result of an attempt for a message. */
export interface Attempt {
  readonly progress: MessageProgress
  /** Addresses that do not exist. */
  readonly suppress: readonly string[]
  /** Whether there is somebody to try again for. */
  readonly isOver: boolean
}

/** An attempt that ended without a word of the relay on the message. */
export interface UnknownAttempt {
  readonly policy: UnknownPolicy
  readonly detail: string
  /** Recipients that the relay had refused before. */
  readonly refused?: RelayReplies
}

type Progress = MessageProgress['recipients'][number]

const open = ({ recipients }: EmailMessage) => recipients.filter(isOpen)

type Reply = NonNullable<ReturnType<RelayReplies['get']>>

function stateOf(reply: Reply, isLast: boolean): EmailRecipientState {
  if (reply.code >= 200 && reply.code < 300) return 'accepted'
  const isOver = reply.stage === 'recipient' ? !isPutOff(reply) : reply.code >= 500
  if (isOver) return reply.stage === 'recipient' ? 'bounced' : 'failed'
  return isLast ? 'failed' : 'deferred'
}

const said = (address: string, reply: Reply, isLast: boolean): Progress => ({
  address,
  state: stateOf(reply, isLast),
  smtpCode: reply.code,
  smtpText: reply.text,
})

const noMailboxes = (changed: readonly Progress[]): readonly string[] =>
  changed
    .filter(({ state, smtpText = '' }) => state === 'bounced' && saysNoMailbox({ text: smtpText }))
    .map(({ address }) => address)

/** The reply of a relay that ends the connection (RFC 5321, section 4.2.1). */
const CLOSING = 421

/**
 * The recipients that an attempt asks for. A recipient that made the relay end the connection comes after the
 * others, who would never be reached behind it. The last attempt asks for all.
 */
export function askedOf(message: EmailMessage, isLast: boolean): readonly EmailRecipient[] {
  const all = open(message)
  const others = all.filter(({ smtpCode }) => smtpCode !== CLOSING)
  return isLast || others.length === 0 ? all : others
}

/** Judges the replies of a transaction. `isLast`: no further attempt follows. */
export function judgeReplies(message: EmailMessage, replies: RelayReplies, isLast: boolean): Attempt {
  const changed = open(message).flatMap(({ address }): Progress[] => {
    const reply = replies.get(address)
    return reply === undefined ? [] : [said(address, reply, isLast)]
  })
  return attemptOf(message, changed, { suppress: noMailboxes(changed), isUnknown: false })
}

/** Judges an attempt whose end nobody knows, but for `refused`. It is tried once more, or not at all. */
export function judgeUnknown(message: EmailMessage, { policy, detail, refused }: UnknownAttempt): Attempt {
  const isOver = policy === 'hold' || message.unknowns > 0
  const changed = open(message).map(({ address }): Progress => {
    const reply = refused?.get(address)
    return reply === undefined
      ? { address, state: 'unknown', smtpCode: undefined, smtpText: detail }
      : said(address, reply, isOver)
  })
  return attemptOf(message, changed, { suppress: noMailboxes(changed), isUnknown: true, isOver })
}

/** Judges a message that is not to be sent any more. */
export function judgeCancelled(message: EmailMessage, reason: string): Attempt {
  const changed = open(message).map(
    ({ address }): Progress => ({ address, state: 'cancelled', smtpCode: undefined, smtpText: reason }),
  )
  return attemptOf(message, changed, { suppress: [], isUnknown: false })
}

/** Judges a message that no attempt is left for. */
export function judgeGivenUp(message: EmailMessage, reason: string): Attempt {
  const changed = open(message).map(
    ({ address }): Progress => ({ address, state: 'failed', smtpCode: undefined, smtpText: reason }),
  )
  return attemptOf(message, changed, { suppress: [], isUnknown: false })
}

function attemptOf(
  message: EmailMessage,
  changed: readonly Progress[],
  { suppress, isUnknown, isOver }: { suppress: readonly string[]; isUnknown: boolean; isOver?: boolean },
): Attempt {
  const byAddress = new Map(changed.map((each) => [each.address, each]))
  const after = message.recipients.map(
    (each): Pick<EmailRecipient, 'state'> => byAddress.get(each.address) ?? each,
  )
  const over = isOver ?? !after.some(isOpen)
  const state: MessageState = over ? settledState(after) : 'queued'
  return { progress: { id: message.id, state, recipients: changed, isUnknown }, suppress, isOver: over }
}
