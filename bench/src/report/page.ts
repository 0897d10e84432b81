import { readFileSync, writeFileSync } from 'node:fs'
import { figureOf, type Verdict } from '../measure/judge.ts'
import { median, pairedRatio } from '../measure/statistics.ts'
import type { Result } from './results.ts'
import { rounded, spread } from './table.ts'

/** The page of all tables. */
export const PAGE = new URL('../../results/README.md', import.meta.url).pathname

const BEGIN = '<!-- tables: npm run bench -- --report writes them -->'
const END = '<!-- end of tables -->'

/** Load average for each core that a run causes by itself. */
const LOAD_OF_A_RUN = 2.5
const BUSY =
  '**Other work took most of the machine meanwhile: these ratios are a check of the benchmark, not results.** '

const FIGURES: Readonly<Record<string, string>> = {
  perSecond: 'operations a second',
  cpuMicros: 'processor time an operation',
  nodeMicros: "Node's processor time an operation",
  serverMicros: "the database's time an operation",
  buffers: 'pages read an operation',
  diskBytesPerLine: 'disk a line',
  memoryGrowth: 'memory at the end over the beginning',
  errors: 'errors',
  idleKib: 'memory of an idle session',
}

/** Writes the tables of `results` between the marks of the page. @throws Error when the page has no marks */
export function writePage(results: readonly Result[], path: string = PAGE): void {
  const page = readFileSync(path, 'utf8')
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error(`${path} has no marks for its tables`)
  const tables = tablesOf(results)
  writeFileSync(path, `${page.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${page.slice(end)}`)
}

/**
 * Returns the conditions, the goals and every comparison, as Markdown. It gives ratios only, because figures
 * of two machines do not compare.
 */
export const tablesOf = (results: readonly Result[]): string =>
  [conditions(results), '## Goals', goals(results), '## Comparisons', ...results.map(comparison)].join('\n\n')

function conditions(results: readonly Result[]): string {
  const [first] = results
  if (first === undefined) return 'Nothing was measured yet.'
  const { machine, pace, postgres, versions, commit, at } = first
  const loads = results.map((result) => result.machine.load[0] ?? 0)
  const readings = results.flatMap(({ machine: { jsonMicros } }) => jsonMicros ?? [])
  const speed = `a document of JSON read and written within ${Math.min(...readings)} to ${Math.max(...readings)} µs, `
  const rounds = median(results.map((result) => result.pace.rounds))
  const longer = results
    .filter((result) => result.pace.rounds > rounds)
    .map((result) => `\`${result.scenario}\`: ${result.pace.rounds}`)
  const later = results.filter((result) => result.commit !== commit)
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return [
    `Measured ${at.slice(0, 'yyyy-mm-dd'.length)} at commit \`${commit}\`${later.map(({ scenario, commit }) => `, \`${scenario}\` at \`${commit}\``).join('')}: ${machine.cores} cores (${machine.model}), `,
    `${machine.memoryGib} GiB, ${machine.system}, Node ${machine.node}, PostgreSQL ${postgres ?? 'not used'}, `,
    `half of the synchronous writes within ${machine.fdatasyncMicros} µs, ${readings.length === 0 ? '' : speed}${rounds} rounds${longer.length === 0 ? '' : ` (${longer.join(', ')})`} of ${pace.seconds} s. `,
    `Load average after each scenario, the scenario's own included: `,
    `${rounded(Math.min(...loads))} to ${rounded(Math.max(...loads))}. `,
    median(loads) > machine.cores * LOAD_OF_A_RUN ? BUSY : '',
    `${names.join(', ')}.`,
  ].join('')
}

function goals(results: readonly Result[]): string {
  const rows = results.flatMap(({ scenario, verdicts }) =>
    verdicts.map((verdict) => {
      const { gate, isMet } = verdict
      const word = isMet === undefined ? 'not run' : isMet ? 'yes' : '**no**'
      const against = gate.over === undefined ? 'the limit' : gate.over
      const what = `${FIGURES[gate.figure] ?? gate.figure} of ${gate.of}`
      const alone = verdict.pieces === undefined ? '' : spread(verdict.pieces)
      return [`\`${scenario}\``, what, against, limitOf(verdict), measured(verdict), alone, word]
    }),
  )
  const head = ['Scenario', 'What', 'Against', 'Goal', 'Ratio (min..max)', 'Its pieces alone', 'Reached']
  return markdown(head, rows)
}

function limitOf({ gate }: Verdict): string {
  const { over, atLeast, atMost } = gate
  // A limit that is not a ratio is shown as one: the share of the limit that was used.
  if (over === undefined && atMost !== undefined) return atMost === 0 ? 'none' : '≤ 1'
  return atLeast === undefined ? `≤ ${rounded(atMost ?? 0)}` : `≥ ${rounded(atLeast)}`
}

function measured({ gate, value }: Verdict): string {
  if (value === undefined) return ''
  const { over, atMost = 0 } = gate
  if (over !== undefined || atMost === 0) return spread(value)
  return spread({ median: value.median / atMost, min: value.min / atMost, max: value.max / atMost })
}

function comparison(result: Result): string {
  const { scenario, question, rounds, skipped, baseline } = result
  const outcome = { rounds }
  const ratio = (variant: string, figure: string): string => {
    const own = figureOf(outcome, variant, figure)
    const base = figureOf(outcome, baseline, figure)
    return own === undefined || base === undefined ? '' : spread(pairedRatio(own, base))
  }
  const rows = Object.keys(rounds).map((variant) => [
    variant,
    ...(variant === baseline
      ? ['1', '1', '1']
      : ['perSecond', 'cpuMicros', 'p99'].map((name) => ratio(variant, name))),
  ])
  const absent = Object.entries(skipped).map(([variant, reason]) => `Not run: ${variant} (${reason}).`)
  const head = ['', 'Operations a second', 'Processor time an operation', 'p99']
  return [`### ${scenario}`, `${question}.`, markdown(head, rows), ...absent, ...profiles(result)].join(
    '\n\n',
  )
}

/**
 * A baseline that takes less than this, in microseconds, is no measure for the others: for example,
 * PostgreSQL's time of a baseline without a database.
 */
const IDLE_MICROS = 0.1

/** Places that take less than this share of the baseline's time are counted together. */
const LEAST_SHARE = 0.04

/** Tables of the time on main threads and in PostgreSQL. */
const profiles = ({ hotspots, statementTimes, baseline }: Result): readonly string[] => [
  ...profile('Time on the main thread, an operation, by where the code stands', hotspots, baseline),
  ...profile("PostgreSQL's time in statements, an operation, by what they do", statementTimes, baseline),
]

/** Returns a table of times by variant and place, in percent of the baseline's total. */
function profile(title: string, times: Result['hotspots'] = {}, baseline: string): readonly string[] {
  const whole = sum(Object.values(times[baseline] ?? {}))
  if (whole < IDLE_MICROS) return []
  const variants = Object.entries(times)
  const share = (micros: number) => micros / whole
  const places = [...new Set(variants.flatMap(([, micros]) => Object.keys(micros)))]
  const [large, small] = [[] as string[], [] as string[]]
  for (const place of places) {
    const most = Math.max(...variants.map(([, micros]) => share(micros[place] ?? 0)))
    ;(most >= LEAST_SHARE ? large : small).push(place)
  }
  const row = (name: string, summed: readonly string[]) => [
    name,
    ...variants.map(
      ([, micros]) => `${rounded(100 * share(sum(summed.map((place) => micros[place] ?? 0))))} %`,
    ),
  ]
  const rows = [row('all', places), ...large.map((place) => row(place, [place])), row('the rest', small)]
  return [
    `${title}; the baseline's whole is 100 %:`,
    markdown(['', ...variants.map(([variant]) => variant)], rows),
  ]
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const markdown = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
