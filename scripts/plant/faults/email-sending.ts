import type { Fault } from '../fault.ts'

const EMAIL = 'packages/core/src/reach/email'
const SEND = ['packages/http/test/routes/email-send.test.ts']
const DELIVERY = ['packages/core/test/reach/email/delivery.test.ts']
const REPLIES = ['packages/core/test/reach/email/relay-replies.test.ts']
const SIGNED = ['packages/core/test/reach/email/as-signed.test.ts']
const AT_ONCE = ['packages/core/test/reach/email/sending-at-once.test.ts']
const STORES = ['packages/core/test/reach/email/email-stores.test.ts']

/** Mistakes about messages and sending keys. */
export const faults: readonly Fault[] = [
  {
    name: 'email-sending: a recipient may have a line end',
    file: `${EMAIL}/sending/mailbox.ts`,
    find: 'if (!isPrintable(text)) return undefined',
    replace: "text = text.replace(/[\\r\\n][^]*/, '')",
    suites: SEND,
  },
  {
    name: 'email-sending: a sender may show the address of somebody else',
    file: `${EMAIL}/sending/mailbox.ts`,
    find: "!name.includes('@') && ",
    replace: '',
    suites: SEND,
  },
  {
    name: 'email-sending: a key sends from every domain',
    file: `${EMAIL}/sending/email-sending.ts`,
    find: 'if (key?.domainId !== undefined && domain?.id !== key.domainId)',
    replace: 'if (key?.domainId === undefined && domain === undefined && key !== undefined)',
    suites: SEND,
  },
  {
    name: 'email-sending: a pending domain sends',
    file: `${EMAIL}/sending/email-sending.ts`,
    find: 'if (domain === undefined || !maySend(domain))',
    replace: 'if (domain === undefined)',
    suites: SEND,
  },
  {
    name: 'email-sending: each of several requests at once queues its message',
    file: `${EMAIL}/sending/email-sending.ts`,
    find: 'throw new Repeated()',
    replace: 'return made',
    suites: AT_ONCE,
  },
  {
    name: 'email-sending: a sending key opens what any text opens in development',
    file: 'packages/core/src/people/licenses/licenses.ts',
    find: "if (key === '' || isEmailKeyLike(key)) return undefined",
    replace: "if (key === '') return undefined",
    suites: SEND,
  },
  {
    name: 'email-sending: a key outlives its license',
    file: `${EMAIL}/keys/email-keys.ts`,
    find: "return key.owner === '' || (await licenses.isGood(key.owner)) ? key : undefined",
    replace: "return key.owner === '' || licenses !== undefined ? key : undefined",
    suites: SEND,
  },
  {
    name: 'email-sending: a day counts messages beyond its limit',
    file: `${EMAIL}/sending/email-messages-statements-sql.ts`,
    find: 'where u.recipients + $2::int <= $3::int returning owner',
    replace: 'where u.recipients <= $3::int returning owner',
    suites: STORES,
  },
  {
    name: 'email-sending: who has a message gets it again with the others',
    file: `${EMAIL}/smtp/email-delivery.ts`,
    find: 'const to = askedOf(message, isLast).map(({ address }) => address)',
    replace: 'const to = message.recipients.map(({ address }) => address)',
    suites: DELIVERY,
  },
  {
    name: 'email-sending: a relay that is down uses up attempts',
    file: `${EMAIL}/smtp/email-delivery.ts`,
    find: "fault: 'route',",
    replace: "fault: 'ours',",
    suites: DELIVERY,
  },
  {
    name: 'email-sending: an unknown message is sent until somebody answers',
    file: `${EMAIL}/smtp/attempt.ts`,
    find: "policy === 'hold' || message.unknowns > 0",
    replace: "policy === 'hold'",
    suites: DELIVERY,
  },
  {
    name: 'email-sending: a message whose process died is sent at once',
    file: `${EMAIL}/smtp/email-delivery.ts`,
    find: 'if (message.dataStartedAt !== undefined)',
    replace: 'if (message.unknowns > 5)',
    suites: DELIVERY,
  },
  {
    name: 'email-sending: every refused recipient is suppressed',
    file: `${EMAIL}/smtp/attempt.ts`,
    find: "state === 'bounced' && saysNoMailbox({ text: smtpText })",
    replace: "state === 'bounced' && (smtpText !== '' || saysNoMailbox({ text: smtpText }))",
    suites: DELIVERY,
  },
  {
    name: 'email-sending: a revoked license goes on sending',
    file: `${EMAIL}/smtp/email-delivery.ts`,
    find: "if (owner !== '' && !(await licenses.isGood(owner)))",
    replace: "if (owner === 'nobody' && !(await licenses.isGood(owner)))",
    suites: DELIVERY,
  },
  {
    name: 'email-sending: a password goes over a line that is not encrypted',
    file: 'packages/core/src/outside/smtp/mail-relay-smtp.ts',
    find: 'requireTLS: !secure && !plaintext',
    replace: 'requireTLS: false',
    suites: DELIVERY,
  },
  {
    name: 'email-sending: the end of a connection comes before the reply that it followed',
    file: 'packages/core/src/outside/smtp/relay-session.ts',
    find: "setImmediate(() => this.#break(new Closed('the connection was closed')))",
    replace: "this.#break(new Closed('the connection was closed'))",
    suites: REPLIES,
  },
  {
    name: 'email-sending: a recipient at whom the relay leaves holds back the others',
    file: `${EMAIL}/smtp/attempt.ts`,
    find: 'return isLast || others.length === 0 ? all : others',
    replace: 'return isLast || others.length >= 0 ? all : others',
    suites: REPLIES,
  },
  {
    name: 'email-sending: an enhanced code is read anywhere',
    file: `${EMAIL}/smtp/smtp-reply.ts`,
    find: '/^\\d{3}[ -]#?([245]',
    replace: '/([245]',
    suites: REPLIES,
  },
  {
    name: 'email-sending: a message whose last attempt died is under way for ever',
    file: `${EMAIL}/emails.ts`,
    find: 'if (expired > 0) await',
    replace: 'if (expired > 99) await',
    suites: REPLIES,
  },
  {
    name: 'email-sending: a relay that refuses counts as one that is down',
    file: `${EMAIL}/smtp/email-delivery.ts`,
    find: 'isReached: true',
    replace: 'isReached: undefined',
    suites: REPLIES,
  },
  {
    name: 'email-sending: a bare CR is signed',
    file: `${EMAIL}/smtp/compose.ts`,
    find: "text.replace(/\\r\\n?|\\n/g, '\\r\\n')",
    replace: "text.replace(/\\r?\\n/g, '\\r\\n')",
    suites: SIGNED,
  },
  {
    name: 'email-sending: the one-click unsubscribe is not signed',
    file: `${EMAIL}/smtp/compose.ts`,
    find: ':list-unsubscribe-post:',
    replace: ':',
    suites: SIGNED,
  },
  {
    name: 'email: a message whose bytes have left is sent again on another connection',
    file: 'packages/core/src/outside/smtp/mail-relay-smtp.ts',
    find: 'kept !== undefined && !stage.hasLeft && isStale',
    replace: 'kept !== undefined && isStale',
    suites: ['packages/core/test/reach/email/kept-connections.test.ts'],
  },
]
