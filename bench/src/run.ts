import { tmpdir } from 'node:os'
import { Bench } from './bench.ts'
import { judge } from './measure/judge.ts'
import { machineFacts } from './measure/machine.ts'
import { type Outcome, type Pace, type Progress, runScenario } from './measure/run-scenario.ts'
import type { Options } from './options.ts'
import { DURABLE_SETTINGS } from './postgres.ts'
import { type Conditions, currentCommit, keepResult, resultOf } from './report/results.ts'
import { tableOf } from './report/table.ts'
import type { Scenario } from './scenario.ts'
import { versions } from './versions.ts'

/** Outputs of a run. */
export interface RunOutput {
  readonly out: (text: string) => void
  readonly progress: Progress
}

const TRIES = 3
const MISSES_THAT_FAIL = 2

/** Runs scenarios one after the other and returns the names of those that failed. */
export async function run(
  scenarios: readonly Scenario[],
  options: Options,
  output: RunOutput,
): Promise<readonly string[]> {
  const failed: string[] = []
  // The commit is read once, so that a commit in the middle of a run does not split its results.
  const commit = currentCommit()
  for (const scenario of scenarios) {
    const once = () => runOnce(scenario, options, output, commit)
    try {
      const isGood = options.isGate ? await passesGates(once) : await once().then(() => true)
      if (!isGood) failed.push(scenario.name)
    } catch (error) {
      // A scenario with a wrong answer has no figures; the other scenarios still have theirs.
      output.progress(`FAILED  ${error instanceof Error ? error.message : String(error)}`)
      failed.push(scenario.name)
    }
  }
  return failed
}

/**
 * Returns true when the first try reaches all goals, or else two of three tries do: one miss may be noise.
 */
async function passesGates(once: () => Promise<boolean>): Promise<boolean> {
  let misses = 0
  for (let tries = 1; tries <= TRIES; tries += 1) {
    if (!(await once())) misses += 1
    if (misses >= MISSES_THAT_FAIL) return false
    if (tries - misses >= MISSES_THAT_FAIL || misses === 0) return true
  }
  return true
}

async function runOnce(
  scenario: Scenario,
  options: Options,
  { out, progress }: RunOutput,
  commit: string,
): Promise<boolean> {
  await using bench = new Bench({ isSmall: options.isSmall })
  const pace = paceOf(scenario, options)
  const outcome = await runScenario(bench, scenario, pace, progress)
  const result = resultOf(outcome, await conditionsOf(bench, pace, commit))
  if (options.isKept) keepResult(result)
  out(options.isJson ? JSON.stringify(result) : `${tableOf(outcome, judge(outcome))}\n`)
  return isPassed(outcome)
}

const isPassed = (outcome: Outcome): boolean => judge(outcome).every(({ isMet }) => isMet !== false)

const paceOf = (
  scenario: Scenario,
  { rounds, seconds, warmSeconds, isSmall, isProfiled }: Options,
): Pace => ({
  rounds: Math.min(rounds, scenario.rounds ?? rounds),
  seconds: isSmall ? seconds : (scenario.seconds ?? seconds),
  warmSeconds,
  isProfiled,
})

async function conditionsOf(bench: Bench, pace: Pace, commit: string): Promise<Conditions> {
  const postgres = await bench.startedPostgres()
  return {
    at: new Date().toISOString(),
    commit,
    machine: machineFacts(tmpdir()),
    pace,
    postgres: postgres?.version,
    settings: DURABLE_SETTINGS,
    versions: versions(),
  }
}
