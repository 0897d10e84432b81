import fc from 'fast-check'
import { type Step, steps } from '../../packages/core/test/conformance/world.ts'
import { confirmedChange, nothing, personalChange, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const digest = fc.constantFrom('token-1', 'token-2', 'token-3')
const id = fc.constantFrom('tkn_1', 'tkn_2', 'tkn_3')
const tenantId = fc.option(fc.constantFrom('ten_a', 'ten_b'), { nil: undefined })

const add = steps(
  'add token',
  fc.record({ id, digest, tenantId, expires: fc.constantFrom(undefined, 60, 3600) }),
  ({ expires, ...given }) =>
    (world) => {
      const expiresAt = expires === undefined ? undefined : new Date(+world.clock.now() + expires * 1000)
      const rest = { label: '', role: 'viewer', createdBy: 'cli:ann', expiresAt } as const
      return (stores, now) => stores.apiTokens.add({ ...given, ...rest } as never, now)
    },
)
const use = steps(
  'use token',
  digest,
  (given) =>
    () =>
    ({ apiTokens }, now) =>
      apiTokens.use(given, now),
)
const revoke = steps(
  'revoke token',
  id,
  (given) =>
    () =>
    ({ apiTokens }, now) =>
      apiTokens.revoke(given, now),
)
const purge = steps(
  'purge tokens',
  fc.constantFrom(30, 1, 0, 0),
  (days) =>
    () =>
    ({ apiTokens }, now) =>
      apiTokens.purge(days, now),
)
const list = steps(
  'list tokens',
  fc.constant(0),
  () =>
    () =>
    ({ apiTokens }) =>
      apiTokens.list(),
)

/** Access to API tokens, and the random steps of their store. */
export const feature: Feature = {
  operations: {
    'tokens.issue': confirmedChange(
      () => ({ role: 'viewer', label: 'more' }),
      () => ({ role: 'owner' }),
      'invalid-input',
    ),
    'tokens.list': read('platform.admin', nothing),
    'tokens.revoke': personalChange(
      ({ spare }) => ({ token: spare.token }),
      () => ({ token: 'tkn_none' }),
    ),
  },
  stage: async ({ apiTokens }) => {
    const plain = { tenantId: undefined, expiresAt: undefined, createdBy: 'stage' }
    const { token } = await apiTokens.issue({ ...plain, role: 'viewer', label: 'staged' })
    return { token: token.id }
  },
  commands: {
    'tokens issue': () => ['--role', 'operator', '--label', 'pipeline'],
    'tokens list': () => [],
    'tokens revoke': ({ things }) => [things.token ?? ''],
  },
  steps: [
    { weight: 2, arbitrary: add },
    { weight: 3, arbitrary: use },
    { weight: 1, arbitrary: revoke },
    { weight: 1, arbitrary: purge },
    { weight: 1, arbitrary: list },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ apiTokens }) => ({ apiTokens: await apiTokens.list() }),
}
