// `npm test`: installs if needed, then runs the short ring (test/ring.json), or with `--all` every suite.
// Other arguments go to jest: `npm test -- packages/core/test/work/jobs`. The last line is always `N passed,
// N failed` (`, N skipped` if there are any); a run without tests fails. After a run of all suites those that
// failed run once more, alone: one that passes then is named behind the counts (`; flaky: SUITE`), and
// belongs into test/flaky.md.
import { constants } from 'node:os'
import { SAMPLES } from '../test/turns.js'
import { onceMore } from './flaky.mjs'
import { ensureInstalled, runNode } from './project.mjs'
import { ramFolder } from './ram-folder.mjs'

ensureInstalled()

// The whole run also tests the built command; the others need only the sources.
const given = process.argv.slice(2)
const isWhole = given.includes('--all') || (given.length === 0 && process.env.SVC_TEST_ALL === '1')
const chosen = given.filter((argument) => argument !== '--all')
if (isWhole && chosen.length > 0) {
  console.log('npm test -- --all runs every suite: leave the paths out, or leave --all out.')
  process.exit(2)
}
const isRing = !isWhole && chosen.length === 0
if (isWhole && (await runNode(['node_modules/typescript/bin/tsc', '-b'])) !== 0) {
  console.log('The build failed: see the messages above.')
  console.log('0 passed, 1 failed')
  process.exit(1)
}

// These are arguments and not NODE_OPTIONS, which the processes that suites start would inherit.
// V8 would keep the compiled modules of finished suites, and optimize WebAssembly that a suite runs for
// seconds.
const flags = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  '--no-compilation-cache',
  '--liftoff-only',
]
const ENDING_MS = 15_000
// A suite that runs once more has the same part of its tables.
process.env.SVC_TEST_SAMPLE ??= String(Math.floor(Math.random() * SAMPLES))
const folder = ramFolder()

/** Runs suites, all without arguments. Returns the exit code, the counts, and the suites that failed. */
async function run(suites) {
  let counts = { passed: 0, failed: 0, skipped: 0 }
  let failing = []
  const code = await runNode([...flags, 'node_modules/jest/bin/jest.js', ...suites], {
    environment: {
      SVC_TEST_SAMPLE: process.env.SVC_TEST_SAMPLE,
      ...(isRing && { SVC_TEST_SUITES: 'ring' }),
      ...(folder && { TMPDIR: folder }),
    },
    onMessage: (message, child) => {
      if (!message?.counts) return
      ;({ counts, failing } = message)
      // All tests have run. A leak, reported above, may keep the process open: it must not hold up others.
      setTimeout(() => child.kill('SIGKILL'), ENDING_MS).unref()
    },
  })
  return { code, counts, failing }
}

const whole = await run(chosen)
const { flaky, counts } = isWhole ? await onceMore(whole, run) : { flaky: [], counts: whole.counts }
const exitCode = flaky.length > 0 && counts.failed === 0 ? 0 : whole.code

const signal = Object.entries(constants.signals).find(([, number]) => exitCode === 128 + number)?.[0]
if (signal !== undefined) console.log(`The run was ended by ${signal}.`)
const { passed, failed, skipped } = counts
const empty = passed + failed === 0
if (empty) console.log('No test ran: that is a failure.')
else if (exitCode !== 0 && failed === 0)
  console.log(`Every test passed, yet the run ended with code ${exitCode}.`)
const faults = exitCode !== 0 || empty ? Math.max(failed, 1) : failed
const seen =
  flaky.length > 0 ? `; flaky: ${flaky.join(' ')} (SVC_TEST_SAMPLE=${process.env.SVC_TEST_SAMPLE})` : ''
console.log(`${passed} passed, ${faults} failed${skipped > 0 ? `, ${skipped} skipped` : ''}${seen}`)
process.exitCode = faults > 0 ? exitCode || 1 : 0
