import { simulationReport } from './report.ts'
import { shrink } from './shrink.ts'
import { type SimulationOptions, type SimulationResult, simulate } from './simulate.ts'

/** A seed that was run, and what is to be said of it. */
export interface ToldSeed {
  readonly result: SimulationResult
  /** Undefined: every promise held. */
  readonly report: string | undefined
}

/**
 * Runs a seed, and shrinks and traces it when it breaks a promise. `flags` are what `npm run simulate` takes
 * besides the seed to run the same.
 */
export async function tellSeed(options: SimulationOptions, flags = ''): Promise<ToldSeed> {
  const result = await simulate(options)
  if (result.violation === undefined) return { result, report: undefined }
  const shrunk = await shrink(options, result.violation.rule)
  return { result, report: simulationReport(options.seed, result, shrunk.result, flags) }
}
