import { describe, expect, it } from '@jest/globals'
import {
  type AlertCondition,
  type AlertKey,
  FLAP_MS,
  isForgettable,
  newAlertKey,
  nextStep,
  REOPEN_MS,
  resolvedByHand,
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

/** One dedup key that is evaluated each minute of its own clock, and its notices in order. */
class Key {
  readonly clock = new FakeClock()
  readonly notices: string[] = []
  watch: AlertKey = newAlertKey(condition)
  #made = 0

  /** Runs one evaluation that finds the condition or does not; returns the resulting state of the alert. */
  tick(found: Partial<AlertCondition> | boolean): string {
    const seen = found === false ? undefined : { ...condition, ...(found === true ? {} : found) }
    return this.#take(nextStep(this.watch, seen, this.clock.advance({ minutes: 1 })), seen?.event)
  }

  /** Runs several evaluations; returns the state of the alert after each. */
  ticks(...found: readonly boolean[]): string[] {
    return found.map((each) => this.tick(each))
  }

  resolve(): void {
    this.#take(resolvedByHand(this.watch, this.clock.now()), undefined)
  }

  #take(step: ReturnType<typeof nextStep>, event: string | undefined): string {
    const { alert: old } = this.watch
    const isNew = step.alert === 'open'
    if (isNew) this.#made += 1
    if (step.notice !== undefined) this.notices.push(step.notice)
    const announced = step.notice !== undefined && step.notice !== 'resolved'
    const alert = {
      id: isNew ? `alr_${this.#made}` : (old?.id ?? ''),
      resolvedAt: step.alert === 'resolve' ? this.clock.now() : undefined,
      flapping: step.flapping,
      isAcknowledged: old?.isAcknowledged ?? false,
      isAnnounced: announced || (step.alert === 'keep' && (old?.isAnnounced ?? false)),
      event: event ?? old?.event,
    }
    this.watch = { ...this.watch, ...step.state, alert: step.alert === 'none' ? old : alert }
    return step.alert
  }
}

describe('the life of an alert', () => {
  it('opens at the second evaluation in a row, stays, and is resolved at the first without', () => {
    const key = new Key()
    expect(key.ticks(true, true, true, false, false)).toEqual(['none', 'open', 'keep', 'resolve', 'none'])
    expect(key.notices).toEqual(['firing', 'resolved'])
  })

  it('one evaluation is a blip, however often it comes', () => {
    const key = new Key()
    expect(new Set(key.ticks(true, false, true, false, true, false))).toEqual(new Set(['none']))
  })

  it('a condition that has to last waits for its time, not only for two evaluations', () => {
    const key = new Key()
    const found = Array.from({ length: 12 }, () => key.tick({ holdSeconds: 600 }))
    expect(found.indexOf('open')).toBe(10)
  })

  it('a condition known from before a host fell silent opens nothing, and keeps what is open', () => {
    const key = new Key()
    expect([key.tick({ isStale: true }), key.tick({ isStale: true })]).toEqual(['none', 'none'])
    key.ticks(true, true)
    expect(key.tick({ isStale: true })).toBe('keep')
  })

  it.each([
    [REOPEN_MS / 60_000 - 1, 'reopen', 'alr_1'],
    [REOPEN_MS / 60_000, 'open', 'alr_2'],
  ])('%i minutes after its resolve the condition makes it %s', (minutes, how, id) => {
    const key = new Key()
    key.ticks(true, true, false)
    key.clock.advance({ minutes: minutes - 2 })
    expect(key.ticks(true, true)).toEqual(['none', how])
    expect(key.watch.alert?.id).toBe(id)
  })

  it('four transitions in thirty minutes hold it open, with one notice', () => {
    const key = new Key()
    const opens = [true, true, false]
    expect(key.ticks(...opens, ...opens)).toEqual(['none', 'open', 'resolve', 'none', 'reopen', 'keep'])
    expect(key.watch.alert).toMatchObject({ flapping: true, resolvedAt: undefined })
    key.ticks(true, false, true, false, true, false)
    expect(key.watch.alert).toMatchObject({ flapping: true, resolvedAt: undefined })
    expect(key.notices).toEqual(['firing', 'resolved', 'firing', 'flapping'])
  })

  it('a flapping alert is resolved, and that announced, once its condition has been gone long enough', () => {
    const key = new Key()
    key.ticks(true, true, false, true, true, false)
    let minutes = 0
    while (key.tick(false) === 'keep') minutes += 1
    expect(minutes).toBeGreaterThan(20)
    expect(minutes).toBeLessThanOrEqual(FLAP_MS / 60_000)
    expect(key.notices.at(-1)).toBe('resolved')
  })

  it('a flapping alert whose condition settles stays open and says nothing more', () => {
    const key = new Key()
    key.ticks(true, true, false, true, true, false)
    const before = key.notices.length
    for (let minute = 0; minute < 40; minute += 1) expect(key.tick(true)).toBe('keep')
    expect(key.watch.alert).toMatchObject({ flapping: false })
    expect(key.notices).toHaveLength(before)
  })

  it('what opens under a snooze is announced when the snooze is over, and only while it is open', () => {
    const key = new Key()
    key.watch = { ...key.watch, snoozedUntil: new Date(key.clock.now().getTime() + 5 * 60_000) }
    key.ticks(true, true, true, true)
    expect(key.notices).toEqual([])
    key.ticks(true, true)
    expect(key.notices).toEqual(['firing'])
  })

  it('a snooze does not hold back the end of what was announced before it', () => {
    const key = new Key()
    key.ticks(true, true)
    key.watch = { ...key.watch, snoozedUntil: key.clock.advance({ hours: 1 }) }
    key.clock.advance({ hours: -1 })
    key.tick(false)
    expect(key.notices).toEqual(['firing', 'resolved'])
  })

  it('an event that a person has resolved does not come back, the next one does', () => {
    const key = new Key()
    key.tick({ event: 'job_1' })
    expect(key.tick({ event: 'job_1' })).toBe('open')
    key.resolve()
    expect([key.tick({ event: 'job_1' }), key.tick({ event: 'job_1' })]).toEqual(['none', 'none'])
    expect([key.tick({ event: 'job_2' }), key.tick({ event: 'job_2' })]).toEqual(['none', 'reopen'])
  })

  it('a state that a person has resolved comes back when it still holds', () => {
    const key = new Key()
    key.ticks(true, true)
    key.resolve()
    expect(key.ticks(true, true)).toEqual(['none', 'reopen'])
  })

  it('a key is forgotten when nothing of it matters any more, and not before', () => {
    const key = new Key()
    key.ticks(true, true, false)
    let minutes = 0
    const isOver = () => {
      const at = key.clock.advance({ minutes: 1 })
      const step = nextStep(key.watch, undefined, at)
      key.watch = { ...key.watch, ...step.state }
      return isForgettable(key.watch, step, at)
    }
    while (!isOver()) minutes += 1
    expect(minutes).toBeGreaterThanOrEqual(FLAP_MS / 60_000 - 1)
    const snoozed = { ...key.watch, snoozedUntil: key.clock.advance({ hours: 1 }) }
    key.clock.advance({ hours: -1 })
    const step = nextStep(snoozed, undefined, key.clock.now())
    expect(isForgettable(snoozed, step, key.clock.now())).toBe(false)
  })

  it('a key begins with nothing: no condition, no transition, no alert', () => {
    expect(newAlertKey(condition)).toMatchObject({ revision: 0, isPresent: false, transitions: [] })
  })

  it('the state says at each step whether the condition was there', () => {
    const key = new Key()
    const seen = [true, true, true, false, false].map((found) => {
      key.tick(found)
      return key.watch.isPresent
    })
    expect(seen).toEqual([true, true, true, false, false])
    key.ticks(true, true)
    key.resolve()
    expect(key.watch.isPresent).toBe(false)
  })

  it('an alert that a person has acknowledged says nothing when its snooze ends', () => {
    const key = new Key()
    key.watch = { ...key.watch, snoozedUntil: new Date(key.clock.now().getTime() + 3 * 60_000) }
    key.ticks(true, true)
    if (key.watch.alert) key.watch = { ...key.watch, alert: { ...key.watch.alert, isAcknowledged: true } }
    key.ticks(true, true, true)
    expect(key.notices).toEqual([])
  })

  it('the return of a condition under a flapping alert counts once, and its staying does not', () => {
    const key = new Key()
    key.ticks(true, true, false, true, true, false)
    const counts = [true, true, false, false].map((found) => {
      key.tick(found)
      return key.watch.transitions.length
    })
    expect(counts).toEqual([5, 5, 6, 6])
  })

  it('an alert flaps as long as four transitions are recent, and no longer', () => {
    const key = new Key()
    key.ticks(true, true, false, true, true, false, true)
    expect(key.watch.alert?.flapping).toBe(true)
    const [fourth = 0] = key.watch.transitions.slice(-4)
    const minutes = (fourth + FLAP_MS - key.clock.now().getTime()) / 60_000
    key.clock.advance({ minutes: minutes - 2 })
    key.tick(true)
    expect(key.watch.alert?.flapping).toBe(true)
    key.tick(true)
    expect(key.watch.alert?.flapping).toBe(false)
  })

  it('a person who resolves a flapping alert ends that too, and it is announced', () => {
    const key = new Key()
    key.ticks(true, true, false, true, true, false)
    key.resolve()
    expect(key.watch.alert?.flapping).toBe(false)
    expect(key.notices.at(-1)).toBe('resolved')
  })
})

describe('a key is kept', () => {
  const at = new FakeClock().now()
  const empty = nextStep(newAlertKey(condition), undefined, at)
  const state = (changed: Partial<typeof empty.state>) => ({
    ...empty,
    state: { ...empty.state, ...changed },
  })

  it.each([
    ['while the condition waits for its second tick', state({ pendingSince: at })],
    ['while a transition is recent', state({ transitions: [at.getTime()] })],
    ['while a dismissed event may come again', state({ dismissed: 'job_1' })],
    ['while its alert is open', { ...empty, alert: 'keep' as const }],
  ])('%s', (_, step) => {
    expect(isForgettable(newAlertKey(condition), step, at)).toBe(false)
  })

  it('else it is forgotten', () => {
    expect(isForgettable(newAlertKey(condition), empty, at)).toBe(true)
  })
})
