import fc from 'fast-check'
import { type Step, steps } from '../../packages/core/test/conformance/world.ts'
import { change, license, nothing, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const deed = fc.constantFrom('git-hooks' as const, 'scans' as const)
const issued = fc.constantFrom('lic_a', 'lic_b', 'lic_c')

const note = steps(
  'note license call',
  fc.record({ id: issued, deed }),
  (given) =>
    () =>
    ({ licenses }, now) =>
      licenses.noteCall(given.id, given.deed, now),
)
const told = steps(
  'calls of licenses',
  fc.constantFrom(0, 1, 30),
  (days) =>
    () =>
    ({ licenses }, now) =>
      licenses.calls(days, now),
)
const purged = steps(
  'purge calls of licenses',
  fc.constantFrom(0, 1, 30),
  (days) =>
    () =>
    ({ licenses }, now) =>
      licenses.purgeCalls(days, now),
)
const restrict = steps(
  'restrict license',
  fc.record({ id: issued, agentOnly: fc.boolean() }),
  ({ id, agentOnly }) =>
    () =>
    ({ licenses }) =>
      licenses.change(id, { agentOnly }),
)

/** Access to licenses, and the random steps of their keys' rights. */
export const feature: Feature = {
  operations: {
    'licenses.issue': change('platform.admin', () => ({ label: 'more' }), wrong.tenant),
    'licenses.list': read('platform.read', nothing),
    'licenses.show': read('platform.read', ({ own }) => ({ license: own.licenseId }), [
      'not-found',
      wrong.license,
    ]),
    'licenses.rename': change(
      'platform.admin',
      (world) => ({ ...license(world), label: 'spare' }),
      () => ({ ...wrong.license(), label: 'spare' }),
    ),
    'licenses.edit': change(
      'platform.admin',
      (world) => ({ ...license(world), contact: 'ann@svc.example' }),
      wrong.license,
    ),
    'licenses.extend': change(
      'platform.admin',
      (world) => ({ ...license(world), expires: '2100-01-01T00:00:00Z' }),
      wrong.license,
    ),
    'licenses.restrict': change('platform.admin', license, wrong.license),
    'licenses.unrestrict': change('platform.admin', license, wrong.license),
    'licenses.suspend': change('platform.admin', license, wrong.license),
    'licenses.reinstate': change('platform.admin', license, wrong.license),
    'licenses.revoke': change('platform.admin', license, wrong.license),
  },
  commands: {
    'licenses restrict': ({ bench }) => [bench.license.id],
    'licenses unrestrict': ({ bench }) => [bench.license.id],
  },
  steps: [
    { weight: 2, arbitrary: note },
    { weight: 1, arbitrary: told },
    { weight: 1, arbitrary: purged },
    { weight: 1, arbitrary: restrict },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  requests: {
    'POST /v1/license/activate': {
      asks: 'a license key, which the handler looks at',
      body: () => ({}),
      good: 200,
    },
  },
}
