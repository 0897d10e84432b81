import type { SimulationResult } from './simulate.ts'

const TRACE_LINES = 60

/**
 * Returns the report of a failed run: the broken promise, the faults, the command that repeats the run, and
 * the end of its trace. `flags` are the options besides the seed for `npm run simulate` to repeat the run.
 */
export function simulationReport(
  seed: number,
  found: SimulationResult,
  shrunk?: SimulationResult,
  flags = '',
): string {
  const { violation, scenario } = found
  if (violation === undefined) return `seed ${seed}: every promise held`
  const { faults, ...sizes } = shrunk?.scenario ?? scenario
  const traced = shrunk ?? found
  return [
    `seed ${seed} breaks: ${violation.rule}`,
    `  ${violation.detail}`,
    `  after ${(violation.atMs / 1000).toFixed(3)} simulated seconds; faults: ${scenario.faults.join(', ') || 'none'}`,
    ...(shrunk === undefined
      ? []
      : [`shrunk to: ${JSON.stringify(sizes)}; faults: ${faults.join(', ') || 'none'}`]),
    ...(shrunk?.violation === undefined ? [] : [`  ${shrunk.violation.detail}`]),
    ...traced.trace.slice(-TRACE_LINES),
    `repeat it: npm run simulate -- ${flags === '' ? '' : `${flags} `}--seed ${seed}`,
  ].join('\n')
}
