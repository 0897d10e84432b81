import type { RunReport } from './run.ts'

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const number = (value: number): string => value.toLocaleString('en-US')

/** Returns the number of processes killed by the run. */
export const killsOf = ({ kills }: RunReport): number => kills.servers + kills.agents + kills.postgres
/** Returns the number of faults of all kinds, kills included. */
export const faultsOf = ({ faults }: RunReport): number => sum(Object.values(faults))

/** Formats one run in a few lines, with the broken promises and their evidence last. */
export function summary(report: RunReport): string {
  const { kills, faults } = report
  const kinds = Object.entries(faults)
    .sort(([, one], [, other]) => other - one)
    .map(([kind, count]) => `${kind} ${count}`)
  const figures = [
    `${report.profile}, ${report.seconds.toFixed(0)} s of faults: ${number(report.requests)} requests, ${number(report.jobs)} jobs, ${number(report.acknowledgements)} acknowledgements`,
    `  kills: ${killsOf(report)} (servers ${kills.servers}, agents ${kills.agents}, PostgreSQL ${kills.postgres})`,
    `  faults: ${number(faultsOf(report))} (${kinds.join(', ')})`,
    `  lines: ${number(report.acknowledgedLines)} acknowledged, ${number(report.storedLines)} stored; reclaims: ${report.reclaims}`,
    `  messages to endpoints: ${number(report.messages)} accepted, ${number(report.repeatedMessages)} of all came more than once`,
    `  recovery: ${report.recoverySeconds.toFixed(1)} s after the last fault (at most ${report.recoveryLimitSeconds.toFixed(1)}); the queue was empty after ${report.drainSeconds.toFixed(1)} s`,
    `  violations: ${report.breaches.length}`,
  ]
  return [...figures, ...report.breaches.map(({ rule, evidence }) => `    ${rule}: ${evidence}`)].join('\n')
}

/** Formats all runs of one call in one line. */
export function total(reports: readonly RunReport[]): string {
  const kills = sum(reports.map(killsOf))
  const faults = sum(reports.map(faultsOf))
  const lines = sum(reports.map(({ acknowledgedLines }) => acknowledgedLines))
  const violations = sum(reports.map(({ breaches }) => breaches.length))
  const recovery = Math.max(...reports.map(({ recoverySeconds }) => recoverySeconds))
  return `chaos: ${kills} kills, ${number(faults)} faults, ${number(lines)} acknowledged lines, recovery within ${recovery.toFixed(1)} s, ${violations} violations`
}
