import type { Bench } from '../bench.ts'
import { type Done, type Running, type Scenario, Skipped, type Variant } from '../scenario.ts'
import { type Figures, figuresOf, type Totals } from './figures.ts'
import type { Hotspots } from './hotspots.ts'
import { interleaved } from './interleave.ts'
import { type StatementTimes, timesBetween } from './statement-times.ts'

/** Number and length of the rounds of a scenario. */
export interface Pace {
  readonly rounds: number
  readonly seconds: number
  readonly warmSeconds: number
  /** Whether an additional last round, whose figures do not count, samples where the time goes. */
  readonly isProfiled?: boolean
}

/** Results of a scenario: the figures of each variant that ran, round by round. */
export interface Outcome {
  readonly scenario: Scenario
  readonly rounds: Readonly<Record<string, readonly Figures[]>>
  /** Variants that did not run on this machine, and why. */
  readonly skipped: Readonly<Record<string, string>>
  /**
   * Main-thread time of each variant by place, in microseconds per operation; absent unless it was asked for.
   */
  readonly hotspots?: Readonly<Record<string, Hotspots>>
  /** PostgreSQL's time of each variant by statement, in microseconds per operation. */
  readonly statementTimes?: Readonly<Record<string, StatementTimes>>
}

/** The time of each variant by place and by statement. */
type Profile = Required<Pick<Outcome, 'hotspots' | 'statementTimes'>>

/** Receives lines that tell how far a run is. */
export type Progress = (line: string) => void

interface Started {
  readonly variant: Variant
  readonly running: Running
  counted: number
}

/**
 * Measures all variants of a scenario, interleaved round by round.
 * @throws Error when a variant answered wrongly or did not do the work that it counted
 */
export async function runScenario(
  bench: Bench,
  scenario: Scenario,
  pace: Pace,
  progress: Progress,
): Promise<Outcome> {
  const started: Started[] = []
  const skipped: Record<string, string> = {}
  try {
    for (const variant of scenario.variants) {
      progress(`${scenario.name}: starting ${variant.name}`)
      try {
        started.push({ variant, running: await variant.start(bench), counted: 0 })
      } catch (error) {
        if (!(error instanceof Skipped)) throw error
        skipped[variant.name] = error.message
      }
    }
    const rounds = await measured(bench, scenario, started, pace, progress)
    const profile = pace.isProfiled === true ? await profiled(bench, scenario, started, pace, progress) : {}
    for (const { variant, running, counted } of started) {
      await running.check?.(counted).catch((cause) => fail(scenario, variant, cause))
    }
    return { scenario, rounds, skipped, ...profile }
  } finally {
    for (const { running } of started) await running.stop()
  }
}

async function measured(
  bench: Bench,
  scenario: Scenario,
  started: readonly Started[],
  pace: Pace,
  progress: Progress,
): Promise<Readonly<Record<string, readonly Figures[]>>> {
  const rounds = Object.fromEntries(started.map(({ variant }) => [variant.name, [] as Figures[]]))
  if (scenario.isCold !== true && pace.warmSeconds > 0) {
    for (const each of started) {
      await each.running.prepare?.()
      await work(scenario, each, pace.warmSeconds)
    }
  }
  for (const [round, order] of interleaved(started, pace.rounds).entries()) {
    progress(`${scenario.name}: round ${round + 1} of ${pace.rounds}`)
    for (const each of order) {
      await each.running.prepare?.()
      const before = await totals(bench, each.running)
      const done = await work(scenario, each, pace.seconds)
      if (done.operations === 0) fail(scenario, each.variant, new Error('nothing was done'))
      const after = await totals(bench, each.running)
      rounds[each.variant.name]?.push(figuresOf(done, before, after))
    }
  }
  return rounds
}

async function profiled(
  bench: Bench,
  scenario: Scenario,
  started: readonly Started[],
  pace: Pace,
  progress: Progress,
): Promise<Profile> {
  const hotspots: Record<string, Hotspots> = {}
  const statementTimes: Record<string, StatementTimes> = {}
  for (const each of started) {
    const { variant, running } = each
    if (running.hotspots === undefined) continue
    progress(`${scenario.name}: where the time of ${variant.name} goes`)
    await running.prepare?.()
    const postgres = await bench.startedPostgres()
    const before = await postgres?.statementTimes()
    let operations = 0
    const micros = await running.hotspots(async () => {
      operations = (await work(scenario, each, pace.seconds)).operations
    })
    const after = await postgres?.statementTimes()
    hotspots[variant.name] = Object.fromEntries(
      Object.entries(micros).map(([place, total]) => [place, total / operations]),
    )
    if (before !== undefined && after !== undefined) {
      statementTimes[variant.name] = timesBetween(before, after, operations)
    }
  }
  return { hotspots, statementTimes }
}

async function work(scenario: Scenario, started: Started, seconds: number): Promise<Done> {
  const { variant, running } = started
  const done = await running.work(seconds)
  const faults = Object.entries(done.faults ?? {})
  if (faults.length > 0) {
    fail(scenario, variant, new Error(faults.map(([what, count]) => `${count} × ${what}`).join(', ')))
  }
  started.counted += done.answered ?? done.operations
  return done
}

async function totals(bench: Bench, running: Running): Promise<Totals> {
  const usage = await running.usage?.()
  return { usage, postgres: await (await bench.startedPostgres())?.totals() }
}

function fail(scenario: Scenario, { name }: Variant, cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new Error(`${scenario.name}, ${name}: ${reason}`, { cause })
}
