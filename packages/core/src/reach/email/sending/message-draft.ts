import { Problem, type ProblemData } from '../../../kernel/problem.ts'
import { addressOf, type Mailbox, readMailbox } from './mailbox.ts'
import { MESSAGE_LIMITS } from './send-body.ts'

/** The fields of a message as a client sends them. */
export interface SendFields {
  readonly from: string
  readonly to: string | readonly string[]
  readonly cc?: string | readonly string[] | undefined
  readonly bcc?: string | readonly string[] | undefined
  readonly reply_to?: string | readonly string[] | undefined
  readonly subject: string
  readonly text?: string | undefined
  readonly html?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly attachments?: readonly DraftAttachment[] | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
  readonly send_at?: number | undefined
}

/** A file as it was sent. */
export interface DraftAttachment {
  readonly filename: string
  /** In base64. */
  readonly content: string
  readonly content_type?: string | undefined
}

/** Fields that name a message's recipients. */
export const RECIPIENT_ROLES = ['to', 'cc', 'bcc'] as const
export type RecipientRole = (typeof RECIPIENT_ROLES)[number]

/** A recipient of a message. */
export interface DraftRecipient extends Mailbox {
  readonly role: RecipientRole
}

/** A message that was checked, with every address rebuilt. */
export interface MessageDraft {
  readonly from: Mailbox
  readonly recipients: readonly DraftRecipient[]
  readonly replyTo: readonly Mailbox[]
  readonly subject: string
  readonly text: string | undefined
  readonly html: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly attachments: readonly DraftAttachment[]
  readonly tags: Readonly<Record<string, string>>
  /** Undefined: at once. */
  readonly sendAt: Date | undefined
}

const listed = (given: string | readonly string[] | undefined): readonly string[] =>
  given === undefined ? [] : typeof given === 'string' ? [given] : given

/**
 * Checks the fields together, and reads the addresses.
 * @throws Problem `invalid-input`
 */
export function readDraft(fields: SendFields, now: Date): MessageDraft {
  const faults: string[] = []
  const read = (name: string, text: string): Mailbox[] => {
    const mailbox = readMailbox(text)
    if (mailbox !== undefined) return [mailbox]
    faults.push(`${name}: expected exactly one mailbox`)
    return []
  }
  const all = (name: string, given: string | readonly string[] | undefined) =>
    listed(given).flatMap((text, at) => read(typeof given === 'string' ? name : `${name}.${at}`, text))
  const from = read('from', fields.from)[0]
  const recipients = RECIPIENT_ROLES.flatMap((role) =>
    all(role, fields[role]).map((box) => ({ ...box, role })),
  )
  const replyTo = all('reply_to', fields.reply_to)
  faults.push(...boundsOf(fields, recipients.length, now))
  if (from === undefined || faults.length > 0)
    throw new Problem('invalid-input', { details: faults.slice(0, 12) } satisfies ProblemData)
  const { subject, text, html, headers = {}, attachments = [], tags = {}, send_at: at } = fields
  const sendAt = at === undefined || at * 1000 <= now.getTime() ? undefined : new Date(at * 1000)
  return {
    from,
    recipients: once(recipients),
    replyTo,
    subject,
    text,
    html,
    headers,
    attachments,
    tags,
    sendAt,
  }
}

/** A recipient that is named twice gets one copy, and the more visible role. */
function once(recipients: readonly DraftRecipient[]): readonly DraftRecipient[] {
  const seen = new Map<string, DraftRecipient>()
  for (const recipient of recipients) {
    const key = addressOf(recipient).toLowerCase()
    if (!seen.has(key)) seen.set(key, recipient)
  }
  return [...seen.values()]
}

// A line of a header is folded between words only, begins with a space, and has at most 998 octets.
const LONG_WORD = 'expected no word longer than 997 characters'
const hasLongWord = (text: string): boolean => text.split(/\s/).some((word) => word.length > 997)

function boundsOf(fields: SendFields, recipients: number, now: Date): readonly string[] {
  const { text, html, headers = {}, attachments = [], tags = {}, send_at: at } = fields
  const faults: string[] = []
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const size = attachments.reduce((sum, { content }) => sum + decodedBytes(content), 0)
  const second = now.getTime() / 1000
  if (recipients > MESSAGE_LIMITS.recipients)
    faults.push(`to: expected at most 50 recipients in to, cc and bcc`)
  if (text === undefined && html === undefined) faults.push('text or html is required')
  if (names.length > MESSAGE_LIMITS.headers) faults.push('headers: expected at most 20')
  if (new Set(names).size < names.length) faults.push('headers: expected each name once')
  if (size > MESSAGE_LIMITS.attachmentBytes) faults.push('attachments: expected at most 5 MiB together')
  if (Object.keys(tags).length > MESSAGE_LIMITS.tags) faults.push('tags: expected at most 10')
  if (hasLongWord(fields.subject)) faults.push(`subject: ${LONG_WORD}`)
  if (Object.values(headers).some(hasLongWord)) faults.push(`headers: ${LONG_WORD}`)
  // A minute is for clocks that differ.
  if (at !== undefined && (at < second - 60 || at > second + MESSAGE_LIMITS.waitSeconds))
    faults.push('send_at: expected an instant from now to seven days from now')
  return faults
}

const decodedBytes = (base64: string): number =>
  (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
