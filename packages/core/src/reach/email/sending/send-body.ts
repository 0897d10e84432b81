import { optional } from 'superstruct'
import { field, type JsonSchema, listOf, shape, text, whole } from '../../../kernel/validation.ts'
import { isPrintable, plainText } from '../email-page.ts'

/** Bounds of one message (docs/email.md). */
export const MESSAGE_LIMITS = {
  recipients: 50,
  replyTo: 5,
  subjectChars: 998,
  textChars: 524_288,
  headers: 20,
  headerChars: 998,
  attachments: 10,
  attachmentBytes: 5 * 1024 * 1024,
  tags: 10,
  waitSeconds: 7 * 86_400,
} as const

const LATEST = 4_102_444_800
const HEADER =
  /^(?:x-[a-z0-9-]{1,60}|list-unsubscribe|list-unsubscribe-post|in-reply-to|references|auto-submitted|precedence)$/i
const TAG = /^[A-Za-z0-9_-]{1,64}$/
const MEDIA_TYPE = /^[a-z0-9.+-]{1,63}\/[a-z0-9.+-]{1,63}$/i
const FILE_NAME = /^[^/\\]{1,255}$/
// Without a group that repeats: of some megabytes it would overflow the stack.
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const PROGRAMS = /\.(?:exe|bat|cmd|com|scr|js|vbs|jar|msi)[. ]*$/i

const isText = (value: unknown): value is string => typeof value === 'string'

/** One mailbox as a text, or a list of them. */
function mailboxes(most: number) {
  const one = { type: 'string', minLength: 3, maxLength: 320 } satisfies JsonSchema
  const schema = { anyOf: [one, { type: 'array', minItems: 1, maxItems: most, items: one }] }
  const isOne = (value: unknown) => isText(value) && value.length >= 3 && value.length <= 320
  return field<string | readonly string[]>(
    schema,
    (value) =>
      Array.isArray(value) ? value.length >= 1 && value.length <= most && value.every(isOne) : isOne(value),
    `a mailbox, or a list of 1 to ${most} mailboxes, each of 3 to 320 characters`,
  )
}

const matchingText = (pattern: RegExp, expected: string, refused?: RegExp) =>
  field<string>(
    { type: 'string', pattern: pattern.source },
    (value) => isText(value) && pattern.test(value) && isPrintable(value) && refused?.test(value) !== true,
    expected,
  )

const isHeader = (name: string): boolean => HEADER.test(name)
const isHeaderValue = (value: unknown): boolean =>
  isText(value) && value.length <= MESSAGE_LIMITS.headerChars && isPrintable(value)
const isTag = (value: unknown): boolean => isText(value) && TAG.test(value)

/** An object of texts. */
const textsByName = (
  isName: (name: string) => boolean,
  isValue: (value: unknown) => boolean,
  expected: string,
) =>
  field<Readonly<Record<string, string>>>(
    { type: 'object', additionalProperties: { type: 'string' } },
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(([name, each]) => isName(name) && isValue(each)),
    expected,
  )

const attachment = shape({
  filename: matchingText(FILE_NAME, 'a file name that is no path and no program', PROGRAMS),
  content: field<string>(
    { type: 'string', contentEncoding: 'base64' },
    (value) => isText(value) && value.length % 4 === 0 && BASE64.test(value),
    'base64',
  ),
  content_type: optional(matchingText(MEDIA_TYPE, 'a media type')),
})

/** The body of `POST /api/v1/email/send`. */
export const sendBody = shape({
  from: text(3, 320),
  to: mailboxes(MESSAGE_LIMITS.recipients),
  cc: optional(mailboxes(MESSAGE_LIMITS.recipients)),
  bcc: optional(mailboxes(MESSAGE_LIMITS.recipients)),
  reply_to: optional(mailboxes(MESSAGE_LIMITS.replyTo)),
  subject: plainText(1, MESSAGE_LIMITS.subjectChars),
  text: optional(text(1, MESSAGE_LIMITS.textChars)),
  html: optional(text(1, MESSAGE_LIMITS.textChars)),
  headers: optional(
    textsByName(isHeader, isHeaderValue, 'headers that messages may have, with printable values'),
  ),
  attachments: optional(listOf(attachment, MESSAGE_LIMITS.attachments)),
  tags: optional(textsByName(isTag, isTag, 'tags of 1 to 64 letters, digits, _ and -')),
  send_at: optional(whole(0, LATEST)),
})
