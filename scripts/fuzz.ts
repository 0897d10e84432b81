// `npm run fuzz -- --requests 200000 [--seed N]`: bad requests by the thousand against every route of a service in a
// process of its own. Prints the figures; exit code 1 with the smallest batch that got a wrong answer.
import { parseArgs } from 'node:util'
import { Siege } from '../packages/http/test/hostile/siege.ts'

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '200000' }, seed: { type: 'string' } },
})
const seed = values.seed === undefined ? Math.trunc(performance.timeOrigin) % 2 ** 31 : Number(values.seed)
const MIB = 1024 * 1024

await using siege = await Siege.begin()
try {
  const report = await siege.send(Number(values.requests), seed, (sent) =>
    process.stderr.write(`\r${sent} requests`),
  )
  process.stderr.write('\n')
  const { before, after } = report.rss
  console.log(
    JSON.stringify(
      { seed, ...report, rss: { beforeMiB: before / MIB, afterMiB: after / MIB } },
      undefined,
      2,
    ),
  )
  if (report.bystander.failed > 0 || after > before * 1.2) process.exitCode = 1
} catch (error) {
  console.error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
