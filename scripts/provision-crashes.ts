// `npm run crashes`: orders for servers whose processes are killed at every wait, seed after seed.
//   --seeds N      so many seeds (default 1000)
//   --from N       the first seed (default 1)
//   --at-most N    stops after N seconds; a line that begins with SHORT: says how many seeds are missing
// Exit code 1 if a seed breaks a promise, 2 for a bad option.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { crashRun } from '../packages/testing/src/hosts/provisioning/crashes/crash-run.ts'
import { endWith } from './ending.ts'
import { endingOf } from './figures.ts'

const SEEDS = 1000
const templateFile = fileURLToPath(new URL('../test/support/provisioning-template.yaml', import.meta.url))

function numbers() {
  const option = { type: 'string' as const }
  const { values } = parseArgs({ options: { seeds: option, from: option, 'at-most': option } })
  const read = (name: 'seeds' | 'from' | 'at-most', fallback: number): number => {
    const value = Number(values[name] ?? fallback)
    if (Number.isNaN(value) || value < 0) throw new Error(`--${name} takes a number`)
    return value
  }
  return {
    seeds: read('seeds', SEEDS),
    from: read('from', 1),
    atMost: read('at-most', Number.POSITIVE_INFINITY),
  }
}

async function main(): Promise<number> {
  const { seeds, from, atMost } = numbers()
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  const sum = { done: 0, calls: 0, kills: 0, creates: 0, failed: 0 }
  while (sum.done < seeds && seconds() < atMost) {
    const { seed, fault, calls, kills, creates } = await crashRun({ seed: from + sum.done, templateFile })
    sum.done += 1
    sum.calls += calls
    sum.kills += kills
    sum.creates += creates
    if (fault === undefined) continue
    sum.failed += 1
    console.log(`seed ${seed}: ${fault} (npm run crashes -- --seeds 1 --from ${seed})`)
  }
  const { done, calls, kills, creates, failed } = sum
  const figures = `${calls} calls, ${kills} kills, ${creates} requests for servers`
  console.log(
    `${done} seeds from ${from} in ${seconds().toFixed(1)} s, ${figures}: ${failed} broke a promise`,
  )
  const { code, line } = endingOf({ asked: seeds, done, what: 'seeds', isStopped: seconds() >= atMost })
  if (line !== undefined) console.log(line)
  return failed > 0 ? 1 : code
}

endWith(
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return 2
  }),
)
