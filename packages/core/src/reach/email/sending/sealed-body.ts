import { randomBytes } from 'node:crypto'
import { Keyring } from '../../../platform/secrets/keyring.ts'
import { placeOf } from '../../../platform/secrets/secrets-store.ts'
import type { SealedBody } from './email-messages-store.ts'
import type { DraftRecipient, MessageDraft } from './message-draft.ts'

/** Contents of a message, as they are sealed. */
export interface MessageContents extends Omit<MessageDraft, 'recipients' | 'tags' | 'sendAt'> {
  /** The recipients that headers name: `to` and `cc`. */
  readonly visible: readonly DraftRecipient[]
}

/** The contents of a checked message. Nothing of it names a `bcc` recipient. */
export function contentsOf(draft: MessageDraft): MessageContents {
  const { from, recipients, replyTo, subject, text, html, headers, attachments } = draft
  const visible = recipients.filter(({ role }) => role !== 'bcc')
  return { from, visible, replyTo, subject, text, html, headers, attachments }
}

const KEY_BYTES = 32

/**
 * Seals contents under a key of their own, and that key under the keys of the service: a rotation then moves
 * some bytes of each message, and not its megabytes.
 * @throws Problem `secrets-not-configured`
 */
export function sealBody(keyring: Keyring, messageId: string, contents: MessageContents): SealedBody {
  const place = placeOf('emailBodies', messageId)
  const own = `body:${randomBytes(KEY_BYTES).toString('base64')}`
  const key = keyring.seal(own, place)
  return { key, text: new Keyring([own]).seal(JSON.stringify(contents), place) }
}

/** Opens sealed contents. @throws Problem `secrets-not-configured` if the key is missing */
export function openBody(keyring: Keyring, messageId: string, { key, text }: SealedBody): MessageContents {
  const place = placeOf('emailBodies', messageId)
  return JSON.parse(new Keyring([keyring.open(key, place)]).open(text, place)) as MessageContents
}
