import { describe, expect, it } from '@jest/globals'
import {
  type AlertCondition,
  type AlertKey,
  alertStatus,
  FLAP_MS,
  isForgettable,
  type KeyedAlert,
  newAlertKey,
  nextStep,
  REOPEN_MS,
  resolvedByHand,
  TICKS_APART_MS,
} from '@svc/core/ports'
import { FakeClock } from '@svc/testing'

const condition: AlertCondition = {
  licenseId: 'lic_a',
  tenantId: undefined,
  dedupKey: 'host_offline:fp',
  kind: 'host_offline',
  severity: 'critical',
  summary: 'web-1 has not reported',
  host: undefined,
  details: {},
}

describe('at its exact instant, and a millisecond to each side', () => {
  const at = new FakeClock().now()
  const msAgo = (ms: number) => new Date(at.getTime() - ms)
  const open: KeyedAlert = {
    id: 'alr_1',
    resolvedAt: undefined,
    flapping: false,
    isAcknowledged: false,
    isAnnounced: false,
    event: undefined,
  }
  const watch = (fields: Partial<AlertKey>): AlertKey => ({
    ...newAlertKey(condition),
    revision: 1,
    ...fields,
  })

  it.each([
    [TICKS_APART_MS - 1, 'none'],
    [TICKS_APART_MS, 'open'],
    [TICKS_APART_MS + 1, 'open'],
  ])('a second tick that comes %i ms after the first: %s', (ms, alert) => {
    expect(nextStep(watch({ pendingSince: msAgo(ms), isPresent: true }), condition, at)).toMatchObject({
      alert,
    })
  })

  it.each([
    [599_999, 'none'],
    [600_000, 'open'],
    [600_001, 'open'],
  ])('a condition that has to hold for ten minutes and has held for %i ms: %s', (ms, alert) => {
    const lasting = { ...condition, holdSeconds: 600 }
    expect(nextStep(watch({ pendingSince: msAgo(ms), isPresent: true }), lasting, at)).toMatchObject({
      alert,
    })
  })

  it.each(['monitor_drift', 'dns_unreachable'] as const)('%s opens at the first tick', (kind) => {
    const confirmed = { ...condition, kind }
    expect(nextStep(newAlertKey(confirmed), confirmed, at)).toMatchObject({ alert: 'open', notice: 'firing' })
  })

  it.each([
    [1, undefined],
    [0, 'firing'],
    [-1, 'firing'],
  ])('a snooze that ends in %i ms: the opening and what is open tell %s', (ms, notice) => {
    const snoozedUntil = msAgo(-ms)
    const pending = { pendingSince: msAgo(60_000), isPresent: true, snoozedUntil }
    expect(nextStep(watch(pending), condition, at).notice).toBe(notice)
    expect(nextStep(watch({ alert: open, isPresent: true, snoozedUntil }), condition, at).notice).toBe(notice)
  })

  it.each([
    [1, 'snoozed'],
    [0, 'firing'],
    [-1, 'firing'],
  ])('a snooze that ends in %i ms shows as %s, in the rule as in the status', (ms, status) => {
    const snoozedUntil = msAgo(-ms)
    expect(alertStatus({ resolvedAt: undefined, snoozedUntil, ackExpiresAt: undefined }, at)).toBe(status)
    expect(
      alertStatus({ resolvedAt: undefined, snoozedUntil: undefined, ackExpiresAt: snoozedUntil }, at),
    ).toBe(status === 'snoozed' ? 'acknowledged' : 'firing')
    const step = nextStep(watch({ snoozedUntil }), undefined, at)
    expect(isForgettable(watch({ snoozedUntil }), step, at)).toBe(status === 'firing')
  })

  it.each([
    [FLAP_MS - 1, true],
    [FLAP_MS, false],
    [FLAP_MS + 1, false],
  ])('the first of four transitions was %i ms ago, flapping: %s', (ms, flapping) => {
    const transitions = [ms, 120_000, 60_000].map((each) => at.getTime() - each)
    const gone = nextStep(watch({ alert: open, isPresent: true, transitions }), undefined, at)
    expect(gone).toMatchObject({ alert: flapping ? 'keep' : 'resolve', flapping })
    const pending = { pendingSince: msAgo(60_000), isPresent: true, transitions }
    expect(nextStep(watch(pending), condition, at)).toMatchObject({
      notice: flapping ? 'flapping' : 'firing',
      flapping,
    })
    expect(resolvedByHand(watch({ alert: open, transitions }), at).state.transitions).toHaveLength(
      flapping ? 4 : 3,
    )
  })

  it.each([
    [REOPEN_MS - 1, 'reopen'],
    [REOPEN_MS, 'open'],
    [REOPEN_MS + 1, 'open'],
  ])('a condition that is back %i ms after its resolve: %s', (ms, alert) => {
    const back = { pendingSince: msAgo(60_000), isPresent: true, alert: { ...open, resolvedAt: msAgo(ms) } }
    expect(nextStep(watch(back), condition, at)).toMatchObject({ alert })
    const over = watch({ alert: { ...open, resolvedAt: msAgo(ms) } })
    expect(isForgettable(over, nextStep(over, undefined, at), at)).toBe(alert === 'open')
  })
})
