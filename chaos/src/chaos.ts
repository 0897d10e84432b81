import { plantedBug } from './bugs/plant.ts'
import { PLANTED } from './bugs/planted.ts'
import type { ChaosOptions } from './options.ts'
import { lackOfCluster } from './patroni/cluster.ts'
import { failovers } from './patroni/run.ts'
import { failoverTable } from './patroni/table.ts'
import { type RunReport, run } from './run.ts'
import { summary, total } from './summary.ts'

/** Outputs of a call: results go to `out`, lines about the run in progress to `progress`. */
export interface Said {
  readonly out: (text: string) => void
  readonly progress: (text: string) => void
}

/** A planted fault counts as missed if it is not found within this many seconds. */
const BUG_SECONDS = 120
const BUG_ROUND_SECONDS = 20
const NONE = { kills: 0, faults: 0 }

/** Runs the profiles or planted faults of `options`. Returns the exit code. */
export async function chaos(options: ChaosOptions, said: Said, over: AbortSignal): Promise<number> {
  if (options.bugs) return bugs(options, said, over)
  said.progress(`seed ${options.seed}`)
  if (options.failovers) return clusterFaults(options, said, over)
  if (options.bug !== undefined) return (await isFound(options, options.bug, said, over)) ? 0 : 1
  const reports: RunReport[] = []
  for (const profile of options.profiles) {
    const { storage, seed, bug, profiles, recoverySeconds: recoveryLimitSeconds } = options
    const seconds = options.seconds / profiles.length
    const least = {
      kills: options.least.kills / profiles.length,
      faults: options.least.faults / profiles.length,
    }
    const say = (line: string) => said.progress(`${profile}: ${line}`)
    const report = await run({ profile, storage, seconds, seed, bug, recoveryLimitSeconds, least, say, over })
    if (!options.json) said.out(summary(report))
    reports.push(report)
  }
  const { seed } = options
  said.out(
    options.json ? JSON.stringify({ seed, reports }, undefined, 2) : `${total(reports)} (seed ${seed})`,
  )
  const lack = lackOf(reports)
  if (lack !== undefined) said.out(`  evidence: ${lack}`)
  return lack !== undefined || reports.some(({ breaches }) => breaches.length > 0) ? 1 : 0
}

async function clusterFaults(
  { seed, only, json }: ChaosOptions,
  said: Said,
  over: AbortSignal,
): Promise<number> {
  const lack = lackOfCluster()
  if (lack !== undefined) {
    said.out(`failovers are not tried: ${lack}`)
    return 0
  }
  const report = await failovers({ seed, only, say: said.progress, over })
  said.out(json ? JSON.stringify(report, undefined, 2) : failoverTable(report))
  return report.breaches.length > 0 ? 1 : 0
}

/** Returns why all runs together show nothing, as a short run alone may lose no job; undefined if they do. */
export function lackOf(
  reports: readonly Pick<RunReport, 'reclaims' | 'acknowledgedLines' | 'messages'>[],
): string | undefined {
  const none = (field: 'reclaims' | 'acknowledgedLines' | 'messages') =>
    reports.every((report) => report[field] === 0)
  if (none('reclaims')) return 'no job was lost: the runs show nothing'
  if (none('acknowledgedLines')) return 'no line was acknowledged: the runs show nothing'
  return none('messages') ? 'no message arrived: the runs show nothing' : undefined
}

async function bugs(options: ChaosOptions, said: Said, over: AbortSignal): Promise<number> {
  let missed = 0
  for (const { name } of PLANTED) if (!(await isFound(options, name, said, over))) missed += 1
  said.out(`planted faults: ${PLANTED.length - missed} of ${PLANTED.length} found`)
  return missed === 0 ? 0 : 1
}

/** Runs with a planted fault, each round with another seed, until a round finds it or time is up. */
async function isFound(options: ChaosOptions, bug: string, said: Said, over: AbortSignal): Promise<boolean> {
  const { profile } = plantedBug(bug)
  const { storage, recoverySeconds: recoveryLimitSeconds } = options
  const seconds = Math.min(BUG_ROUND_SECONDS, options.seconds)
  let spent = 0
  for (let seed = options.seed; spent < BUG_SECONDS; seed += 1) {
    const say = (line: string) => said.progress(`${bug}: ${line}`)
    const report = await run({
      profile,
      storage,
      seconds,
      seed,
      bug,
      recoveryLimitSeconds,
      least: NONE,
      say,
      over,
    })
    spent += seconds
    const [first] = report.broken
    if (first === undefined) continue
    const rules = [...new Set(report.broken.map(({ rule }) => rule))]
    said.out(
      `found: ${bug}, after ${spent} s of ${profile} jobs, by ${rules.join(', ')}\n  ${first.evidence.slice(0, 300)}`,
    )
    return true
  }
  said.out(`NOT FOUND: ${bug}, in ${spent} s of ${profile} jobs`)
  return false
}
