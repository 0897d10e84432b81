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
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    attachments: attachments.map(({ filename, content, content_type: contentType }) => ({
      filename,
      content: Buffer.from(content, 'base64'),
      ...(contentType === undefined ? {} : { contentType }),
    })),
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
    dkim: {
      domainName: signature.domain,
      keySelector: signature.selector,
      privateKey: signature.privateKey,
    },
  })
  return message as Buffer
}
