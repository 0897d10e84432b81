import { defineEntity, p } from '@mikro-orm/core'
import {
  day,
  digest,
  fact,
  person,
  sealed,
  type TablesOf,
  time,
  valuesOf,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { EmailDomain, EmailDomainStatus, Findings } from './domains/email-domain.ts'
import type { ReminderKind } from './reminders/reminder.ts'
import type {
  EmailMessage,
  EmailRecipient,
  EmailRecipientState,
  MessageKind,
  MessageState,
} from './sending/email-message.ts'
import type { RecipientRole } from './sending/message-draft.ts'

/** Table `email_domains`. */
export const EmailDomainEntity = defineEntity({
  name: 'EmailDomain',
  tableName: 'email_domains',
  properties: {
    id: word(p.text().primary()),
    owner: word(p.text()),
    name: fact(p.text()),
    selector: fact(p.text()),
    dkimKey: sealed(p.text()),
    dkimPublic: fact(p.text()),
    nextSelector: fact(p.text().nullable()),
    nextKey: sealed(p.text().nullable()),
    nextPublic: fact(p.text().nullable()),
    status: word(p.text().$type<EmailDomainStatus>().default('pending')),
    findings: fact(p.json().$type<Findings>().defaultRaw("'{}'")),
    createdAt: time(),
    failingSince: time().nullable(),
    nextCheckAt: time().nullable(),
    verifiedAt: time().nullable(),
    checkedAt: time().nullable(),
    leaseToken: word(p.text().nullable()),
    leaseUntil: time().nullable(),
  },
})

/** Table `email_keys`. */
export const EmailKeyEntity = defineEntity({
  name: 'EmailKey',
  tableName: 'email_keys',
  properties: {
    id: word(p.text().primary()),
    owner: word(p.text()),
    name: fact(p.text()),
    prefix: fact(p.text()),
    digest: digest(p.text()),
    domainId: word(p.text().nullable()),
    createdAt: time(),
    expiresAt: time().nullable(),
    lastUsedAt: time().nullable(),
    revokedAt: time().nullable(),
  },
})

/** Table `email_messages`. */
export const EmailMessageEntity = defineEntity({
  name: 'EmailMessage',
  tableName: 'email_messages',
  properties: {
    id: word(p.text().primary()),
    owner: word(p.text()),
    kind: word(p.text().$type<MessageKind>()),
    domainId: word(p.text()),
    keyId: word(p.text().nullable()),
    fromAddress: person(p.text()),
    tags: fact(p.json().$type<Readonly<Record<string, string>>>().defaultRaw("'{}'")),
    state: word(p.text().$type<MessageState>()),
    unknowns: p.integer().default(0),
    dataStartedAt: time().nullable(),
    createdAt: time(),
    settledAt: time().nullable(),
  },
})

/** Table `email_bodies`. */
export const EmailBodyEntity = defineEntity({
  name: 'EmailBody',
  tableName: 'email_bodies',
  properties: {
    messageId: word(p.text().primary()),
    key: sealed(p.text()),
    contents: sealed(p.text()),
  },
})

/** Table `email_recipients`. */
export const EmailRecipientEntity = defineEntity({
  name: 'EmailRecipient',
  tableName: 'email_recipients',
  properties: {
    messageId: word(p.text().primary()),
    address: person(p.text().primary()),
    position: p.integer(),
    role: word(p.text().$type<RecipientRole>()),
    state: word(p.text().$type<EmailRecipientState>()),
    smtpCode: p.integer().nullable(),
    smtpText: person(p.text().nullable()),
  },
})

/** Table `email_answers`. */
export const EmailAnswerEntity = defineEntity({
  name: 'EmailAnswer',
  tableName: 'email_answers',
  properties: {
    owner: word(p.text().primary()),
    key: fact(p.text().primary()),
    bodyHash: word(p.text()),
    answer: person(p.json().$type<Readonly<Record<string, unknown>>>()),
    createdAt: time(),
  },
})

/** Table `email_suppressions`. */
export const EmailSuppressionEntity = defineEntity({
  name: 'EmailSuppression',
  tableName: 'email_suppressions',
  properties: {
    owner: word(p.text().primary()),
    address: person(p.text().primary()),
    reason: word(p.text()),
    until: time(),
    createdAt: time(),
  },
})

/** Table `email_usage`. */
export const EmailUsageEntity = defineEntity({
  name: 'EmailUsage',
  tableName: 'email_usage',
  properties: {
    owner: word(p.text().primary()),
    day: day().primary(),
    recipients: p.integer(),
  },
})

/** Table `email_reminders`. */
export const EmailReminderEntity = defineEntity({
  name: 'EmailReminder',
  tableName: 'email_reminders',
  properties: {
    kind: word(p.text().$type<ReminderKind>().primary()),
    licenseId: word(p.text().primary()),
    basis: word(p.text().primary()),
    step: p.integer().primary(),
    messageId: word(p.text().nullable()),
    createdAt: time(),
  },
})

/** Its tables. */
export const entities = [
  EmailDomainEntity,
  EmailKeyEntity,
  EmailMessageEntity,
  EmailBodyEntity,
  EmailRecipientEntity,
  EmailAnswerEntity,
  EmailSuppressionEntity,
  EmailUsageEntity,
  EmailReminderEntity,
]

const domainOf = valuesOf(EmailDomainEntity, 'leaseToken', 'leaseUntil')
/** Reads a row of `email_domains`. */
export function toEmailDomain(row: object): EmailDomain {
  const { selector, dkimKey, dkimPublic, nextSelector, nextKey, nextPublic, ...domain } = domainOf(row)
  const next = { privateKey: nextKey ?? '', publicKey: nextPublic ?? '' }
  return {
    ...domain,
    key: { selector, privateKey: dkimKey, publicKey: dkimPublic },
    next: nextSelector === undefined ? undefined : { selector: nextSelector, ...next },
  }
}

/** Reads a row of `email_keys`. */
export const toEmailKey = valuesOf(EmailKeyEntity, 'digest', 'revokedAt')
/** Reads a row of `email_answers`. */
export const toRememberedAnswer = valuesOf(EmailAnswerEntity, 'owner', 'key', 'createdAt')
/** Reads a row of `email_suppressions`. */
export const toSuppression = valuesOf(EmailSuppressionEntity)

/** A row of `email_messages` with its recipients, which the database joins. */
export interface MessageRow {
  readonly recipients:
    | readonly (Pick<EmailRecipient, 'address' | 'role' | 'state'> & {
        readonly code: number | null
        readonly text: string | null
      })[]
    | null
}

const messageOf = valuesOf(EmailMessageEntity)
/** Reads a message. */
export function toMessage(row: MessageRow): EmailMessage {
  const { fromAddress, ...message } = messageOf(row)
  const recipients = (row.recipients ?? []).map(({ address, role, state, code, text }) => ({
    address,
    role,
    state,
    smtpCode: code ?? undefined,
    smtpText: text ?? undefined,
  }))
  return { ...message, from: fromAddress, recipients }
}

interface Tables
  extends TablesOf<
    | typeof EmailDomainEntity
    | typeof EmailKeyEntity
    | typeof EmailMessageEntity
    | typeof EmailBodyEntity
    | typeof EmailRecipientEntity
    | typeof EmailAnswerEntity
    | typeof EmailSuppressionEntity
    | typeof EmailUsageEntity
    | typeof EmailReminderEntity
  > {}

/** Statements over them. */
export const { statement, scoped } = statementsOver<Tables>()
