import type { SimulationResult } from './simulate.ts'

const TRACE_LINES = 60

/**
 * A failed run for people: what broke, under which faults, how to see it again, and the end of its trace.
 * `flags` are what `npm run simulate` takes besides the seed to run the same.
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
