import type { Hotspots } from '../measure/hotspots.ts'
import { figureOf, type Verdict } from '../measure/judge.ts'
import type { Outcome } from '../measure/run-scenario.ts'
import { median, pairedRatio, type Spread } from '../measure/statistics.ts'

type Cells = readonly string[]

const COLUMNS: readonly (readonly [string, string, (value: number) => string])[] = [
  ['ops/s', 'perSecond', (value) => rounded(value)],
  ['p50 ms', 'p50', (value) => milliseconds(value)],
  ['p99 ms', 'p99', (value) => milliseconds(value)],
  ['node µs', 'nodeMicros', (value) => rounded(value)],
  ['db µs', 'postgresMicros', (value) => rounded(value)],
  ['stmts', 'statements', (value) => value.toFixed(2)],
  ['WAL B', 'walBytes', (value) => rounded(value)],
  ['RSS MiB', 'rssMib', (value) => rounded(value)],
]

/** A number with three digits that count, and no more than a reader needs. */
export function rounded(value: number): string {
  const size = Math.abs(value)
  if (size >= 100) return String(Math.round(value))
  return value.toFixed(size >= 10 ? 1 : 2)
}

const milliseconds = (micros: number): string => rounded(micros / 1000)

/** `2.63 (2.41..2.90)` */
export const spread = ({ median: middle, min, max }: Spread): string =>
  `${rounded(middle)} (${rounded(min)}..${rounded(max)})`

/** The table of one scenario, for people. */
export function tableOf(outcome: Outcome, verdicts: readonly Verdict[]): string {
  const { scenario, rounds, skipped } = outcome
  const head = ['variant', 'ratio (min..max)', 'cpu ratio', ...COLUMNS.map(([title]) => title)]
  const body = Object.keys(rounds).map((variant) => [
    variant === scenario.baseline ? `${variant} *` : variant,
    ratioTo(outcome, variant, 'perSecond'),
    ratioTo(outcome, variant, 'cpuMicros'),
    ...COLUMNS.map(([, figure, show]) => cell(figureOf(outcome, variant, figure), show)),
  ])
  const absent = Object.entries(skipped).map(([variant, reason]) => `  skipped: ${variant}: ${reason}`)
  return [
    `${scenario.name}: ${scenario.question}`,
    ...aligned([head, ...body]).map((line) => `  ${line}`),
    ...absent,
    ...extras(outcome),
    ...Object.entries(outcome.hotspots ?? {}).flatMap(hotspotLines),
    ...verdicts.map((verdict) => `  ${verdictLine(verdict)}`),
  ].join('\n')
}

/** How a gate came out, in one line. */
export function verdictLine({ gate, value, pieces, isMet }: Verdict): string {
  const { goal, figure, of, over, atLeast, atMost } = gate
  const what = over === undefined ? `${figure} of ${of}` : `${figure} of ${of} over ${over}`
  const limit = [atLeast === undefined ? '' : `≥ ${atLeast}`, atMost === undefined ? '' : `≤ ${atMost}`].join(
    '',
  )
  const word = isMet === undefined ? 'NOT RUN' : isMet ? 'met' : 'MISSED'
  return `${word}  ${goal}: ${what} ${limit}, is ${value === undefined ? '?' : spread(value)}${pieces === undefined ? '' : `, its pieces alone ${spread(pieces)}`}`
}

function ratioTo(outcome: Outcome, variant: string, figure: string): string {
  const own = figureOf(outcome, variant, figure)
  const base = figureOf(outcome, outcome.scenario.baseline, figure)
  return own === undefined || base === undefined ? '' : spread(pairedRatio(own, base))
}

const cell = (values: readonly number[] | undefined, show: (value: number) => string): string =>
  values === undefined ? '' : show(median(values))

// Figures of a scenario's own have no column: a line for each.
function extras(outcome: Outcome): readonly string[] {
  const usual = new Set([...COLUMNS.map(([, figure]) => figure), 'max', 'cpuMicros'])
  return Object.entries(outcome.rounds).flatMap(([variant, rounds]) =>
    Object.keys(rounds[0] ?? {})
      .filter((figure) => !usual.has(figure))
      .map((figure) => `  ${variant}: ${figure} ${cell(figureOf(outcome, variant, figure), rounded)}`),
  )
}

const PLACES_SHOWN = 16

// Main-thread time is counted by the place of the running code, not by its callers.
const hotspotLines = ([variant, micros]: [string, Hotspots]): readonly string[] => [
  `  ${variant}, main thread, µs an operation: ${rounded(Object.values(micros).reduce((a, b) => a + b, 0))}`,
  ...Object.entries(micros)
    .slice(0, PLACES_SHOWN)
    .map(([place, each]) => `    ${rounded(each).padStart(6)}  ${place}`),
]

function aligned(rows: readonly Cells[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
