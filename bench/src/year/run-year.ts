import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { KeptYears, keptFolder } from './kept-years.ts'
import { measureCases, measureTasks } from './measure-year.ts'
import { yearReads } from './reads.ts'
import { yearSizes } from './year-rows.ts'
import { openSide } from './year-side.ts'
import { type YearResult, yearTable } from './year-table.ts'

/** Usage text of the comparison. */
export const YEAR_USAGE = `npm run bench -- year [options]: each statement on a year of history, beside none

  --scale N       share of the full year: 20,000 hosts, 3,000,000 jobs (1/30)
  --rounds N      times that each case is timed on each side (9)
  --only TEXT     only reads whose name holds this text
  --keep DIR      where filled databases are kept between runs
  --all           show every read
  --json          one JSON document instead of tables`

const DEFAULT_SCALE = 1 / 30
const DEFAULT_ROUNDS = 9
const TICKS = 3
/** Rows of each kind without history: a page of a list, since answers of one length are compared. */
const PAGE = 200

/** Options of the comparison. */
export interface YearOptions {
  readonly scale: number
  readonly rounds: number
  readonly only: string
  readonly folder: string
  readonly isWhole: boolean
  readonly isJson: boolean
}

/**
 * Reads the arguments behind `year`.
 * @throws Error for an unknown flag, and for a number that cannot be used
 */
export function readYearOptions(args: readonly string[]): YearOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scale: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string', default: '' },
      keep: { type: 'string', default: keptFolder() },
      all: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const rounds = Number(values.rounds ?? DEFAULT_ROUNDS)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number above 0')
  return {
    scale: scaleOf(values.scale),
    rounds,
    only: values.only,
    folder: values.keep,
    isWhole: values.all,
    isJson: values.json,
  }
}

/** Reads `0.25` or `1/4`. */
function scaleOf(given: string | undefined): number {
  if (given === undefined) return DEFAULT_SCALE
  const [share = Number.NaN, parts = 1, ...more] = given.split('/').map(Number)
  const scale = share / parts
  if (more.length > 0 || !(scale > 0 && scale <= 1))
    throw new Error('--scale must be above 0 and at most 1: 1/30')
  return scale
}

/** Outputs of a run. */
export interface YearOutput {
  readonly out: (text: string) => void
  readonly progress: (line: string) => void
}

/** Compares a year with none; returns whether every goal is met. */
export async function runYear(
  { scale, rounds, only, folder, isWhole, isJson }: YearOptions,
  { out, progress }: YearOutput,
): Promise<boolean> {
  await using years = await KeptYears.open(folder, progress)
  const name = `year_${Math.round(1e6 * scale)}`
  const urls = {
    year: await years.copy(name, yearSizes(scale)),
    empty: await years.copy(`${name}_empty`, yearSizes(scale, 0, PAGE)),
  }
  await using year = await openSide('year', urls.year)
  await using empty = await openSide('empty', urls.empty)
  const sides = { year, empty }
  progress(
    `PostgreSQL ${years.version}, load ${loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')}`,
  )
  const tasks = await measureTasks(sides, TICKS)
  const reads = yearReads().reads.filter((read) => read.name.includes(only))
  const cases = await measureCases(sides, reads, rounds, progress)
  const result: YearResult = { scale, cases, tasks }
  out(isJson ? JSON.stringify(result) : yearTable(result, isWhole))
  return [...cases, ...tasks].every(({ misses }) => !misses)
}
