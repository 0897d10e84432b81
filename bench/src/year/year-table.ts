import { rounded } from '../report/table.ts'
import type { CaseResult, TaskResult } from './measure-year.ts'

/** All figures of a run. */
export interface YearResult {
  readonly scale: number
  readonly cases: readonly CaseResult[]
  readonly tasks: readonly TaskResult[]
}

type Cells = readonly string[]

function lines(rows: readonly Cells[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  )
}

const word = (misses: boolean): string => (misses ? 'MISSED' : 'met')

/** The tables of a run, for people: the frequent requests, the reads that are slowest or miss, the tasks. */
export function yearTable({ scale, cases, tasks }: YearResult, isWhole: boolean): string {
  const timed = cases.filter(({ error }) => error === undefined)
  const hot = timed.filter(({ name }) => !/^[a-z-]+\./.test(name))
  const reads = timed
    .filter((each) => !hot.includes(each))
    .toSorted((one, other) => other.year.medianMs - one.year.medianMs)
  const shown = isWhole ? reads : reads.filter((each, at) => at < SLOWEST || each.misses)
  const head = ['case', 'year ms', 'p99', 'empty ms', 'p99', 'ratio', '']
  const row = ({ name, year, empty, misses }: CaseResult): Cells => [
    name,
    rounded(year.medianMs),
    rounded(year.p99Ms),
    rounded(empty.medianMs),
    rounded(empty.p99Ms),
    rounded(year.medianMs / empty.medianMs),
    word(misses),
  ]
  const taskRows = tasks.map(
    ({ name, firstMs, yearMs, emptyMs, misses }): Cells => [
      name,
      rounded(firstMs),
      rounded(yearMs),
      rounded(emptyMs),
      word(misses),
    ],
  )
  const missed = [...timed, ...tasks].filter(({ misses }) => misses).length
  return [
    ...lines([head, ...hot.map(row), ...shown.map(row)]),
    `${reads.length} reads; their refusals, which are not timed: ${cases.length - timed.length}`,
    '',
    ...lines([['task of the tick', 'first ms', 'year ms', 'empty ms', ''], ...taskRows]),
    '',
    `a year at scale 1/${rounded(1 / scale)}: ${missed} of ${timed.length + tasks.length} goals missed`,
  ].join('\n')
}

/** Reads that a table shows beside those that miss a goal. */
const SLOWEST = 12
