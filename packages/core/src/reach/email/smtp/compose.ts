import { present } from '../../../kernel/present.ts'
import { addressOf, type Mailbox } from '../sending/mailbox.ts'
import type { MessageContents } from '../sending/sealed-body.ts'

import { nodemailer } from './nodemailer.ts'

/** The key that signs a message, and whose it is. */
export interface Signature {
  readonly domain: string
  readonly selector: string
  /** In PEM. */
  readonly privateKey: string
}

/** A message to compose. Composed again, it has the same id and date. */
export interface ComposeInput {
  readonly messageId: string
  readonly date: Date
  readonly contents: MessageContents
  readonly signature: Signature
}

/**
 * The headers that are signed, where they are there: all that a receiver shows or acts on. RFC 8058 wants
 * both headers of an unsubscription.
 */
const SIGNED_HEADERS = [
  'from:reply-to:subject:date:message-id:to:cc:mime-version:content-type:content-transfer-encoding',
  'in-reply-to:references:list-unsubscribe:list-unsubscribe-post:auto-submitted:precedence',
].join(':')

/**
 * SMTP has lines with CR LF alone: a relay writes them for other ends, and the signature would be one of
 * other bytes.
 */
const withLines = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n')

/**
 * Parts of messages and of parts may not be encoded (RFC 2046), so that a relay changes lines in them that
 * SMTP does not allow. Such a file is carried as bytes.
 */
const carriedType = (contentType: string | undefined): string | undefined =>
  contentType !== undefined && /^(?:message|multipart)\//i.test(contentType)
    ? 'application/octet-stream'
    : contentType

/** The type of a name that stands for a whole message: it is found by its ending otherwise. */
const typeOfName = (filename: string): string | undefined =>
  /\.(?:eml|mime|mht|mhtml|nws|wsc)$/i.test(filename) ? 'application/octet-stream' : undefined

const named = (mailbox: Mailbox) => ({ name: mailbox.name, address: addressOf(mailbox) })

/** Returns the bytes of a message: MIME, signed with DKIM. Files and addresses of it are never opened. */
export async function compose({ messageId, date, contents, signature }: ComposeInput): Promise<Buffer> {
  const { createTransport } = await nodemailer()
  const { from, visible, replyTo, subject, text, html, headers, attachments } = contents
  const of = (role: string) => visible.filter((each) => each.role === role).map(named)
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const { message } = await transport.sendMail({
    messageId: `<${messageId}@${from.domain}>`,
    date,
    from: named(from),
    to: of('to'),
    cc: of('cc'),
    replyTo: replyTo.map(named),
    subject,
    ...(text === undefined ? {} : { text: withLines(text) }),
    ...(html === undefined ? {} : { html: withLines(html) }),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    attachments: attachments.map(({ filename, content, content_type: given }) => {
      const contentType = carriedType(given ?? typeOfName(filename))
      const bytes = Buffer.from(content, 'base64')
      return { filename, content: bytes, ...present('contentType', contentType) }
    }),
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
    dkim: {
      domainName: signature.domain,
      keySelector: signature.selector,
      privateKey: signature.privateKey,
      headerFieldNames: SIGNED_HEADERS,
    },
  })
  return message as Buffer
}
