import { simulationReport } from './report.ts'
import { shrink } from './shrink.ts'
import { type SimulationOptions, type SimulationResult, simulate } from './simulate.ts'

/** The result of a seed, and the report if it broke a promise. */
export interface ToldSeed {
  readonly result: SimulationResult
  /** The report of a broken promise; undefined if every promise held. */
  readonly report: string | undefined
}

/**
 * Runs a seed; if it breaks a promise, shrinks and traces the run. `flags` are the options besides the seed
 * for `npm run simulate` to repeat the run.
 */
export async function tellSeed(options: SimulationOptions, flags = ''): Promise<ToldSeed> {
  const result = await simulate(options)
  if (result.violation === undefined) return { result, report: undefined }
  const shrunk = await shrink(options, result.violation.rule)
  return { result, report: simulationReport(options.seed, result, shrunk.result, flags) }
}
