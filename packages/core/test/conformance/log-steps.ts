import fc from 'fast-check'
import { ownerOf } from './job-steps.ts'
import { pick, rarely, type Step, steps, words } from './world.ts'

const lines = fc.array(fc.record({ ts: fc.constantFrom(0, 1.5, 1_760_000_000), line: words }), {
  maxLength: 4,
})

/** Lines sent by the owner of a job, or by another writer. */
export const append = steps(
  'append logs',
  fc.record({
    pick,
    fault: fc.constantFrom('none', 'none', 'none', 'license', 'fingerprint', 'attempt', 'later'),
    saysAttempt: fc.boolean(),
    isNameless: fc.boolean(),
    lines,
    offset: fc.option(fc.constantFrom(0, 1, 2, 3, 5, 2_147_483_647), { nil: undefined }),
    idempotencyKey: rarely(fc.constantFrom('once', 'twice')),
  }),
  ({ isNameless, lines: sent, offset, idempotencyKey, ...who }) =>
    async (world) => {
      const owner = await ownerOf(world, who)
      const fingerprint = isNameless ? undefined : owner.fingerprint
      const write = { ...owner, fingerprint, lines: sent, offset, idempotencyKey, leaseSeconds: 300 }
      return ({ jobs }, now) => jobs.appendLogs(write, now)
    },
)

const read = steps(
  'read logs',
  fc.record({
    pick,
    after: fc.constantFrom(0, 0, 1, 3, 7, 2_147_483_647, Number.MAX_SAFE_INTEGER),
    limit: fc.constantFrom(1, 2, 10_000),
  }),
  ({ pick: which, after, limit }) =>
    (world) => {
      const id = world.jobId(which)
      return async ({ jobs }) => [await jobs.logs(id, after, limit), await jobs.logLengths(id)]
    },
)

/** Steps that write and read the output of jobs. */
export const logSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 10, arbitrary: append },
  { weight: 3, arbitrary: read },
]
