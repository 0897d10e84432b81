import fc from 'fast-check'
import { rarely, type Step, steps } from '../../packages/core/test/conformance/world.ts'
import { change, LICENSE, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const id = fc.constantFrom('dom_1', 'dom_2', 'dom_3')
const owner = fc.constantFrom('lic_a', 'lic_b', '')
const name = fc.constantFrom('mail.example.com', 'example.org')
const token = fc.constantFrom('check-1', 'check-2')
const selector = fc.constantFrom('svc1', 'svc2', 'svc3', 'svc4')
const keyOf = (given: string) => ({ selector: given, privateKey: `sealed ${given}`, publicKey: 'MIIB' })
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
  fc.record({ id, owner, name }),
  (given) =>
    () =>
    async ({ emailDomains }) => [
      await emailDomains.find(given.id),
      await emailDomains.named(given.owner, given.name),
      await emailDomains.list({ owner: given.owner, after: given.id, limit: 2 }),
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
      const taken = (await emailDomains.list({ limit: 100 })).some(
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

const noDomain = () => ({ id: 'dom_none' })

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
  },
  requests: {
    'GET /api/v1/email/domains': { asks: LICENSE, good: 200 },
    'POST /api/v1/email/domains': { asks: LICENSE, body: () => ({ name: 'more.example.net' }), good: 201 },
    'POST /api/v1/email/domains/{id}/verify': {
      asks: LICENSE,
      path: ({ own }) => ({ id: own.things.domain ?? '' }),
      body: () => ({}),
      good: 200,
      foreign: 404,
    },
  },
  stage: async ({ emailDomains }, licenseId) => {
    const add = async (given: string) => (await emailDomains.add(licenseId, given)).domain.id
    return { domain: await add('mail.example.com'), spareDomain: await add('spare.example.com') }
  },
  commands: {
    'email domains list': () => [],
    'email domains add': () => ['mail.example.net'],
    'email domains show': ({ things }) => [things.domain ?? ''],
    'email domains verify': ({ things }) => [things.domain ?? ''],
    'email domains rotate-dkim': ({ things }) => [things.domain ?? ''],
    'email domains remove': ({ things }) => [things.domain ?? ''],
  },
  steps: [
    { weight: 2, arbitrary: addDomain },
    { weight: 1, arbitrary: findDomain },
    { weight: 2, arbitrary: takeDomains },
    { weight: 2, arbitrary: settleDomain },
    { weight: 1, arbitrary: setNext },
    { weight: 1, arbitrary: removeDomain },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ emailDomains }) => ({ emailDomains: await emailDomains.list({ limit: 1000 }) }),
}
