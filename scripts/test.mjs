// `npm test`: installs if needed, then runs every suite. Arguments go to jest: `npm test --
// packages/core/test/jobs`. The last line is always `N passed, N failed` (`, N skipped` if there are any);
// a run without tests fails.
import { ensureInstalled, runNode } from './project.mjs'
import { ramFolder } from './ram-folder.mjs'

ensureInstalled()

// The whole run also tests the built command; a run of some suites needs only the sources.
const chosen = process.argv.slice(2)
if (chosen.length === 0 && (await runNode(['node_modules/typescript/bin/tsc', '-b'])) !== 0) {
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
let counts
const folder = ramFolder()
const exitCode = await runNode([...flags, 'node_modules/jest/bin/jest.js', ...chosen], {
  environment: folder && { TMPDIR: folder },
  onMessage: (message, child) => {
    if (!message?.counts) return
    counts = message.counts
    // All tests have run. A leak, reported above, may keep the process open, and must not hold up a pipeline.
    setTimeout(() => child.kill('SIGKILL'), ENDING_MS).unref()
  },
})

const { passed = 0, failed = 0, skipped = 0 } = counts ?? {}
const empty = passed + failed === 0
if (empty) console.log('No test ran: that is a failure.')
else if (exitCode !== 0 && failed === 0)
  console.log(`Every test passed, yet the run ended with code ${exitCode}.`)
const faults = exitCode !== 0 || empty ? Math.max(failed, 1) : failed
console.log(`${passed} passed, ${faults} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = faults > 0 ? exitCode || 1 : 0
