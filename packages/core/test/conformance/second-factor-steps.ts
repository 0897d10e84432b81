import type { Proof } from '@svc/core/ports'
import fc from 'fast-check'
import { SESSION_DIGESTS } from './people-steps.ts'
import { type Step, steps, words } from './world.ts'

const userId = fc.constantFrom('usr_1', 'adm_1')
const secret = fc.constantFrom('SECRET-1', 'SECRET-2')
const step = fc.nat(6)
const code = fc.constantFrom('code-1', 'code-2', 'code-3')
const digest = fc.constantFrom(...SESSION_DIGESTS)
const proof: fc.Arbitrary<Proof> = fc.oneof(
  fc.record({ secret, step }),
  fc.record({ secret, recovery: fc.oneof(code, words) }),
)

const begin = steps(
  'begin second factor',
  fc.record({ userId, secret }),
  (given) => () => (stores, now) => stores.secondFactors.begin(given.userId, given.secret, now),
)

const confirm = steps(
  'confirm second factor',
  fc.record({
    userId,
    secret,
    step,
    recovery: fc.uniqueArray(code, { maxLength: 3 }),
    keptSession: digest,
  }),
  (confirmation) => () => (stores, now) => stores.secondFactors.confirm(confirmation, now),
)

const spend = steps(
  'spend second factor',
  fc.record({ userId, proof: fc.option(proof, { nil: undefined }) }),
  (given) => () => (stores) => stores.secondFactors.spend(given.userId, given.proof),
)

const end = steps(
  'end second factor',
  fc.record({ userId, proof: fc.option(proof, { nil: undefined, freq: 4 }) }),
  (given) => () => (stores, now) =>
    given.proof === undefined
      ? stores.secondFactors.reset(given.userId, now)
      : stores.secondFactors.remove(given.userId, given.proof),
)

const read = steps(
  'read second factor',
  fc.record({ userId, digest }),
  (given) =>
    () =>
    async ({ secondFactors }, now) => [
      await secondFactors.find(given.userId, now),
      await secondFactors.backs(given.userId, given.digest),
      [...(await secondFactors.confirmed())].sort(),
    ],
)

/** Steps of users with their second factors. */
export const secondFactorSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: begin },
  { weight: 2, arbitrary: confirm },
  { weight: 2, arbitrary: spend },
  { weight: 1, arbitrary: end },
  { weight: 1, arbitrary: read },
]
