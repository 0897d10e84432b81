import type { UNKNOWN_POLICIES } from '../../config/settings/email.ts'
import type {
  EmailMessage,
  EmailRecipient,
  EmailRecipientState,
  MessageState,
} from '../sending/email-message.ts'
import { isOpen, settledState } from '../sending/email-message.ts'
import type { MessageProgress } from '../sending/email-messages-store.ts'
import type { RelayReply, TransactionResult } from './mail-relay.ts'

/** The way to go on when nobody knows whether the relay got a message. */
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number]

/** Result of an attempt for a message. */
export interface Attempt {
  readonly progress: MessageProgress
  /** Addresses that do not exist. */
  readonly suppress: readonly string[]
  /** Whether there is somebody to try again for. */
  readonly isOver: boolean
}

type Progress = MessageProgress['recipients'][number]

/** Replies that say: there is no such mailbox. */
const NO_MAILBOX =
  /\b5\.1\.(?:1|10)\b|unknown (?:user|recipient|mailbox)|(?:user|mailbox|recipient)[^.]{0,20} (?:unknown|not found|does not exist)|no such (?:user|mailbox|recipient)/i

const open = ({ recipients }: EmailMessage) => recipients.filter(isOpen)

function stateOf(
  reply: RelayReply & { stage: 'recipient' | 'message' },
  isLast: boolean,
): EmailRecipientState {
  if (reply.code >= 200 && reply.code < 300) return 'accepted'
  if (reply.code >= 500) return reply.stage === 'recipient' ? 'bounced' : 'failed'
  return isLast ? 'failed' : 'deferred'
}

/** Judges the replies of a transaction. `isLast`: no further attempt follows. */
export function judgeReplies(
  message: EmailMessage,
  replies: Extract<TransactionResult, { status: 'answered' }>['replies'],
  isLast: boolean,
): Attempt {
  const changed = open(message).map((recipient): Progress => {
    const reply = replies.get(recipient.address) ?? { code: 451, text: 'no reply', stage: 'recipient' }
    const { code: smtpCode, text: smtpText } = reply
    return { address: recipient.address, state: stateOf(reply, isLast), smtpCode, smtpText }
  })
  const suppress = changed
    .filter(({ state, smtpText = '' }) => state === 'bounced' && NO_MAILBOX.test(smtpText))
    .map(({ address }) => address)
  return attemptOf(message, changed, { suppress, isUnknown: false })
}

/** Judges an attempt whose end nobody knows. It is tried once more, or not at all. */
export function judgeUnknown(message: EmailMessage, policy: UnknownPolicy, detail: string): Attempt {
  const isOver = policy === 'hold' || message.unknowns > 0
  const changed = open(message).map(
    ({ address }): Progress => ({ address, state: 'unknown', smtpCode: undefined, smtpText: detail }),
  )
  return attemptOf(message, changed, { suppress: [], isUnknown: true, isOver })
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
