import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import type { Scope } from '../../kernel/scope.ts'
import { flag, listOf, namedShape, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { EMAIL_PAGE } from './email-page.ts'
import type { Emails } from './emails.ts'
import { type EmailMessage, MESSAGE_STATES, RECIPIENT_STATES } from './sending/email-message.ts'
import type { EmailSuppression } from './sending/email-suppressions-store.ts'
import { MESSAGE_LIMITS } from './sending/send-body.ts'
import { RELAY_FAULTS } from './smtp/mail-relay.ts'

/** The services that operations on messages use. */
export interface EmailQueueUses {
  readonly emails: Emails
  readonly licenses: Pick<Licenses, 'resolve'>
}

const operation = operationOf<EmailQueueUses>()

/** Returns a message as operators see it: never its contents. */
const emailMessageView = (message: EmailMessage) => ({
  id: message.id,
  ...(message.owner === '' ? {} : { license_id: message.owner }),
  kind: message.kind,
  domain_id: message.domainId,
  ...present('key_id', message.keyId),
  from: message.from,
  state: message.state,
  created_at: unixSeconds(message.createdAt),
  settled_at: unixSeconds(message.settledAt),
  recipients: message.recipients.map(({ address, role, state, smtpCode, smtpText }) => ({
    address,
    role,
    state,
    ...present('smtp_code', smtpCode),
    ...present('smtp_text', smtpText),
  })),
})
/** A message as operators see it. */
export type EmailMessageView = ReturnType<typeof emailMessageView>

const suppressionView = ({ owner, address, reason, until, createdAt }: EmailSuppression) => ({
  ...(owner === '' ? {} : { license_id: owner }),
  address,
  reason,
  until: unixSeconds(until),
  created_at: unixSeconds(createdAt),
})
/** A suppressed address as operators see it. */
export type SuppressionView = ReturnType<typeof suppressionView>

const word = text(0, 512)
const second = whole(0, Number.MAX_SAFE_INTEGER)
const message = namedShape('EmailMessage', {
  id: word,
  license_id: optional(word),
  kind: word,
  domain_id: word,
  key_id: optional(word),
  from: word,
  state: oneOf(MESSAGE_STATES),
  created_at: second,
  settled_at: second,
  recipients: listOf(
    shape({
      address: word,
      role: word,
      state: oneOf(RECIPIENT_STATES),
      smtp_code: optional(second),
      smtp_text: optional(word),
    }),
    50,
  ),
})
const suppression = namedShape('Suppression', {
  license_id: optional(word),
  address: word,
  reason: word,
  until: second,
  created_at: second,
})
const id = text(5, 40)
const ofLicense = { license: optional(text(1, 512)) }
const limit = defaulted(whole(1, EMAIL_PAGE.max), EMAIL_PAGE.fallback)

const ownerOf = async (scope: Scope, { licenses }: EmailQueueUses, license: string | undefined) =>
  license === undefined ? undefined : licenses.resolve(scope, license)

const reads = { permission: 'platform.support', scope: 'platform', changes: false } as const
const writes = { permission: 'platform.security', scope: 'platform', changes: true } as const

/** Operations on messages and on their delivery. */
export const emailQueueOperations = [
  operation({
    name: 'email-queue.list',
    summary: 'list messages and how their recipients fared, newest first',
    ...reads,
    input: { state: optional(oneOf(MESSAGE_STATES)), ...ofLicense, limit, cursor: optional(text(1, 200)) },
    answer: { messages: listOf(message, EMAIL_PAGE.max), next_cursor: optional(word) },
    run: async (services, { license, ...input }, { scope }) => {
      const owner = await ownerOf(scope, services, license)
      const { messages, nextCursor } = await services.emails.list({ owner, ...input })
      return {
        messages: messages.map(emailMessageView),
        ...present('next_cursor', nextCursor),
      }
    },
  }),
  operation({
    name: 'email-queue.show',
    summary: 'show one message and how its recipients fared',
    ...reads,
    input: { id },
    answer: { message },
    run: async ({ emails }, input) => ({ message: emailMessageView(await emails.find(input.id)) }),
  }),
  ...(['retry', 'cancel'] as const).map((verb) =>
    operation({
      name: `email-queue.${verb}`,
      summary:
        verb === 'retry'
          ? 'send a failed message again, to those who did not get it'
          : 'end a message that waits; who has got it keeps it',
      ...writes,
      input: { id },
      answer: { message },
      run: async ({ emails }, input) => ({ message: emailMessageView(await emails[verb](input.id)) }),
    }),
  ),
  operation({
    name: 'emails.send',
    summary: 'queue a message from a verified domain',
    ...writes,
    input: {
      ...ofLicense,
      from: text(3, 320),
      to: listOf(text(3, 320), MESSAGE_LIMITS.recipients),
      subject: text(1, MESSAGE_LIMITS.subjectChars),
      text: text(1, MESSAGE_LIMITS.textChars),
    },
    answer: { id: word, state: oneOf(['queued']), recipients: second, suppressed: listOf(word, 50) },
    run: async (services, { license, ...fields }, { scope }) => {
      const owner = (await ownerOf(scope, services, license)) ?? ''
      return { ...(await services.emails.sending.send({ owner, fields })) }
    },
  }),
  operation({
    name: 'email-suppressions.list',
    summary: 'list the addresses that get no messages, since they bounced',
    ...reads,
    input: { ...ofLicense, limit },
    answer: { suppressions: listOf(suppression, EMAIL_PAGE.max) },
    run: async (services, { license, limit: most }, { scope }) => {
      const owner = await ownerOf(scope, services, license)
      return { suppressions: (await services.emails.suppressions(owner, most)).map(suppressionView) }
    },
  }),
  operation({
    name: 'email-suppressions.remove',
    summary: 'send to an address again that bounced',
    ...writes,
    input: { address: text(3, 320), ...ofLicense },
    answer: { ok: flag() },
    run: async (services, { address, license }, { scope }) => {
      await services.emails.unsuppress((await ownerOf(scope, services, license)) ?? '', address)
      return { ok: true }
    },
  }),
  operation({
    name: 'email-relay.check',
    summary: 'connect to the mail relay and sign in; nothing is sent',
    permission: 'platform.security',
    scope: 'platform',
    changes: false,
    input: {},
    answer: {
      ok: flag(),
      fault: optional(oneOf(RELAY_FAULTS)),
      detail: optional(word),
      tls: optional(flag()),
    },
    run: async ({ emails }) => ({ ...(await emails.checkRelay()) }),
  }),
]
