// `npm run fuzz -- --requests 200000 [--seed N] [--rate N] [--at-most SECONDS] [--p99 MS] [--p99-whole MS]
// [--storage pglite]`: sends bad requests to every route of a service in a process of its own, on a
// PostgreSQL of its own. After a quarter of them, 8,192 are sent at 250 a second; meanwhile the p99 of a good
// client is checked: the median over pieces of four seconds (`--p99`), and the p99 of the whole time
// (`--p99-whole`). All other requests are sent at `--rate`, or as fast as they are answered. Prints the
// figures. Exit code 1 with the request that got a wrong answer, with the limits that were missed, and for
// too few requests; but if `--at-most` ended the run, a line that begins with SHORT: says how many are
// missing.
import { parseArgs } from 'node:util'
import { ROUTES } from '../packages/http/src/routes/index.ts'
import { Siege } from '../siege/src/siege.ts'
import { isJudgeable, medianOf, shortcomings } from '../siege/src/siege-report.ts'
// @ts-expect-error: plain JavaScript
import startPostgres from '../test/global-setup.js'
// @ts-expect-error: plain JavaScript
import stopPostgres from '../test/global-teardown.js'
import { endWith } from './ending.ts'
import { endingOf } from './figures.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '200000' },
    seed: { type: 'string' },
    rate: { type: 'string', default: 'Infinity' },
    'at-most': { type: 'string', default: 'Infinity' },
    p99: { type: 'string', default: '50' },
    'p99-whole': { type: 'string', default: '50' },
    storage: { type: 'string', default: 'postgresql' },
  },
})
const bad = Number(values.requests)
const paced = { requests: Math.min(8192, bad / 10), perSecond: 250 }
const seed = values.seed === undefined ? Math.trunc(performance.timeOrigin) % 2 ** 31 : Number(values.seed)

const atMost = Number(values['at-most'])

const isEmbedded = values.storage === 'pglite'

async function run(): Promise<string[]> {
  await using siege = await Siege.begin(isEmbedded ? 'pglite' : 'postgresql')
  const report = await siege.send({
    bad,
    seed,
    paced,
    perSecond: Number(values.rate),
    seconds: atMost,
    told: (sent) => process.stderr.write(`\r${sent} bad requests`),
  })
  process.stderr.write('\n')
  console.log(JSON.stringify({ seed, ...report }, undefined, 2))
  if (!isJudgeable(report))
    console.log('other work had the cores: the times of the good client are not judged')
  const { sent, seconds } = report
  console.log(`${report.bad} bad requests of ${sent} in ${seconds.toFixed(0)} s, seed ${seed}`)
  const limits = { median: Number(values.p99), whole: Number(values['p99-whole']) }
  const short = shortcomings(report, [...new Set(ROUTES.map(({ path }) => path))], limits)
  if (report.paced !== undefined) {
    const { p99, marked } = report.paced.bystander
    const pieces = `${medianOf(report.paced.bystander).toFixed(1)} ms in the median of ${marked.length} pieces`
    console.log(`p99 of the good client at a paced rate: ${p99.toFixed(1)} ms, ${pieces}`)
  }
  const isStopped = seconds >= atMost
  const { code, line } = endingOf({ asked: bad, done: report.bad, what: 'bad requests', isStopped })
  if (line === undefined) return short
  if (code === 0) console.log(line)
  return code === 0 ? short : [...short, line]
}

async function main(): Promise<number> {
  if (!isEmbedded) await startPostgres()
  try {
    const short = await run()
    for (const each of short) console.error(each)
    return short.length > 0 ? 1 : 0
  } catch (error) {
    console.error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    if (!isEmbedded) await stopPostgres()
  }
}

endWith(await main())
