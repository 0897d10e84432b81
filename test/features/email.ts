import { PLATFORM } from '@svc/core'
import { MESSAGE_STATES, RECIPIENT_STATES } from '@svc/core/ports'
import fc from 'fast-check'
import { reminderSteps } from '../../packages/core/test/conformance/reminder-steps.ts'
import { rarely, type Step, scope, steps } from '../../packages/core/test/conformance/world.ts'
import { change, LICENSE, OWNER, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const id = fc.constantFrom('dom_1', 'dom_2', 'dom_3')
const owner = fc.constantFrom('lic_a', 'lic_b', '')
const name = fc.constantFrom('mail.example.com', 'example.org')
const token = fc.constantFrom('check-1', 'check-2')
const selector = fc.constantFrom('svc1', 'svc2', 'svc3', 'svc4')
const keyOf = (given: string) => ({ selector: given, privateKey: `sealed ${given}`, publicKey: 'MIIB' })
const keyId = fc.constantFrom('ek_1', 'ek_2', 'ek_3')
const digest = fc.constantFrom('email-key-1', 'email-key-2')
const status = fc.constantFrom(
  'pending' as const,
  'verified' as const,
  'degraded' as const,
  'failed' as const,
)

const addDomain = steps(
  'add email domain',
  fc.record({ id, owner, name, selector, limit: fc.constantFrom(1, 10, 10, 10) }),
  ({ limit, selector: given, ...made }) =>
    () =>
    ({ emailDomains }, now) =>
      emailDomains.add({ ...made, key: keyOf(given) }, limit, now),
)
const findDomain = steps(
  'find email domain',
  fc.record({ id, owner, name, scope }),
  (given) =>
    () =>
    async ({ emailDomains }) => [
      await emailDomains.find(given.scope, given.id),
      await emailDomains.named(given.owner, given.name),
      await emailDomains.list(given.scope, { after: given.id, limit: 2 }),
    ],
)
const takeDomains = steps(
  'take email domains',
  fc.record({ token, leaseSeconds: fc.constantFrom(1, 60), limit: fc.constantFrom(1, 10), id: rarely(id) }),
  (given) =>
    () =>
    ({ emailDomains }, now) =>
      emailDomains.takeDue(given, now),
)
const settleDomain = steps(
  'settle email domain',
  fc.record({
    id,
    token,
    status,
    isVerified: fc.boolean(),
    isFailing: fc.boolean(),
    delaySeconds: fc.constantFrom(undefined, 1, 3600),
    promotes: rarely(selector),
  }),
  ({ isFailing, promotes, ...given }) =>
    () =>
    ({ emailDomains }, now) =>
      emailDomains.settle(
        {
          ...given,
          findings: { dkim: { status: 'missing', found: [] } },
          failingSince: isFailing ? now : undefined,
          promoted: promotes === undefined ? undefined : keyOf(promotes),
        },
        now,
      ),
)
const setNext = steps(
  'rotate email domain',
  fc.record({ id, selector }),
  (given) =>
    () =>
    async ({ emailDomains }, now) => {
      const taken = (await emailDomains.list(PLATFORM, { limit: 100 })).some(
        ({ key, next }) => key.selector === given.selector || next?.selector === given.selector,
      )
      return taken ? undefined : emailDomains.setNext(given.id, keyOf(given.selector), now)
    },
)
const removeDomain = steps(
  'remove email domain',
  id,
  (given) =>
    () =>
    ({ emailDomains }) =>
      emailDomains.remove(given),
)

const addKey = steps(
  'add email key',
  fc.record({
    id: keyId,
    digest,
    owner,
    domainId: rarely(id),
    limit: fc.constantFrom(1, 20),
    expires: rarely(fc.constantFrom(60, 3600)),
  }),
  ({ limit, expires, ...made }) =>
    (world) => {
      const expiresAt = expires === undefined ? undefined : new Date(+world.clock.now() + expires * 1000)
      return ({ emailKeys }, now) =>
        emailKeys.add({ ...made, name: 'app', prefix: 'svce_1234', expiresAt }, limit, now)
    },
)
const useKey = steps(
  'use email key',
  fc.record({ digest, id: keyId, scope, days: fc.constantFrom(0, 30) }),
  (given) =>
    () =>
    async ({ emailKeys }, now) => [
      await emailKeys.use(given.digest, now),
      await emailKeys.find(given.scope, given.id),
      await emailKeys.list(given.scope, { after: given.id, limit: 2 }),
      await emailKeys.purge(given.days, now),
    ],
)
const revokeKey = steps(
  'revoke email key',
  keyId,
  (given) =>
    () =>
    ({ emailKeys }, now) =>
      emailKeys.revoke(given, now),
)

const messageId = fc.constantFrom('em_1', 'em_2', 'em_3')
const address = fc.constantFrom('bob@example.net', 'Eve@example.net', 'mallory@example.net')
const addMessage = steps(
  'add email message',
  fc.record({ id: messageId, owner, domainId: id, to: fc.uniqueArray(address, { minLength: 1 }) }),
  ({ to, ...made }) =>
    () =>
    ({ emailMessages }, now) =>
      emailMessages.add(
        {
          ...made,
          kind: 'api',
          keyId: undefined,
          from: 'ann@mail.example.com',
          tags: { a: 'b' },
          recipients: to.map((each) => ({ address: each, role: 'to', state: 'queued' })),
          body: { key: `key of ${made.id}`, text: 'sealed' },
        },
        now,
      ),
)
const moveMessage = steps(
  'move email message',
  fc.record({
    id: messageId,
    verb: fc.constantFrom(
      'begin' as const,
      'cancel' as const,
      'requeue' as const,
      'dataStarted' as const,
      'body' as const,
    ),
  }),
  (given) =>
    () =>
    ({ emailMessages }, now) =>
      emailMessages[given.verb](given.id, now),
)
const recordMessage = steps(
  'record email message',
  fc.record({
    id: messageId,
    state: fc.constantFrom(...MESSAGE_STATES),
    isUnknown: fc.boolean(),
    address,
    reached: fc.constantFrom(...RECIPIENT_STATES),
    smtpCode: rarely(fc.constantFrom(250, 451, 550)),
  }),
  ({ address: to, reached, smtpCode, ...given }) =>
    () =>
    ({ emailMessages }, now) =>
      emailMessages.record(
        { ...given, recipients: [{ address: to, state: reached, smtpCode, smtpText: smtpCode && 'said' }] },
        now,
      ),
)
const readMessages = steps(
  'read email messages',
  fc.record({
    id: messageId,
    owner: rarely(owner),
    state: rarely(fc.constantFrom(...MESSAGE_STATES)),
    domain: id,
  }),
  (given) =>
    () =>
    async ({ emailMessages }, now) => [
      await emailMessages.find(given.id),
      await emailMessages.list({ owner: given.owner, state: given.state, before: given.id, limit: 2 }),
      await emailMessages.counts(given.domain, 7, now),
      await emailMessages.states(),
    ],
)
const purgeMessages = steps(
  'purge email messages',
  fc.constantFrom(
    { bodyDays: 7, messageDays: 90 },
    { bodyDays: 0, messageDays: 1 },
    { bodyDays: 0, messageDays: 0 },
  ),
  (given) =>
    () =>
    ({ emailMessages }, now) =>
      emailMessages.purge(given, now),
)
const endLostMessages = steps(
  'end lost email messages',
  fc.constant({}),
  () =>
    () =>
    ({ emailMessages }, now) =>
      emailMessages.endLost(now),
)
const promise = steps(
  'promise of email',
  fc.record({
    owner,
    key: fc.constantFrom('k1', 'k2'),
    bodyHash: fc.constantFrom('h1', 'h2'),
    count: fc.nat(5),
  }),
  ({ count, ...given }) =>
    () =>
    async ({ emailMessages }, now) => [
      await emailMessages.remember({ ...given, answer: { id: given.bodyHash } }, now),
      await emailMessages.remembered(given.owner, given.key, now),
      await emailMessages.spend(given.owner, count, 9, now),
    ],
)
const suppress = steps(
  'suppress address',
  fc.record({
    owner,
    address,
    days: fc.constantFrom(1, 30),
    verb: fc.constantFrom('add', 'remove', 'read', 'purge'),
  }),
  ({ verb, ...given }) =>
    () =>
    async ({ emailSuppressions }, now) => {
      if (verb === 'add') return emailSuppressions.add({ ...given, reason: 'no_mailbox' }, now)
      if (verb === 'remove') return emailSuppressions.remove(given.owner, given.address)
      if (verb === 'purge') return emailSuppressions.purge(now)
      return emailSuppressions.among(given.owner, [given.address, 'none@example.net'], now)
    },
)

const noDomain = () => ({ id: 'dom_none' })
const noKey = () => ({ id: 'ek_none' })
const noMessage = () => ({ id: 'em_none' })

/** Access to email, and the random steps of its stores. */
export const feature: Feature = {
  operations: {
    'email-domains.add': change(
      'platform.security',
      () => ({ name: 'mail.example.org' }),
      () => ({ name: 'co.uk' }),
      'invalid-input',
    ),
    'email-domains.list': read('platform.read', () => ({}), ['not-found', () => ({ license: 'lic_none' })]),
    'email-domains.show': read('platform.read', ({ own }) => ({ id: own.things.domain }), [
      'not-found',
      noDomain,
    ]),
    'email-domains.verify': change('platform.security', ({ own }) => ({ id: own.things.domain }), noDomain),
    'email-domains.health': read('platform.read', ({ own }) => ({ id: own.things.domain }), [
      'not-found',
      noDomain,
    ]),
    'email-domains.rotate-dkim': change(
      'platform.security',
      ({ own }) => ({ id: own.things.domain }),
      noDomain,
    ),
    'email-domains.remove': change(
      'platform.security',
      ({ own }) => ({ id: own.things.spareDomain }),
      noDomain,
    ),
    'email-keys.create': change(
      'platform.admin',
      () => ({ name: 'app' }),
      () => ({ name: 'app', expires_at: 1 }),
      'invalid-input',
    ),
    'email-keys.list': read('platform.read', () => ({}), ['not-found', () => ({ license: 'lic_none' })]),
    'email-keys.show': read('platform.read', ({ own }) => ({ id: own.things.emailKey }), [
      'not-found',
      noKey,
    ]),
    'email-keys.revoke': change('platform.security', ({ own }) => ({ id: own.things.otherEmailKey }), noKey),
    'email-queue.list': read('platform.support', () => ({}), ['not-found', () => ({ license: 'lic_none' })]),
    'email-queue.show': read('platform.support', ({ own }) => ({ id: own.things.message }), [
      'not-found',
      noMessage,
    ]),
    'email-alerts.run': change(
      'platform.security',
      () => ({ dry_run: true }),
      () => ({ license: 'lic_none' }),
    ),
    'emails.send': change(
      'platform.security',
      () => ({ from: 'ops@svc.example', to: ['bob@example.net'], subject: 'hello', text: 'hello' }),
      () => ({
        license: 'lic_none',
        from: 'ops@svc.example',
        to: ['bob@example.net'],
        subject: 'hello',
        text: 'hello',
      }),
    ),
    'email-queue.cancel': change('platform.security', ({ own }) => ({ id: own.things.message }), noMessage),
    'email-queue.retry': change(
      'platform.security',
      ({ own }) => ({ id: own.things.failedMessage }),
      noMessage,
    ),
    'email-suppressions.list': read('platform.support', () => ({}), [
      'not-found',
      () => ({ license: 'lic_none' }),
    ]),
    'email-suppressions.remove': change(
      'platform.security',
      ({ own }) => ({ address: 'gone@example.net', license: own.licenseId }),
      () => ({ address: 'nobody@example.net' }),
    ),
    'email-relay.check': read('platform.security', () => ({})),
  },
  requests: {
    'GET /api/v1/email/domains': { asks: LICENSE, good: 200 },
    'POST /api/v1/email/domains': {
      asks: OWNER,
      body: () => ({ name: 'more.example.net' }),
      good: 201,
      past: [200, 201],
    },
    'GET /api/v1/email/domains/{id}/health': {
      asks: LICENSE,
      path: ({ own }) => ({ id: own.things.domain ?? '' }),
      good: 200,
      foreign: 404,
    },
    'GET /api/v1/email/keys': { asks: LICENSE, good: 200 },
    'POST /api/v1/email/keys': { asks: OWNER, body: () => ({ name: 'app' }), good: 201 },
    'GET /api/v1/email/keys/{id}': {
      asks: LICENSE,
      path: ({ own }) => ({ id: own.things.emailKey ?? '' }),
      good: 200,
      foreign: 404,
    },
    'DELETE /api/v1/email/keys/{id}': {
      asks: OWNER,
      path: ({ own }) => ({ id: own.things.spareEmailKey ?? '' }),
      good: 200,
      past: [200, 404],
    },
    'GET /api/v1/email/alerts/run': { asks: 'a license or the cron secret', good: 200 },
    'POST /api/v1/email/alerts/run': { asks: 'a license or the cron secret', good: 200 },
    'POST /api/v1/email/send': {
      asks: 'a license or a sending key',
      body: () => ({ from: 'ann@mail.example.com', to: 'bob@example.net', subject: 'hello', text: 'hello' }),
      good: 422,
    },
    'POST /api/v1/email/domains/{id}/verify': {
      asks: OWNER,
      path: ({ own }) => ({ id: own.things.domain ?? '' }),
      body: () => ({}),
      good: 200,
      foreign: 404,
    },
  },
  stage: async ({ emailDomains, emailKeys, storage, ids, clock }, licenseId) => {
    const add = async (given: string) => (await emailDomains.add(licenseId, given)).domain.id
    const keyOf = async (name: string) => {
      const input = { owner: licenseId, name, domainId: undefined, expiresAt: undefined }
      return (await emailKeys.create(input)).key.id
    }
    const domain = await add('mail.example.com')
    const messageOf = async () => {
      const message = {
        ...{
          id: ids.next('em'),
          owner: licenseId,
          kind: 'api' as const,
          domainId: domain,
          keyId: undefined,
          tags: {},
        },
        from: 'ann@mail.example.com',
        recipients: [{ address: 'bob@example.net', role: 'to', state: 'queued' }],
        body: { key: 'v1:none:x', text: 'sealed' },
      } as const
      return (await storage.emailMessages.add(message, clock.statementTime())).id
    }
    const [message, failedMessage] = [await messageOf(), await messageOf()]
    const bounced = { address: 'bob@example.net', state: 'failed', smtpCode: 451, smtpText: 'later' } as const
    const failed = { id: failedMessage, state: 'failed', recipients: [bounced], isUnknown: false } as const
    await storage.emailMessages.record(failed, clock.statementTime())
    const gone = { owner: licenseId, address: 'gone@example.net', reason: 'no_mailbox', days: 30 }
    await storage.emailSuppressions.add(gone, clock.statementTime())
    return {
      domain,
      spareDomain: await add('spare.example.com'),
      emailKey: await keyOf('app'),
      spareEmailKey: await keyOf('spare'),
      otherEmailKey: await keyOf('other'),
      message,
      failedMessage,
    }
  },
  commands: {
    'email domains list': () => [],
    'email domains add': () => ['mail.example.net'],
    'email domains show': ({ things }) => [things.domain ?? ''],
    'email domains verify': ({ things }) => [things.domain ?? ''],
    'email domains rotate-dkim': ({ things }) => [things.domain ?? ''],
    'email domains health': ({ things }) => [things.domain ?? ''],
    'email keys create': () => ['app'],
    'email keys list': () => [],
    'email keys show': ({ things }) => [things.emailKey ?? ''],
    'email keys revoke': ({ things }) => [things.spareEmailKey ?? ''],
    'email queue list': () => [],
    'email queue show': ({ things }) => [things.message ?? ''],
    'email queue cancel': ({ things }) => [things.message ?? ''],
    'email queue retry': ({ things }) => [things.failedMessage ?? ''],
    'email suppressions list': () => [],
    'email suppressions remove': () => ['gone@example.net'],
    'email relay check': () => [],
    'email alerts': () => ['--dry-run'],
    'email send': () => ['bob@example.net', '--from', 'ops@svc.example', '--subject', 'hello'],
    'email domains remove': ({ things }) => [things.domain ?? ''],
  },
  steps: [
    ...reminderSteps,
    { weight: 2, arbitrary: addDomain },
    { weight: 1, arbitrary: findDomain },
    { weight: 2, arbitrary: takeDomains },
    { weight: 2, arbitrary: settleDomain },
    { weight: 1, arbitrary: setNext },
    { weight: 1, arbitrary: removeDomain },
    { weight: 1, arbitrary: addKey },
    { weight: 1, arbitrary: useKey },
    { weight: 1, arbitrary: revokeKey },
    { weight: 2, arbitrary: addMessage },
    { weight: 2, arbitrary: moveMessage },
    { weight: 2, arbitrary: recordMessage },
    { weight: 1, arbitrary: readMessages },
    { weight: 1, arbitrary: purgeMessages },
    { weight: 1, arbitrary: endLostMessages },
    { weight: 1, arbitrary: promise },
    { weight: 1, arbitrary: suppress },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ emailDomains, emailKeys, emailMessages, emailSuppressions }, now) => ({
    emailDomains: await emailDomains.list(PLATFORM, { limit: 1000 }),
    emailKeys: await emailKeys.list(PLATFORM, { limit: 1000 }),
    emailMessages: await emailMessages.list({ limit: 1000 }),
    emailSuppressions: await emailSuppressions.list({ limit: 1000 }, now),
  }),
}
