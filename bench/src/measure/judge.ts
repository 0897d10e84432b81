import type { Gate } from '../scenario.ts'
import type { Outcome } from './run-scenario.ts'
import { pairedRatio, type Spread, spreadOf } from './statistics.ts'

/** The verdict on a gate. */
export interface Verdict {
  readonly gate: Gate
  /** Undefined when a variant did not run. */
  readonly value: Spread | undefined
  /** The same of the gate's pieces. Undefined when it names none, or they did not run. */
  readonly pieces: Spread | undefined
  readonly isMet: boolean | undefined
}

/** Holds an outcome against the gates of its scenario: medians of ratios that are taken round by round. */
export const judge = (outcome: Pick<Outcome, 'scenario' | 'rounds'>): readonly Verdict[] =>
  outcome.scenario.gates.map((gate) => {
    const value = gateValue(outcome, gate)
    const pieces = gate.pieces === undefined ? undefined : gateValue(outcome, { ...gate, of: gate.pieces })
    return { gate, value, pieces, isMet: value === undefined ? undefined : isWithin(gate, value.median) }
  })

/** Returns one figure of a variant over the rounds; undefined when it was not measured. */
export function figureOf(
  { rounds }: Pick<Outcome, 'rounds'>,
  variant: string,
  figure: string,
): readonly number[] | undefined {
  const values = (rounds[variant] ?? []).map((figures) => figures[figure])
  const given = values.filter((value) => value !== undefined)
  return given.length === 0 || given.length < values.length ? undefined : given
}

function gateValue(outcome: Pick<Outcome, 'rounds'>, { figure, of, over }: Gate): Spread | undefined {
  const values = figureOf(outcome, of, figure)
  if (values === undefined) return undefined
  if (over === undefined) return spreadOf(values)
  const others = figureOf(outcome, over, figure)
  return others === undefined ? undefined : pairedRatio(values, others)
}

const isWithin = ({ atLeast, atMost }: Gate, value: number): boolean =>
  (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost)
