import { describe, expect, it } from '@jest/globals'
import type { License } from '@svc/core'
import type { Agent } from '@svc/core/ports'
import { FakeClock } from '@svc/testing'
import type { AlertFacts } from '../../../../src/watch/alerts/rules/alert-facts.ts'
import { conditionsOf } from '../../../../src/watch/alerts/rules/alert-rules.ts'
import { readConfig } from '../../../../src/wiring/settings.ts'

const at = new FakeClock().now()
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const bounds = readConfig({}).alerts

const NOTHING: AlertFacts = {
  hosts: [],
  clones: [],
  failures: [],
  licenses: [],
  troubles: [],
  refusals: [],
  deadEndpoints: [],
  exposures: [],
  standings: [],
  apps: [],
  appDrifts: [],
  paymentEvents: [],
  orders: [],
  credentials: [],
  gap: undefined,
  monitorsOverdueSeconds: 0,
}

const host = (fields: Partial<Agent>): Partial<AlertFacts> => ({
  hosts: [
    {
      licenseId: 'lic_a',
      fingerprint: 'fp',
      hostname: 'web-1',
      reportedState: '',
      lastHeartbeat: at,
      ...fields,
    } as Agent,
  ],
})
const license = (expiresAt: Date): Partial<AlertFacts> => ({
  licenses: [{ id: 'lic_a', label: '', status: 'active', expiresAt } as License],
})

/** Returns kind and severity of every condition in `facts`. */
const found = (facts: Partial<AlertFacts>): string[] =>
  conditionsOf({ ...NOTHING, ...facts }, bounds, at).map(({ kind, severity }) => `${kind} ${severity}`)

const before = (ms: number): Date => new Date(at.getTime() - ms)
const secondsBefore = (ms: number): number => (at.getTime() - ms) / 1000

describe('what is wrong begins at its exact instant', () => {
  it.each([
    [
      'a host that is silent for 140 s',
      140_000,
      (ms: number) => host({ lastHeartbeat: before(ms) }),
      'host_offline critical',
    ],
    [
      'a backup of 26 hours',
      26 * HOUR_MS,
      (ms: number) => host({ lastCaptureAt: secondsBefore(ms) }),
      'backup_stale warning',
    ],
    [
      'a restore drill of 35 days',
      35 * DAY_MS,
      (ms: number) => host({ lastDrillAt: secondsBefore(ms) }),
      'drill_stale warning',
    ],
    [
      'a monitor that is 15 minutes late',
      900_000,
      (ms: number) => ({ monitorsOverdueSeconds: ms / 1000 }),
      'scheduler_stalled critical',
    ],
  ] as const)('%s is well, and a millisecond later it is not', (_, ms, facts, kind) => {
    expect([ms - 1, ms, ms + 1].map((each) => found(facts(each)))).toEqual([[], [], [kind]])
  })

  it('a license that ends in exactly 14 days is told of, in exactly 3 days as critical, and not a millisecond sooner', () => {
    const told = (days: number) =>
      [1, 0, -1].map((ms) => found(license(new Date(at.getTime() + days * DAY_MS + ms))).join())
    expect(told(14)).toEqual(['', 'license_expiring warning', 'license_expiring warning'])
    expect(told(3)).toEqual([
      'license_expiring warning',
      'license_expiring critical',
      'license_expiring critical',
    ])
  })

  it.each([
    ['diskPct', 90, 'disk_high warning'],
    ['diskPct', 98, 'disk_high critical'],
    ['memPct', 95, 'mem_high warning'],
    ['cpuPct', 95, 'cpu_high warning'],
  ] as const)('%s is high at %i, and not just below', (field, percent, kind) => {
    expect(found(host({ [field]: percent }))).toEqual([kind])
    expect(found(host({ [field]: percent - 0.001 }))).not.toEqual([kind])
  })

  it.each([
    ['a year', 365 * 86_400],
    ['a time in milliseconds', (at.getTime() / 1000 - 864_000) * 1000],
    ['a number that is no date', 1e300],
    ['six minutes', 360],
  ])(
    'a time of a backup or a drill that lies %s ahead has no age, and is the fault of a clock',
    (_, ahead) => {
      const time = at.getTime() / 1000 + ahead
      const told = conditionsOf(
        { ...NOTHING, ...host({ lastCaptureAt: time, lastDrillAt: time }) },
        bounds,
        at,
      )
      expect(told.map(({ kind }) => kind)).toEqual(['backup_stale', 'drill_stale'])
      for (const { summary, details } of told) {
        expect(summary).toMatch(
          /is .* ahead of our clock, so its age is not known: look at the clock of the host$/,
        )
        expect(details.clock_ahead_seconds).toBe(Math.min(Math.ceil(ahead), Number.MAX_SAFE_INTEGER))
      }
    },
  )

  it('a time five minutes ahead is what clocks differ by', () => {
    const time = at.getTime() / 1000 + 300
    expect(found(host({ lastCaptureAt: time, lastDrillAt: time }))).toEqual([])
  })

  it('the tenth refused request is told of, not the ninth', () => {
    const refused = (count: number) => found({ refusals: [{ licenseId: 'lic_a', count }] })
    expect([refused(9), refused(10)]).toEqual([[], ['rate_limited_fleet warning']])
  })
})
