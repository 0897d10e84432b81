// `npm run ring`: the suites of `npm test`, and the share of the listed faults that they notice for sure.
//   --choose N   writes test/ring.json anew: suites that notice the most faults in N seconds, by the
//                seconds that they took in the last run of all suites (jest's cache)
// The exit code is 1 if the share is below the least one, SHARE.
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listedFaults } from './plant/fault.ts'
import { chosenRing, SHARE, shareOf } from './ring/choose.ts'

const root = join(import.meta.dirname, '..')
const LIST = join(root, 'test/ring.json')
const CACHE = join(root, 'node_modules/.cache/jest')

/** The seconds of each suite in its last run. */
function lastSeconds(): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>()
  for (const name of readdirSync(CACHE).filter((each) => each.startsWith('perf-cache-'))) {
    const cache = JSON.parse(readFileSync(join(CACHE, name), 'utf8')) as Record<string, [number, number]>
    for (const [path, [, ms]] of Object.entries(cache)) seconds.set(path.slice(root.length + 1), ms / 1000)
  }
  return seconds
}

const { values } = parseArgs({ options: { choose: { type: 'string' } } })
const faults = await listedFaults()
if (values.choose !== undefined) {
  const suites = globSync('{packages/*,bench,siege,chaos}/test/**/*.test.ts', { cwd: root })
  const ring = chosenRing({ faults, suites, seconds: lastSeconds(), most: Number(values.choose) })
  writeFileSync(LIST, `${JSON.stringify(ring, undefined, 2)}\n`)
}
const ring = JSON.parse(readFileSync(LIST, 'utf8')) as readonly string[]
const share = shareOf(faults, ring)
console.log(
  `ring: ${ring.length} suites notice ${(share * 100).toFixed(1)} % of ${faults.length} listed faults`,
)
process.exitCode = share < SHARE ? 1 : 0
