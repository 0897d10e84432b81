import { describe, expect, it } from '@jest/globals'
import {
  combine,
  type DnsReply,
  isDifference,
  type Judgement,
  judge,
  type Monitor,
  nextRunSeconds,
  type Observation,
} from '@svc/core/ports'
import { buildMonitor, FakeClock } from '@svc/testing'
import fc from 'fast-check'

const NOW = new FakeClock().now()
const A = ['192.0.2.1']
const B = ['192.0.2.2']
const C = ['192.0.2.3']

/** Returns a monitor that expects A, has confirmed it and has no trouble. */
const settled = (fields: Partial<Monitor> = {}): Monitor => ({
  ...buildMonitor(),
  createdAt: NOW,
  revision: 1,
  pausedAt: undefined,
  nextRunAt: NOW,
  lastRunAt: NOW,
  lastAnswerAt: NOW,
  expected: A,
  confirmed: A,
  pending: undefined,
  driftedAt: undefined,
  errorStreak: 0,
  error: undefined,
  unreachableAt: undefined,
  ...fields,
})
const fresh = (fields: Partial<Monitor> = {}) => settled({ confirmed: undefined, ...fields })

/** Returns the monitor as the store keeps it after a judgement. */
const after = (monitor: Monitor, { after: { drifted, unreachable, ...rest } }: Judgement): Monitor => ({
  ...monitor,
  ...rest,
  driftedAt: drifted ? (monitor.driftedAt ?? NOW) : undefined,
  unreachableAt: unreachable ? (monitor.unreachableAt ?? NOW) : undefined,
})

/** Runs a monitor on successive findings, with repeated queries as the rules require. */
function runs(monitor: Monitor, ...asked: (readonly string[] | 'error')[]): Judgement[] {
  const queue: Observation[] = asked.map((each) =>
    each === 'error' ? { error: 'timeout' } : { answer: each },
  )
  const judged: Judgement[] = []
  let state = monitor
  for (let first = queue.shift(); first !== undefined; first = queue.shift()) {
    const judgement = judge(state, first, isDifference(state, first) ? queue.shift() : undefined)
    judged.push(judgement)
    state = after(state, judgement)
  }
  return judged
}
const last = (judged: readonly Judgement[]) => judged.at(-1) as Judgement
const transitions = (judged: readonly Judgement[]) => judged.flatMap((each) => each.transitions)

const records = (...values: string[]): DnsReply => ({ status: 'records', records: values })
const NODATA: DnsReply = { status: 'nodata' }
const NXDOMAIN: DnsReply = { status: 'nxdomain' }
const SERVFAIL: DnsReply = { status: 'error', error: 'servfail' }

describe('what several resolvers say', () => {
  it('is their answer when they agree, in whatever order and spelling', () => {
    const replies = [records('2001:db8::1', '2001:DB8::2'), records('2001:db8:0::2', '2001:db8::1')]
    expect(combine('AAAA', replies)).toEqual({ answer: ['2001:db8::1', '2001:db8::2'] })
  })

  it('is inconsistent when two answers differ, also when one of them is empty', () => {
    expect(combine('A', [records('192.0.2.1'), records('192.0.2.2')])).toEqual({ error: 'inconsistent' })
    expect(combine('A', [records('192.0.2.1'), NXDOMAIN])).toEqual({ error: 'inconsistent' })
  })

  it('NXDOMAIN and NODATA are one empty answer', () => {
    expect(combine('A', [NXDOMAIN, NODATA])).toEqual({ answer: [] })
  })

  it('is the answer of those that answer; it is an error only when none does', () => {
    expect(combine('A', [SERVFAIL, records('192.0.2.1')])).toEqual({ answer: A })
    expect(combine('A', [SERVFAIL, SERVFAIL])).toEqual({ error: 'servfail' })
  })

  it('records that are not of the type are malformed', () => {
    expect(combine('A', [records('not an address')])).toEqual({ error: 'malformed' })
  })

  it('is the same whatever the order of resolvers and records', () => {
    const reply = fc.oneof(
      fc.subarray(['192.0.2.1', '192.0.2.2', '192.0.2.3'], { minLength: 1 }).map((some) => records(...some)),
      fc.constantFrom(NODATA, NXDOMAIN),
    )
    const orders = fc
      .array(reply, { minLength: 1, maxLength: 3 })
      .chain((some) => fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })))
    fc.assert(
      fc.property(orders, ([some, shuffled]) => expect(combine('A', shuffled)).toEqual(combine('A', some))),
    )
  })
})

describe('a run', () => {
  it('that finds what counts already asks once and changes nothing', () => {
    expect(isDifference(settled(), { answer: A })).toBe(false)
    expect(last(runs(settled(), A))).toMatchObject({ outcome: 'ok', changed: false, transitions: [] })
  })

  it('asks for a difference again before it counts', () => {
    expect(isDifference(settled(), { answer: B })).toBe(true)
    const judged = runs(settled(), B, B)
    expect(judged).toHaveLength(1)
    expect(last(judged)).toMatchObject({ outcome: 'drift', changed: true, transitions: ['drifted'] })
    expect(last(judged).after).toMatchObject({ confirmed: B, drifted: true, expected: A })
  })

  it('a difference that is gone when asked again is none', () => {
    expect(runs(settled(), B, A)).toMatchObject([{ outcome: 'unconfirmed', changed: false, transitions: [] }])
  })

  it('a difference that cannot be asked for again is an error, not drift', () => {
    expect(runs(settled(), B, 'error')).toMatchObject([{ outcome: 'error', changed: false, transitions: [] }])
  })

  it('a name that is gone is drift', () => {
    expect(last(runs(settled(), [], []))).toMatchObject({ outcome: 'drift', changed: true })
  })

  it('drift is announced once, however long it lasts', () => {
    expect(transitions(runs(settled(), B, B, B, B, B))).toEqual(['drifted'])
  })

  it('drift that moves on is a change, and no second drift', () => {
    const judged = runs(settled(), B, B, C, C)
    expect(judged.map(({ changed }) => changed)).toEqual([true, true])
    expect(transitions(judged)).toEqual(['drifted'])
  })

  it('a drift heals by itself, which is a change and asked for again too', () => {
    const judged = runs(settled(), B, B, A, A)
    expect(judged).toMatchObject([{ outcome: 'drift' }, { outcome: 'ok', changed: true }])
    expect(transitions(judged)).toEqual(['drifted', 'recovered'])
    expect(last(runs(settled(), B, B, A, B))).toMatchObject({ outcome: 'unconfirmed', transitions: [] })
  })

  it('counts as many runs in a row as confirmations', () => {
    const judged = runs(settled({ confirmations: 3 }), B, B, B, B, B, B)
    expect(judged.map(({ outcome }) => outcome)).toEqual(['unconfirmed', 'unconfirmed', 'drift'])
    expect(judged[1]?.after.pending).toEqual({ answer: B, fits: false, seen: 2 })
  })

  it('begins to count anew when the difference is gone in between', () => {
    const judged = runs(settled({ confirmations: 2 }), B, B, A, B, B, B, B)
    expect(judged.map(({ outcome }) => outcome)).toEqual(['unconfirmed', 'ok', 'unconfirmed', 'drift'])
  })

  it('wrong answers that keep moving are drift: that they are wrong is what is confirmed', () => {
    expect(last(runs(settled({ confirmations: 2 }), B, C, C, B))).toMatchObject({ outcome: 'drift' })
  })

  it('an error in between neither counts nor clears', () => {
    const judged = runs(settled({ confirmations: 2 }), B, B, 'error', B, B)
    expect(judged.map(({ outcome }) => outcome)).toEqual(['unconfirmed', 'error', 'drift'])
  })

  it('answers that move within what is expected are fine', () => {
    const pool = settled({ match: 'subset', expected: ['192.0.2.0/24'] })
    expect(runs(pool, B, C)).toMatchObject([{ outcome: 'ok', changed: false, transitions: [] }])
  })

  it('an answer that settles elsewhere within what is expected is a change and no drift', () => {
    const pool = settled({ match: 'subset', expected: ['192.0.2.0/24'] })
    expect(runs(pool, B, B)).toMatchObject([{ outcome: 'ok', changed: true, transitions: [] }])
  })

  it('the first answer is no change; one that is not as expected is drift', () => {
    expect(runs(fresh(), A)).toMatchObject([{ outcome: 'ok', changed: false }])
    expect(runs(fresh(), B, B)).toMatchObject([
      { outcome: 'drift', changed: false, transitions: ['drifted'] },
    ])
  })

  it('another expectation is judged against the same answer', () => {
    const judged = runs(settled({ expected: B }), A, A)
    expect(judged).toMatchObject([{ outcome: 'drift', changed: false, transitions: ['drifted'] }])
    const healed = runs(settled({ expected: B, confirmed: B, driftedAt: NOW }), B, B)
    expect(healed).toMatchObject([{ outcome: 'ok', changed: false, transitions: ['recovered'] }])
  })
})

describe('a baseline', () => {
  const baseline = fresh({ mode: 'baseline', expected: undefined })

  it('expects its first good answer from then on', () => {
    const judged = runs(baseline, B, A, A)
    expect(judged[0]).toMatchObject({ outcome: 'ok', changed: false, after: { expected: B, confirmed: B } })
    expect(judged[1]).toMatchObject({ outcome: 'drift', transitions: ['drifted'], after: { expected: B } })
  })

  it('waits for a name that has no records yet', () => {
    expect(runs(baseline, [], [], A).map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting', 'ok'])
  })

  it('takes nothing from an error', () => {
    expect(last(runs(baseline, 'error')).after).toMatchObject({ expected: undefined, confirmed: undefined })
  })
})

describe('errors', () => {
  it('are never drift, and never recovery', () => {
    expect(last(runs(settled(), 'error')).after).toMatchObject({
      confirmed: A,
      drifted: false,
      errorStreak: 1,
    })
    const drifted = settled({ driftedAt: NOW, confirmed: B })
    expect(last(runs(drifted, 'error')).after).toMatchObject({ confirmed: B, drifted: true })
  })

  it('three in a row make a monitor unreachable, once', () => {
    const judged = runs(settled(), 'error', 'error', 'error', 'error')
    expect(judged.map((each) => each.transitions)).toEqual([[], [], ['unreachable'], []])
  })

  it('two and an answer do not', () => {
    expect(transitions(runs(settled(), 'error', 'error', A, 'error', 'error'))).toEqual([])
  })

  it('any answer makes it reachable again, before anything else it says', () => {
    const down = settled({ errorStreak: 5, unreachableAt: NOW, error: 'timeout' })
    expect(last(runs(down, A))).toMatchObject({ transitions: ['reachable'], after: { errorStreak: 0 } })
    expect(transitions(runs(down, B, B))).toEqual(['reachable', 'drifted'])
  })

  it('inconsistent resolvers count like any other', () => {
    const answer: Observation = { error: 'inconsistent' }
    expect(judge(settled({ errorStreak: 2 }), answer, undefined)).toMatchObject({
      outcome: 'error',
      transitions: ['unreachable'],
      after: { error: 'inconsistent' },
    })
  })
})

describe('over any sequence of answers and errors', () => {
  const asked = fc.array(fc.constantFrom<readonly string[] | 'error'>(A, B, C, [], 'error'), {
    maxLength: 60,
  })
  const monitor = fc.record({ confirmations: fc.integer({ min: 1, max: 5 }), isBaseline: fc.boolean() })
  const made = ({ confirmations, isBaseline }: { confirmations: number; isBaseline: boolean }) =>
    fresh({ confirmations, ...(isBaseline ? { mode: 'baseline', expected: undefined } : {}) })

  it('drift and recovery take turns, and so do silence and its end', () => {
    fc.assert(
      fc.property(monitor, asked, (parts, sequence) => {
        const seen = transitions(runs(made(parts), ...sequence))
        const ofZone = seen.filter((kind) => kind === 'drifted' || kind === 'recovered')
        const ofServers = seen.filter((kind) => kind === 'unreachable' || kind === 'reachable')
        expect(ofZone.every((kind, at) => kind === (at % 2 === 0 ? 'drifted' : 'recovered'))).toBe(true)
        expect(ofServers.every((kind, at) => kind === (at % 2 === 0 ? 'unreachable' : 'reachable'))).toBe(
          true,
        )
      }),
    )
  })

  it('a monitor has drifted exactly while the answer that counts is not as expected', () => {
    fc.assert(
      fc.property(monitor, asked, (parts, sequence) => {
        let expected: readonly string[] | undefined = parts.isBaseline ? undefined : A
        for (const { after: state } of runs(made(parts), ...sequence)) {
          expected ??= state.expected
          expect(state.expected).toEqual(expected)
          if (state.confirmed !== undefined) {
            expect(state.drifted).toBe(JSON.stringify(state.confirmed) !== JSON.stringify(expected))
          }
        }
      }),
    )
  })

  it('a change means another answer that counts, and nothing else does', () => {
    fc.assert(
      fc.property(monitor, asked, (parts, sequence) => {
        let counted: readonly string[] | undefined
        for (const { changed, after: state } of runs(made(parts), ...sequence)) {
          const differs = JSON.stringify(state.confirmed) !== JSON.stringify(counted)
          expect(changed).toBe(counted !== undefined && differs)
          counted = state.confirmed
        }
      }),
    )
  })
})

describe('the next run', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

  it('is spread by 5 % around the interval, and no further', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 86_400 }), unit, (interval, at) => {
        const seconds = nextRunSeconds(interval, undefined, at)
        expect(seconds).toBeGreaterThanOrEqual(interval * 0.95)
        expect(seconds).toBeLessThanOrEqual(interval * 1.05)
      }),
    )
    expect(nextRunSeconds(300, undefined, 0)).toBe(285)
    expect(nextRunSeconds(300, undefined, 0.5)).toBe(300)
  })

  it('comes within a minute while a difference waits to be confirmed', () => {
    const pending = { answer: B, fits: false, seen: 1 }
    expect(nextRunSeconds(86_400, pending, 0.5)).toBe(60)
    expect(nextRunSeconds(60, pending, 0.5)).toBe(60)
  })
})
