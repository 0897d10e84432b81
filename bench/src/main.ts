// npm run bench: measures the product beside a user's alternatives.
import process from 'node:process'
import { type Options, readOptions, USAGE } from './options.ts'
import { writePage } from './report/page.ts'
import { judgedAnew, newestResults } from './report/results.ts'
import { run } from './run.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios/index.ts'
import { readYearOptions, runYear, YEAR_USAGE } from './year/run-year.ts'

const out = (text: string) => void process.stdout.write(`${text}\n`)
const progress = (line: string) => void process.stderr.write(`${line}\n`)

function chosen({ scenarios, isQuick }: Options): readonly Scenario[] {
  if (scenarios.length === 0) return SCENARIOS.filter((scenario) => !isQuick || scenario.isQuick === true)
  return scenarios.map((name) => {
    const found = SCENARIOS.find((scenario) => scenario.name === name)
    if (found === undefined) throw new Error(`there is no scenario ${name}; --list names them`)
    return found
  })
}

function described({ name, question, gates }: Scenario): string {
  const goals = gates.map(({ goal, figure, of, over, atLeast, atMost }) => {
    const limit = atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast}`
    return `  ${goal}: ${figure} of ${of}${over === undefined ? '' : ` over ${over}`} ${limit}`
  })
  return [`${name}: ${question}`, ...goals].join('\n')
}

async function main(): Promise<void> {
  const [first, ...more] = process.argv.slice(2)
  if (first === 'year') {
    process.exitCode = (await runYear(readYearOptions(more), { out, progress })) ? 0 : 1
    return
  }
  const options = readOptions(process.argv.slice(2))
  if (options.isList) {
    for (const scenario of SCENARIOS) out(described(scenario))
    return
  }
  if (options.isReport) {
    writePage(newestResults().map((result) => judgedAnew(result, SCENARIOS)))
    return
  }
  const failed = await run(chosen(options), options, { out, progress })
  if (failed.length > 0) {
    progress(`failed, or goals missed in two of three tries: ${failed.join(', ')}`)
    process.exitCode = 1
  }
}

// A signal ends the run by `process.exit`, so that listeners of `exit` clear the run's files away.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
try {
  await main()
} catch (error) {
  progress(error instanceof Error ? error.message : String(error))
  progress(process.argv[2] === 'year' ? YEAR_USAGE : USAGE)
  process.exitCode = 2
}
