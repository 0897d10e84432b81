import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judge, type Verdict } from '../measure/judge.ts'
import type { MachineFacts } from '../measure/machine.ts'
import type { Outcome, Pace } from '../measure/run-scenario.ts'
import type { Scenario } from '../scenario.ts'

/** Folder of the raw results. */
export const RESULTS_FOLDER = new URL('../../results', import.meta.url).pathname

/** Conditions under which a scenario was run. */
export interface Conditions {
  readonly at: string
  readonly commit: string
  readonly machine: MachineFacts
  readonly pace: Pace
  readonly postgres: string | undefined
  readonly settings: Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, string>>
}

/** One scenario's line in a file of results. */
export interface Result extends Conditions {
  readonly scenario: string
  readonly question: string
  readonly baseline: string
  readonly rounds: Outcome['rounds']
  readonly skipped: Outcome['skipped']
  readonly hotspots?: Outcome['hotspots']
  readonly statementTimes?: Outcome['statementTimes']
  readonly verdicts: readonly Verdict[]
}

/** Returns the measured commit, with `-dirty` when files differ from it; `unknown` outside a repository. */
export function currentCommit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '-dirty'}`
  } catch {
    return 'unknown'
  }
}

/** Returns an outcome as it is stored. */
export function resultOf(outcome: Outcome, conditions: Conditions): Result {
  const { scenario, rounds, skipped, hotspots, statementTimes } = outcome
  const { name, question, baseline } = scenario
  return {
    scenario: name,
    ...conditions,
    question,
    baseline,
    rounds,
    skipped,
    hotspots,
    statementTimes,
    verdicts: judge(outcome),
  }
}

/** Appends a result to `<day>-<commit>.jsonl`. */
export function keepResult(result: Result, folder: string = RESULTS_FOLDER): void {
  mkdirSync(folder, { recursive: true })
  const day = result.at.slice(0, 'yyyy-mm-dd'.length)
  appendFileSync(join(folder, `${day}-${result.commit}.jsonl`), `${JSON.stringify(result)}\n`)
}

/** Returns the latest result of each scenario in the file that was written last. */
export function newestResults(folder: string = RESULTS_FOLDER): readonly Result[] {
  const results = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readResults(join(folder, name)))
  const newest = results.toSorted((a, b) => latest(a).localeCompare(latest(b))).at(-1) ?? []
  return [...new Map(newest.map((result) => [result.scenario, result])).values()]
}

/**
 * Judges a result by the current goals of its scenario. A result whose scenario no longer exists stays as it
 * was.
 */
export function judgedAnew(result: Result, scenarios: readonly Scenario[]): Result {
  const scenario = scenarios.find(({ name }) => name === result.scenario)
  return scenario === undefined ? result : { ...result, verdicts: judge({ ...result, scenario }) }
}

const readResults = (path: string): readonly Result[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Result)

const latest = (results: readonly Result[]): string => results.at(-1)?.at ?? ''
