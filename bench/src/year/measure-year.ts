import { median } from '../measure/statistics.ts'
import type { YearRead } from './reads.ts'
import { hotCases, readCases, tickOf, type YearCase, type YearSide } from './year-side.ts'

/** A case may take so many times as long after a year. */
export const MOST_RATIO = 1.25
/** If the answer is longer after a year, it may take so much more. */
export const MORE_MS = 5
/** Medians that are nearer than this are the same: a turn of the scheduler, a collection of garbage. */
const NOISE_MS = 0.5
/** A task of the tick with nothing to do. */
export const MOST_TASK_MS = 1000
/** They let the old rows of a year go for minutes, as long as their turn is. */
const LETS_GO: ReadonlySet<string> = new Set(['jobs-retention', 'retention'])
/** A case that misses is measured again, with so many times the rounds. */
const AGAIN = 4
const WARM = 2

/** Times of a case on one side. */
export interface SideTimes {
  readonly medianMs: number
  readonly p99Ms: number
  /** Length of the answer as JSON. */
  readonly chars: number
}

/** A case on both sides. */
export interface CaseResult {
  readonly name: string
  readonly year: SideTimes
  readonly empty: SideTimes
  readonly misses: boolean
  /** The refusal or failure, if there was one: nothing was timed then. */
  readonly error?: string
}

/** A task of the tick on both sides, in milliseconds; `firstMs`: at the first tick after a year. */
export interface TaskResult {
  readonly name: string
  readonly firstMs: number
  readonly yearMs: number
  readonly emptyMs: number
  readonly misses: boolean
}

/** Both sides of a comparison. */
export interface Sides {
  readonly year: YearSide
  readonly empty: YearSide
}

/** The nearest rank of the highest hundredth. */
const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(0.99 * values.length) - 1] ?? Number.NaN

/** Times a case in turns, `rounds` times on each side. */
async function timed(one: YearCase, sides: Sides, rounds: number): Promise<readonly [SideTimes, SideTimes]> {
  const times = { year: [] as number[], empty: [] as number[] }
  const chars = { year: 0, empty: 0 }
  for (let round = -WARM; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['year', 'empty'] as const) : (['empty', 'year'] as const)
    for (const side of order) {
      const prepared = await one.prepare?.(sides[side])
      const start = performance.now()
      const answer = await one.run(sides[side], prepared)
      const took = performance.now() - start
      if (round >= 0) times[side].push(took)
      else chars[side] = JSON.stringify(answer ?? null).length
    }
  }
  const of = (side: keyof Sides): SideTimes => ({
    medianMs: median(times[side]),
    p99Ms: p99(times[side]),
    chars: chars[side],
  })
  return [of('year'), of('empty')]
}

/** Whether a figure of the year keeps its goal beside the same of the empty database. */
const keeps = (year: number, empty: number, moreMs: number): boolean =>
  year <= MOST_RATIO * empty || year - empty <= moreMs

/**
 * Whether a case misses a goal, by its median and its p99. The p99 of a shared machine is due to its other
 * programs: it may always be so much more.
 */
export const missesGoal = (year: SideTimes, empty: SideTimes): boolean =>
  !keeps(year.medianMs, empty.medianMs, year.chars > empty.chars ? MORE_MS : NOISE_MS) ||
  !keeps(year.p99Ms, empty.p99Ms, MORE_MS)

async function measured(one: YearCase, sides: Sides, rounds: number): Promise<CaseResult> {
  const { name } = one
  try {
    const [year, empty] = await timed(one, sides, rounds)
    if (!missesGoal(year, empty)) return { name, year, empty, misses: false }
    const [again, beside] = await timed(one, sides, AGAIN * rounds)
    return { name, year: again, empty: beside, misses: missesGoal(again, beside) }
  } catch (error) {
    const nothing = { medianMs: Number.NaN, p99Ms: Number.NaN, chars: 0 }
    return { name, year: nothing, empty: nothing, misses: false, error: String(error) }
  }
}

/** Times the frequent requests together, since each needs the one before, and then all reads one by one. */
export async function measureCases(
  sides: Sides,
  reads: readonly YearRead[],
  rounds: number,
  progress: (line: string) => void,
): Promise<readonly CaseResult[]> {
  const results = await measureHot(sides, AGAIN * rounds)
  for (const [at, read] of reads.entries()) {
    if (at % 50 === 0) progress(`read ${at} of ${reads.length}`)
    for (const one of readCases(read)) results.push(await measured(one, sides, rounds))
  }
  return results
}

async function measureHot(sides: Sides, rounds: number): Promise<CaseResult[]> {
  const cases = hotCases()
  const times = new Map(cases.map((one) => [one, { year: [] as number[], empty: [] as number[] }]))
  for (let round = -WARM; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['year', 'empty'] as const) : (['empty', 'year'] as const)
    for (const one of cases)
      for (const side of order) {
        const prepared = await one.prepare?.(sides[side])
        const start = performance.now()
        await one.run(sides[side], prepared)
        if (round >= 0) times.get(one)?.[side].push(performance.now() - start)
      }
  }
  return [...times].map(([{ name }, taken]) => {
    const of = (side: keyof Sides): SideTimes => ({
      medianMs: median(taken[side]),
      p99Ms: p99(taken[side]),
      chars: 0,
    })
    const [year, empty] = [of('year'), of('empty')]
    return { name, year, empty, misses: missesGoal(year, empty) }
  })
}

/** Runs the tick on both sides, `rounds` times after a first one that settles the rest of a year. */
export async function measureTasks(sides: Sides, rounds: number): Promise<readonly TaskResult[]> {
  const first = await tickOf(sides.year)
  await tickOf(sides.empty)
  const ticks: { readonly year: ReadonlyMap<string, number>; readonly empty: ReadonlyMap<string, number> }[] =
    []
  for (let round = 0; round < rounds; round += 1)
    ticks.push({ year: await tickOf(sides.year), empty: await tickOf(sides.empty) })
  const msOf = (side: keyof Sides, task: string) =>
    1000 * median(ticks.map((tick) => tick[side].get(task) ?? Number.NaN))
  return [...first].map(([name, seconds]) => {
    const yearMs = msOf('year', name)
    return {
      name,
      firstMs: 1000 * seconds,
      yearMs,
      emptyMs: msOf('empty', name),
      misses: yearMs > MOST_TASK_MS && !LETS_GO.has(name),
    }
  })
}
