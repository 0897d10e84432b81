import { PLATFORM } from '@svc/core'
import { ALERT_ACTIONS, ALERT_STATUSES } from '@svc/core/adapters'
import { ALERT_KINDS, ALERT_SEVERITIES } from '@svc/core/ports'
import fc from 'fast-check'
import { writeOf } from '../../src/watch/alerts/alert-evaluation.ts'
import {
  type AlertKey,
  isForgettable,
  type LifecycleStep,
  newAlertKey,
  nextStep,
  resolvedByHand,
} from '../../src/watch/alerts/alert-lifecycle.ts'
import type { AlertContent } from '../../src/watch/alerts/alerts-store.ts'
import type { AlertCondition } from '../../src/watch/alerts/rules/alert-condition.ts'
import {
  fields,
  fingerprint,
  licenseId,
  order,
  pick,
  rarely,
  type Step,
  scope,
  steps,
  type World,
  words,
} from './world.ts'

const dedupKey = fc.constantFrom('disk_high:h1', 'job_failed:app:a')
const tenantId = fc.constantFrom('ten_a', 'ten_b')
const owner = fc.oneof(fc.constant(''), licenseId, licenseId)
// Not every action sends its actor to the database, so texts that no database accepts are left out.
const actor = fc.constantFrom('a', 'b', 'é😀')
const isRare = fc.nat(7).map((number) => number === 0)

const condition: fc.Arbitrary<AlertCondition> = fc
  .record({
    dedupKey,
    licenseId: owner,
    tenantId: rarely(tenantId),
    kind: fc.constantFrom(...ALERT_KINDS),
    severity: fc.constantFrom(...ALERT_SEVERITIES),
    summary: words,
    host: rarely(fc.record({ fingerprint, hostname: words })),
    details: fields,
    event: rarely(fc.constantFrom('event-1', 'event-2')),
  })
  .map(({ event, ...rest }) => (event === undefined ? rest : { ...rest, event }))

/** Decides one step of one key as an evaluation does, sometimes from outdated knowledge. */
const move = steps(
  'move alert',
  fc.record({
    condition,
    order,
    holds: fc.nat(9).map((number) => number < 6),
    isLate: isRare,
    isOverlapping: isRare,
    byHand: rarely(actor),
  }),
  ({ condition: given, order: place, holds, isLate, isOverlapping, byHand }) =>
    async (world) => {
      const now = world.clock.now()
      const { licenseId: license, dedupKey: key } = given
      const known = await world.fake.alerts.watches({ licenseId: license, dedupKey: key }, now)
      const watch = known.watches[0] ?? newAlertKey(given)
      const isHand = byHand !== undefined && watch.alert !== undefined && watch.alert.resolvedAt === undefined
      const found = holds && !isHand ? given : undefined
      const step = isHand ? resolvedByHand(watch, now) : nextStep(watch, found, now)
      const rest = {
        alertId: alertIdOf(world, step, watch, place),
        content: found === undefined ? undefined : contentOf(found),
        actor: isHand ? byHand : undefined,
        forget: watch.revision > 0 && isForgettable(watch, step, now),
      }
      const made = writeOf(watch, step, rest)
      const revision = isLate ? made.revision + 1 : made.revision
      const since = new Date(now.getTime() - (isOverlapping ? 60_000 : 0))
      return ({ alerts }, at) => alerts.move({ ...made, revision }, since, at)
    },
)

const contentOf = ({ kind, severity, summary, host, details, event }: AlertCondition): AlertContent => ({
  kind,
  severity,
  summary,
  host,
  details,
  event,
})

const alertIdOf = (world: World, { alert }: LifecycleStep, watch: AlertKey, place: number): string =>
  alert === 'open' ? world.id('alr', place) : (watch.alert?.id ?? '')

/** Returns ids of some alerts so far, or an absent one. */
async function alertIds(world: World, picks: readonly number[]): Promise<readonly string[]> {
  const known = await world.fake.alerts.list(PLATFORM, { limit: 50 }, world.clock.now())
  return picks.map((which) => known[which % (known.length + 1)]?.id ?? 'alr_absent')
}

const picks = fc.uniqueArray(pick, { minLength: 1, maxLength: 3 })

const act = steps(
  'act on alerts',
  fc.record({
    picks,
    action: fc.constantFrom('ack' as const, 'unack' as const, 'snooze' as const, 'unsnooze' as const),
    actor,
    seconds: rarely(fc.constantFrom(-1, 0, 60, 86_400)),
  }),
  ({ picks: which, action, actor, seconds }) =>
    async (world) => {
      const ids = [...new Set(await alertIds(world, which))]
      return async ({ alerts }, now) => {
        const until = seconds === undefined ? undefined : new Date(now.getTime() + seconds * 1000)
        return [...(await alerts.write({ ids, action, actor, until }, now))].sort()
      }
    },
)

const record = steps(
  'record alert action',
  fc.record({
    picks,
    order,
    actor: words,
    action: fc.constantFrom(...ALERT_ACTIONS),
    note: rarely(words),
    onlyNews: fc.boolean(),
  }),
  ({ picks: which, order: place, ...entry }) =>
    async (world) => {
      const ids = await alertIds(world, which)
      const entries = ids.map((alertId) => ({ ...entry, alertId, id: world.id('act', place) }))
      return async ({ alerts }, now) => {
        await alerts.record(entries, now)
        return alerts.actions(entries[0]?.alertId ?? '')
      }
    },
)

const list = steps(
  'list alerts',
  fc.record({
    scope,
    status: rarely(fc.constantFrom(...ALERT_STATUSES)),
    host: rarely(fc.oneof(fingerprint, words)),
    kind: rarely(fc.constantFrom(...ALERT_KINDS)),
    sinceSeconds: rarely(fc.constantFrom(0, 60, 3600)),
    after: rarely(fc.record({ pick, isResolved: fc.boolean() })),
    limit: fc.constantFrom(1, 3, 50),
  }),
  ({ scope: whose, after, sinceSeconds, ...filter }) =>
    async (world) => {
      const [id = ''] = after === undefined ? [] : await alertIds(world, [after.pick])
      const place = after === undefined ? {} : { after: { isResolved: after.isResolved, id } }
      return async ({ alerts }, now) => {
        const since = sinceSeconds === undefined ? undefined : new Date(now.getTime() - 1000 * sinceSeconds)
        return [
          await alerts.list(whose, { ...filter, ...place, since }, now),
          [...(await alerts.counts(now))].sort(),
        ]
      }
    },
)

const find = steps(
  'find alerts',
  fc.record({ picks, dedupKey, scope }),
  ({ picks: which, dedupKey: key, scope: whose }) =>
    async (world) => {
      const ids = await alertIds(world, which)
      return async ({ alerts }) => [await alerts.byIds(whose, ids), await alerts.byKey(whose, key)]
    },
)

const purge = steps(
  'purge alerts',
  fc.constantFrom(0, 0, 1, 90),
  (days) =>
    () =>
    ({ alerts }, now) =>
      alerts.purge(days, now),
)

const fact = steps(
  'note and read facts',
  fc.record({ licenseId, count: fc.constantFrom(0, 1, 500), gapSeconds: fc.constantFrom(0, 60, 180) }),
  (given) =>
    () =>
    async ({ alertFacts }, now) => {
      await alertFacts.addRefusals(given.licenseId, given.count, now)
      return [
        await alertFacts.refusals(now),
        await alertFacts.clones(now),
        await alertFacts.failures(3600, now),
        await alertFacts.evaluated(given.gapSeconds, now),
      ]
    },
)

/** Steps that change alerts, and the facts that alerts are derived from. */
export const alertSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 14, arbitrary: move },
  { weight: 3, arbitrary: act },
  { weight: 1, arbitrary: record },
  { weight: 2, arbitrary: list },
  { weight: 1, arbitrary: find },
  { weight: 1, arbitrary: purge },
  { weight: 2, arbitrary: fact },
]
