import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The result of running suites. */
export interface Outcome {
  readonly verdict: 'passed' | 'failed' | 'broken' | 'hung'
  /** The first test that failed, or the reason why the suites gave no result. */
  readonly why: string
  readonly seconds: number
}

/** The fields of jest's report that are read. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
const REPORT = 'planted-report.json'

/** How suites are run. */
export interface RunOptions {
  /** A server whose user may create databases: starting one for each run would take a second each time. */
  readonly databaseUrl: string
  /** A run that takes longer has not come to an end. */
  readonly patienceMs: number
}

/** Runs suites of the checkout in `folder`. */
export async function runSuites(
  folder: string,
  suites: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const report = join(folder, REPORT)
  rmSync(report, { force: true })
  const started = performance.now()
  const jest = [
    'node_modules/jest/bin/jest.js',
    '--maxWorkers=1',
    '--bail=1',
    '--json',
    `--outputFile=${report}`,
  ]
  const isOver = await ended([...FLAGS, ...jest, ...suites], folder, options)
  const seconds = (performance.now() - started) / 1000
  return isOver ? { ...judged(report), seconds } : { verdict: 'hung', why: 'the suites did not end', seconds }
}

function judged(file: string): Omit<Outcome, 'seconds'> {
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return { verdict: 'broken', why: 'the run left no report' }
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.find(({ status }) => status === 'failed')
  if (failed !== undefined) return { verdict: 'failed', why: failed.fullName }
  const broken = report.testResults.find(({ message }) => message !== '')
  if (broken !== undefined) return { verdict: 'broken', why: `${broken.name}: ${broken.message}` }
  if (report.numPassedTests === 0) return { verdict: 'broken', why: 'no test ran' }
  return { verdict: 'passed', why: '' }
}

// A process group of its own, so that a run that is broken off is ended with all that it has started.
function ended(
  args: readonly string[],
  cwd: string,
  { databaseUrl, patienceMs }: RunOptions,
): Promise<boolean> {
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const child = spawn(process.execPath, args, { cwd, env, stdio: 'ignore', detached: true })
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  process.on('exit', kill)
  return new Promise((resolve, reject) => {
    let isOver = true
    const timer = setTimeout(() => {
      isOver = false
      kill()
    }, patienceMs)
    child.on('error', reject).on('close', () => {
      clearTimeout(timer)
      process.off('exit', kill)
      resolve(isOver)
    })
  })
}
