import { describe, expect, test } from '@jest/globals'
import { figuresOf } from '../src/measure/figures.ts'
import { judge } from '../src/measure/judge.ts'
import type { Outcome } from '../src/measure/run-scenario.ts'
import type { Gate } from '../src/scenario.ts'

const outcome = (gate: Gate, rounds: Outcome['rounds']): Outcome => ({
  scenario: { name: 's', question: 'q', variants: [], baseline: 'slow', gates: [gate] },
  rounds,
  skipped: {},
})
const rates = (...values: readonly number[]) => values.map((perSecond) => ({ perSecond }))

describe('gates', () => {
  const gate: Gate = { goal: 'g', figure: 'perSecond', of: 'quick', over: 'slow', atLeast: 2 }

  test.each([
    ['met when the median ratio reaches the limit', [20, 10, 40], true],
    ['missed when most rounds are below it, however good the others are', [19, 10, 900], false],
  ])('are %s', (_, quick, isMet) => {
    const rounds = { quick: rates(...quick), slow: rates(10, 10, 10) }
    expect(judge(outcome(gate, rounds))).toMatchObject([{ isMet }])
  })

  test('without a second variant hold the figure itself', () => {
    const limit: Gate = { goal: 'g', figure: 'perSecond', of: 'quick', atMost: 5 }
    expect(judge(outcome(limit, { quick: rates(5) }))).toMatchObject([{ isMet: true }])
    expect(judge(outcome(limit, { quick: rates(6) }))).toMatchObject([{ isMet: false }])
  })

  test('are neither met nor missed when a variant did not run', () => {
    const [verdict] = judge(outcome(gate, { quick: rates(1) }))
    expect(verdict).toEqual({ gate, value: undefined, pieces: undefined, isMet: undefined })
  })
})

describe('figures of a round', () => {
  const totals = (cpuMicros: number, database: number, statements: number) => ({
    usage: { cpuMicros, rssBytes: 2 ** 20 },
    postgres: { cpuMicros: database, statements, walBytes: 0 },
  })

  test('rates count what ended in time, costs are shared by all that was answered', () => {
    const done = { operations: 100, answered: 110, seconds: 2 }
    const figures = figuresOf(done, totals(0, 1000, 0), totals(2200, 2100, 11))
    expect(figures).toMatchObject({ perSecond: 50, nodeMicros: 20, postgresMicros: 10, cpuMicros: 30 })
    expect(figures).toMatchObject({ statements: 0.1, rssMib: 1 })
  })

  test('what was not looked at is absent, not 0', () => {
    const nothing = { usage: undefined, postgres: undefined }
    expect(figuresOf({ operations: 1, seconds: 1 }, nothing, nothing)).toEqual({ perSecond: 1 })
  })
})
