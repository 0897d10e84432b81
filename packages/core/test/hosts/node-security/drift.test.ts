import { describe, expect, it } from '@jest/globals'
import type { Agent, SecurityStanding } from '@svc/core/ports'
import { buildHeartbeat, FakeClock, testPlane } from '@svc/testing'
import { buildSecurityRevision } from '../../../../testing/src/hosts/node-security/build-security-revision.ts'
import { driftCounts } from '../../../src/hosts/node-security/node-security-metrics.ts'
import { securityConditions } from '../../../src/watch/alerts/rules/alert-rules-security.ts'

const at = new FakeClock().now()
const HOST = { licenseId: 'lic_a', fingerprint: 'fp' }
const agent = (fields: Partial<Agent> = {}) =>
  ({ ...HOST, label: 'web-1', hostname: 'h', reportedState: '', lastHeartbeat: at, ...fields }) as Agent

/** A host that is to have a revision and has applied another one. */
const standing = (
  wanted: number,
  revision: number,
  state: SecurityStanding['applied']['state'],
): SecurityStanding => ({
  ...HOST,
  desired: { revision: wanted, updatedAt: at },
  applied: { revision, state, at, error: undefined },
})

const conditions = (standings: readonly SecurityStanding[], hosts = [agent()]) =>
  securityConditions({ hosts, standings }, { driftMinutes: 15 }, at)

describe('a host that is not as its security document says', () => {
  it.each([
    ['waiting', standing(1, 0, 'none'), 'has none: no attempt has ended yet'],
    ['waiting', standing(4, 3, 'applied'), 'has 3: no attempt has ended yet'],
    ['failed', standing(4, 3, 'failed'), 'has 3: the latest attempt failed'],
    ['rolled_back', standing(4, 3, 'rolled_back'), 'has 3: the latest attempt was rolled back'],
    // It was sent once more, and failed then.
    ['failed', standing(4, 4, 'failed'), 'has 4: the latest attempt failed'],
  ])('is %s, and has a condition that must hold for the time of the setting', (state, given, words) => {
    expect(driftCounts([given])).toMatchObject({ [state]: 1, as_told: 0 })
    const { desired, applied } = given
    expect(conditions([given])).toEqual([
      {
        licenseId: 'lic_a',
        tenantId: undefined,
        dedupKey: 'security_drift:fp',
        kind: 'security_drift',
        severity: 'warning',
        summary: `web-1 is to have revision ${desired.revision} of its security settings and ${words}`,
        host: { fingerprint: 'fp', hostname: 'h' },
        details: {
          state,
          desired_revision: desired.revision,
          applied_revision: applied.revision,
          updated_at: at.getTime() / 1000,
        },
        holdSeconds: 900,
        isStale: false,
      },
    ])
  })

  it('opens no alert while it is offline, or once it was forgotten', () => {
    const silent = agent({ lastHeartbeat: new Date(at.getTime() - 141_000) })
    expect(conditions([standing(2, 1, 'failed')], [silent])).toMatchObject([{ isStale: true }])
    expect(conditions([standing(2, 1, 'failed')], [])).toEqual([])
    expect(conditions([standing(2, 1, 'failed')], [agent({ licenseId: 'lic_b' })])).toEqual([])
  })
})

it('A host that has what it is to have has no condition', () => {
  expect(driftCounts([standing(4, 4, 'applied')])).toEqual({
    as_told: 1,
    waiting: 0,
    failed: 0,
    rolled_back: 0,
  })
  expect(conditions([standing(4, 4, 'applied')])).toEqual([])
})

it('A metric counts the known hosts with a document by how far they are', async () => {
  await using test = testPlane()
  const { id: licenseId } = await test.license()
  for (const fingerprint of ['fp-1', 'fp-2', 'fp-3'])
    await test.storage.nodeSecurity.add(buildSecurityRevision({ licenseId, fingerprint }))
  for (const fingerprint of ['fp-1', 'fp-2'])
    await test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint }), jobs: [] })
  const text = await test.plane.metrics.exposition()
  expect(text).toContain('svc_node_security_hosts{state="waiting"} 2\n')
  expect(text).toContain('svc_node_security_hosts{state="as_told"} 0\n')
})
