import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { mayTake } from './turns.js'

// At the end names the storage runs, by the titles of the contract suites (`jobs store on PostgreSQL 18.4`,
// `… on PGlite`, `… on memory`), and each failed test in one line, and tells scripts/test.mjs the counts for
// the very last line.
const BACKEND = /\bon (PostgreSQL(?: \d[\d.]*)?|PGlite|memory)\b/

/** The backend that a test's titles name, or undefined. */
export function backendOf(titles) {
  for (const title of titles) {
    const found = BACKEND.exec(title)
    if (found) return found[1]
  }
  return undefined
}

function tally(suites) {
  const runs = new Map()
  for (const { ancestorTitles, title, status } of suites.flatMap((suite) => suite.testResults)) {
    const backend = backendOf([...ancestorTitles, title])
    if (!backend) continue
    const run = runs.get(backend) ?? { passed: 0, failed: 0, skipped: 0 }
    run[status === 'passed' || status === 'failed' ? status : 'skipped']++
    runs.set(backend, run)
  }
  return runs
}

function spell({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** The first line of an error, without the colours of a terminal. */
const firstLine = ({ message, stack }) =>
  stripVTControlCharacters(message || stack || '')
    .trim()
    .split('\n', 1)[0]

/** One line for each failed test, and for each suite that failed outside its tests. */
function failures(suites) {
  return suites.flatMap(({ testFilePath, testExecError, testResults }) => {
    const file = relative(process.cwd(), testFilePath)
    const failed = testResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `failed: ${file}: ${fullName}`)
    return testExecError
      ? [`failed: ${file}: outside its tests: ${firstLine(testExecError)}`, ...failed]
      : failed
  })
}

/** The suites that failed, with the failures that they count. */
function failingOf(suites) {
  return suites
    .filter(({ testExecError, numFailingTests }) => testExecError || numFailingTests > 0)
    .map(({ testFilePath, testExecError, numFailingTests }) => ({
      file: relative(process.cwd(), testFilePath),
      failed: numFailingTests + (testExecError ? 1 : 0),
    }))
}

/** One line for each suite that should take turns, after a run of many. */
function withoutTurns(suites) {
  if (suites.length < MANY) return []
  return suites.flatMap(({ testFilePath, perfStats: { runtime } }) => {
    const [file, seconds] = [relative(process.cwd(), testFilePath), Math.round(runtime / 1000)]
    return mayTake(file, seconds) ? [] : [`takes ${seconds} s and no turns (test/turns.js): ${file}`]
  })
}

// The short ring has fewer suites.
const MANY = 300

export default class Reporter {
  onRunComplete(_contexts, results) {
    const runs = [...tally(results.testResults)].sort(([one], [other]) => one.localeCompare(other))
    if (runs.length > 0) {
      process.stdout.write('\nStorage runs:\n')
      for (const [backend, run] of runs) process.stdout.write(`  ${backend.padEnd(16)} ${spell(run)}\n`)
    }
    for (const line of withoutTurns(results.testResults)) process.stdout.write(`${line}\n`)
    for (const line of failures(results.testResults)) process.stdout.write(`${line}\n`)
    const counts = {
      passed: results.numPassedTests,
      // A suite that could not even load is a failure of its own.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    }
    process.send?.({ counts, failing: failingOf(results.testResults) })
  }
}
