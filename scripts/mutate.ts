// `npm run mutate`: lets Stryker mutate the pure rules in a copy of the checkout, and prints the mutants that
// their suites do not catch. scripts/mutate/rules.ts lists sources, suites and the share that must be caught.
//   TEXT           only rules with a source whose path contains TEXT
//   --workers N    mutants that are tried at once (default 1)
// Exit code 1 if fewer are caught than the list says; 2 for a bad option.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyOf } from './checkout-copy.ts'
import { RULES, type Rules } from './mutate/rules.ts'

const CONFIG = 'planted-stryker.json'

/** Returns Stryker's settings. `tsconfigFile: 'none'` avoids an interface that TypeScript 7 no longer has. */
const configOf = ({ sources, least }: Rules, workers: number): object => ({
  mutate: sources.map((path) => `packages/core/src/${path}`),
  inPlace: true,
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: { projectType: 'custom', configFile: 'scripts/mutate/jest.config.js', enableFindRelatedTests: false },
  tsconfigFile: 'none',
  disableTypeChecks: false,
  ignoreStatic: true,
  concurrency: workers,
  thresholds: { break: least },
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
})

/** Tries every mutant of some rules. Returns whether enough of them were caught. */
function tryAll(rules: Rules, folder: string, workers: number): Promise<boolean> {
  writeFileSync(join(folder, CONFIG), JSON.stringify(configOf(rules, workers)))
  const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  const child = spawn(process.execPath, [stryker, 'run', CONFIG], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SVC_RULE_SUITES: rules.suites.join(' ') },
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code === 0))
  })
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { workers: { type: 'string', default: '1' } },
  })
  const workers = Number(values.workers)
  const [text = ''] = positionals
  const chosen = RULES.filter(({ sources }) => sources.some((path) => path.includes(text)))
  if (!(workers >= 1)) throw new Error('--workers takes a number above 0')
  if (chosen.length === 0) throw new Error('no rules have such a name: see scripts/mutate/rules.ts')
  const folder = copyOf(join(import.meta.dirname, '..'))
  let isEnough = true
  for (const rules of chosen) isEnough = (await tryAll(rules, folder, workers)) && isEnough
  return isEnough ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 2
})
