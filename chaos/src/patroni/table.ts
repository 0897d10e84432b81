import type { FailoverReport, Figure } from './run.ts'

const second = (seconds: number): string => seconds.toFixed(1)

/** The span of a figure over all times that a fault was inflicted. */
function span(figures: readonly Figure[], of: (figure: Figure) => number): string {
  const sorted = figures.map(of).sort((one, other) => one - other)
  const [least = 0, most = 0] = [sorted.at(0), sorted.at(-1)]
  return sorted.length === 1 ? second(least) : `${second(least)}–${second(most)}`
}

/** The table of failovers as the page has it, and the broken promises. */
export function failoverTable({ figures, breaches, jobs, acknowledgements, hosts }: FailoverReport): string {
  const names = [...new Set(figures.map(({ name }) => name))]
  const rows = names.map((name) => {
    const own = figures.filter((figure) => figure.name === name)
    const cells = [
      span(own, ({ stoodStill }) => stoodStill),
      span(own, ({ lastHost }) => lastHost),
      span(own, ({ withoutJobs }) => withoutJobs),
    ]
    return `| ${name} | ${own.length} | ${cells.join(' | ')} |`
  })
  return [
    '| Fault | Times | Hosts stood still, s | The last host after that, s | No host was given a job, s |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `failovers: ${figures.length} faults, ${hosts} hosts, ${jobs} jobs, ${acknowledgements} acknowledgements, ${breaches.length} violations`,
    ...breaches.map(({ rule, evidence }) => `    ${rule}: ${evidence}`),
  ].join('\n')
}
