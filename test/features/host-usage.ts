import type { UsageRow } from '@svc/core/ports'
import { buildUsage } from '@svc/testing'
import fc from 'fast-check'
import { heartbeat } from '../../packages/core/test/conformance/fleet-steps.ts'
import {
  fingerprint,
  LICENSES,
  licenseId,
  rarely,
  steps,
} from '../../packages/core/test/conformance/world.ts'
import type { Feature } from '../support/features.ts'

const HOUR_MS = 3_600_000
const hours = fc.constantFrom(-72, -25, -2, -1, 0, 1, 30)
const hourFrom = (now: Date, count: number) =>
  new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS + count * HOUR_MS)

const seen = (rows: readonly UsageRow[]) =>
  rows.map(({ figures, ...row }) => ({ ...row, figures: Buffer.from(figures).toString('hex') }))

const add = steps(
  'add figures of a host',
  fc.record({
    // A row is told from others by all but its slots.
    rows: fc.uniqueArray(
      fc.record({
        licenseId,
        fingerprint,
        hours,
        share: fc.constantFrom(1, 2, 2 ** 31 - 1),
        slotSeconds: fc.constantFrom(300, 300, 7200),
      }),
      { maxLength: 4, selector: ({ slotSeconds: _, ...key }) => JSON.stringify(key) },
    ),
  }),
  ({ rows }) =>
    () =>
    ({ hostUsage }, now) =>
      hostUsage.add(
        rows.map(({ hours: count, ...row }) =>
          buildUsage({}, { ...row, startsAt: hourFrom(now, count) } satisfies Partial<UsageRow>),
        ),
      ),
)
const look = steps(
  'figures of a host',
  fc.record({ licenseId, fingerprint, hours }),
  ({ hours: count, ...given }) =>
    () =>
    ({ hostUsage }, now) =>
      hostUsage.read(given, hourFrom(now, count)).then(seen),
)
const take = steps(
  'take figures of hosts',
  fc.record({
    after: rarely(fc.record({ licenseId, fingerprint })),
    hosts: fc.constantFrom(1, 100),
    from: hours,
    to: hours,
    onlyShared: fc.boolean(),
  }),
  ({ from, to, ...given }) =>
    () =>
    async ({ hostUsage }, now) => {
      const { rows, last } = await hostUsage.take({
        ...given,
        from: hourFrom(now, from),
        to: hourFrom(now, to),
      })
      return [seen(rows), last]
    },
)
const purge = steps(
  'purge figures of hosts',
  fc.constantFrom(1, 2, 30),
  (days) =>
    () =>
    ({ hostUsage }, now) =>
      hostUsage.purge(days, now),
)

/** Figures of hosts over time. */
export const feature: Feature = {
  operations: {},
  steps: [
    { weight: 3, arbitrary: heartbeat },
    { weight: 3, arbitrary: add },
    { weight: 2, arbitrary: look },
    { weight: 2, arbitrary: take },
    { weight: 1, arbitrary: purge },
  ],
  contents: async ({ hostUsage, agents }) => {
    const found = []
    for (const { licenseId: license, fingerprint: name } of await agents.list({ of: 'platform' }))
      if (LICENSES.includes(license))
        found.push(seen(await hostUsage.read({ licenseId: license, fingerprint: name }, new Date(0))))
    return { hostUsage: found }
  },
}
