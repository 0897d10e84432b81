// `npm run chaos`: PostgreSQL, two replicas, a proxy with faults and agents as real processes, killed, frozen
// and cut off by one seeded plan; then it checks that nothing acknowledged was lost. `--help` says more.
import { chaos } from '../chaos/src/chaos.ts'
import { readOptions, USAGE } from '../chaos/src/options.ts'
import { endWith } from './ending.ts'

const BAD_OPTION = 2

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    console.log(USAGE)
    return 0
  }
  const options = readOptions(process.argv.slice(2))
  const over = new AbortController()
  // The first signal ends the run in order: processes, then folders.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.abort())
  // A pipeline would keep every line of progress, so it gets none.
  const progress = process.env.CI === 'true' ? () => {} : console.error
  const said = { out: console.log, progress }
  try {
    return await chaos(options, said, over.signal)
  } catch (error) {
    if (over.signal.aborted) console.error('ended early: nothing was judged')
    else console.error(error)
    return 1
  }
}

endWith(
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return BAD_OPTION
  }),
)
