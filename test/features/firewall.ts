import { join } from 'node:path'
import fc from 'fast-check'
import { type Step, steps } from '../../packages/core/test/conformance/world.ts'
import { buildSecurityRevision } from '../../packages/testing/src/hosts/node-security/build-security-revision.ts'
import { change, host, LICENSE, OWNER, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const SETTINGS_FILE = join(import.meta.dirname, '../support/security-settings.json')
const settings = { firewall: { enabled: true } }
const shut = { firewall: { enabled: true, allow: [] } }
const key = fc.record({
  licenseId: fc.constantFrom('lic_a', 'lic_b'),
  fingerprint: fc.constantFrom('host-a-0123456789abcdef', 'host-b'),
})

const add = steps(
  'add security revision',
  fc.record({ key, revision: fc.constantFrom(1, 1, 2, 3, 4, 9) }),
  (given) =>
    () =>
    ({ nodeSecurity }, now) =>
      nodeSecurity.add(buildSecurityRevision({ ...given.key, revision: given.revision }), now),
)
const current = steps(
  'current security',
  key,
  (given) =>
    () =>
    ({ nodeSecurity }) =>
      nodeSecurity.current(given),
)
const revision = steps(
  'security revision',
  fc.record({ key, revision: fc.constantFrom(1, 2, 3) }),
  (given) =>
    () =>
    ({ nodeSecurity }) =>
      nodeSecurity.revision(given.key, given.revision),
)
const history = steps(
  'security history',
  fc.record({ key, limit: fc.constantFrom(1, 2, 20) }),
  (given) =>
    () =>
    ({ nodeSecurity }) =>
      nodeSecurity.history(given.key, given.limit),
)

const standings = steps(
  'security standings',
  fc.constant(undefined),
  () =>
    () =>
    ({ nodeSecurity }) =>
      nodeSecurity.standings(),
)

/** Access to the security of hosts, and the random steps of its store. */
export const feature: Feature = {
  operations: {
    'security.show': read('platform.security', host, ['not-found', wrong.host]),
    'security.dry-run': read('platform.security', (world) => ({ ...host(world), settings }), [
      'would-lock-out',
      (world) => ({ ...host(world), settings: shut }),
    ]),
    'security.set': change(
      'platform.security',
      (world) => ({ ...host(world), settings }),
      (world) => ({ ...host(world), settings: shut }),
      'would-lock-out',
    ),
    'security.reapply': change('platform.security', host, wrong.host),
    'security.history': read('platform.security', host, ['not-found', wrong.host]),
    'security.rollback': change(
      'platform.security',
      (world) => ({ ...host(world), to: 1 }),
      (world) => ({ ...host(world), to: 99 }),
    ),
  },
  requests: {
    // A heartbeat of the other tenant has made a host of the same fingerprint there: it sees its own.
    'GET /api/v1/node/security': {
      asks: LICENSE,
      path: ({ own }) => ({ query: `?fingerprint=${encodeURIComponent(own.fingerprint)}` }),
      good: 200,
    },
    'POST /api/v1/node/security': {
      asks: OWNER,
      body: ({ own }) => ({ fingerprint: own.fingerprint, settings }),
      good: 202,
      past: [200, 202],
    },
  },
  commands: {
    'security show': () => ['web-1'],
    'security set': () => ['web-1', '--file', SETTINGS_FILE],
    'security dry-run': () => ['web-1', '--file', SETTINGS_FILE],
    'security reapply': () => ['web-1'],
    'security history': () => ['web-1'],
    'security rollback': () => ['web-1', '--to', '1'],
    'security allow': () => ['web-1', '443/tcp'],
    'security deny': () => ['web-1', '443/tcp'],
  },
  steps: [
    { weight: 3, arbitrary: add },
    { weight: 2, arbitrary: current },
    { weight: 1, arbitrary: revision },
    { weight: 1, arbitrary: history },
    { weight: 1, arbitrary: standings },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ nodeSecurity }) => {
    const hosts = ['lic_a', 'lic_b'].flatMap((licenseId) =>
      ['host-a-0123456789abcdef', 'host-b'].map((fingerprint) => ({ licenseId, fingerprint })),
    )
    return { nodeSecurity: await Promise.all(hosts.map((each) => nodeSecurity.history(each, 100))) }
  },
}
