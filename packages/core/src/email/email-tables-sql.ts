import { defineEntity, p } from '@mikro-orm/core'
import { day, digest, fact, person, sealed, time, word } from '../database/table-sql.ts'

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
    status: word(p.text().default('pending')),
    findings: fact(p.json().defaultRaw("'{}'")),
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
    kind: word(p.text()),
    domainId: word(p.text()),
    keyId: word(p.text().nullable()),
    fromAddress: person(p.text()),
    tags: fact(p.json().defaultRaw("'{}'")),
    state: word(p.text()),
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
    role: word(p.text()),
    state: word(p.text()),
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
    answer: person(p.json()),
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
    kind: word(p.text().primary()),
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
