// `npm run plant`: plants each listed fault in a copy of the checkout, runs the suites named for it, and
// prints the faults that survived.
//   TEXT           only faults whose name contains TEXT
//   --only LIST    only faults of scripts/plant/faults/LIST.ts
//   --workers N    copies that are worked on at once (default 1)
//   --patience N   seconds after which suites count as hung; the fault is then caught (default 300)
//   --draw N       faults that are drawn by rules over the sources, instead of the listed ones
//   --seed N       decides which are drawn (default: a new one, which is printed)
//   --from FILE    faults of a JSON list, as somebody wrote them who has not seen the tests: objects with
//                  feature, file, find, replace and why
//   --quick        only the nearest suites of each fault, without those that start processes
//   --unchecked    does not run the suites without a fault first: they are known to pass
//   --list         prints the names of the faults and runs nothing
// First, the suites run once without a fault. Exit code 1 if a listed fault survived or its code does not
// run; 2 for a bad option, a fault whose source has changed, and suites that fail without a fault.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
// @ts-expect-error: plain JavaScript
import startPostgres from '../test/global-setup.js'
// @ts-expect-error: plain JavaScript
import stopPostgres from '../test/global-teardown.js'
import { copyOf } from './checkout-copy.ts'
import { drawnFaults } from './plant/draw.ts'
import { type ListedFault, listedFaults, planted } from './plant/fault.ts'
import { type Outcome, type RunOptions, runSuites } from './plant/suites.ts'
import { writtenFaults } from './plant/written.ts'

const root = join(import.meta.dirname, '..')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    workers: { type: 'string', default: '1' },
    patience: { type: 'string', default: '300' },
    draw: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    from: { type: 'string' },
    quick: { type: 'boolean', default: false },
    unchecked: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})

const WORDS = { passed: 'SURVIVED', failed: 'caught', broken: 'BROKEN', hung: 'caught' } as const

/** Plants a fault in a copy, runs its suites, and removes the fault again. */
async function judge(fault: ListedFault, folder: string, options: RunOptions): Promise<Outcome> {
  const path = join(folder, fault.file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, planted(source, fault))
  try {
    return await runSuites(folder, fault.suites, options)
  } finally {
    writeFileSync(path, source)
  }
}

const OF_PROCESSES = /\/process\/|\/deploy-|\/host-security|\/browser\/(?:chromium|domains)|\/storage\/growth/
const NEAREST = 12

// Near is a suite that shares words with the path of the source.
function quickOf(fault: ListedFault): ListedFault {
  if (!values.quick) return fault
  const words = fault.file.split(/[/.-]/).filter((word) => word.length > 3 && word !== 'packages')
  const shared = (suite: string) => words.filter((word) => suite.includes(word.replace(/s$/, ''))).length
  const near = fault.suites.filter((suite) => !OF_PROCESSES.test(suite))
  const suites = near.toSorted((one, other) => shared(other) - shared(one)).slice(0, NEAREST)
  return suites.length > 0 ? { ...fault, suites } : fault
}

async function chosenFaults(): Promise<readonly ListedFault[]> {
  const [text = ''] = positionals
  if (values.draw !== undefined) console.log(`--draw ${values.draw} --seed ${values.seed}`)
  const { draw, seed, from } = values
  const all =
    from !== undefined
      ? writtenFaults(root, resolve(process.env.INIT_CWD ?? root, from))
      : draw === undefined
        ? await listedFaults()
        : drawnFaults(root, Number(draw), Number(seed))
  const chosen = all
    .map(quickOf)
    .filter(({ name, list }) => name.includes(text) && (values.only ?? list) === list)
  if (chosen.length === 0) throw new Error('no fault has such a name: see --list')
  for (const fault of chosen) planted(readFileSync(join(root, fault.file), 'utf8'), fault)
  return chosen
}

/** Checks that suites pass without a fault: suites that always fail would seem to catch every fault. */
async function checkSuites(
  faults: readonly ListedFault[],
  folder: string,
  options: RunOptions,
): Promise<void> {
  const suites = [...new Set(faults.flatMap((fault) => fault.suites))]
  const { verdict, why, seconds } = await runSuites(folder, suites, {
    ...options,
    patienceMs: options.patienceMs * suites.length,
  })
  if (verdict !== 'passed') throw new Error(`the suites fail without a fault: ${why}`)
  console.log(`${suites.length} suites pass without a fault (${seconds.toFixed(1)} s)`)
}

async function work(queue: ListedFault[], copy: string, options: RunOptions): Promise<ListedFault[]> {
  const left: ListedFault[] = []
  for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
    const { verdict, why, seconds } = await judge(fault, copy, options)
    const line = `${WORDS[verdict].padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${fault.name}`
    console.log(why === '' ? line : `${line}\n                     ${why.split('\n', 1)[0]}`)
    if (verdict === 'passed' || verdict === 'broken') left.push(fault)
  }
  return left
}

async function main(): Promise<number> {
  const [workers, patience] = [Number(values.workers), Number(values.patience)]
  if (!(workers >= 1 && patience > 0)) throw new Error('--workers and --patience take a number above 0')
  const faults = await chosenFaults()
  if (values.list) {
    for (const { list, name } of faults) console.log(`${list.padEnd(10)} ${name}`)
    return 0
  }
  await startPostgres()
  try {
    return await plant(faults, workers, {
      databaseUrl: process.env.SVC_TEST_POSTGRES ?? '',
      patienceMs: 1000 * patience,
    })
  } finally {
    await stopPostgres()
  }
}

async function plant(faults: readonly ListedFault[], workers: number, options: RunOptions): Promise<number> {
  const copies = Array.from({ length: workers }, () => copyOf(root))
  if (!values.unchecked) await checkSuites(faults, copies[0] as string, options)
  const queue = [...faults]
  const left = (await Promise.all(copies.map((copy) => work(queue, copy, options)))).flat()
  console.log(`${faults.length - left.length} of ${faults.length} faults caught`)
  for (const { name } of left) console.log(`  not caught: ${name}`)
  const lists = [...new Set(faults.map(({ list }) => list))]
  const of = (some: readonly ListedFault[], list: string) => some.filter((each) => each.list === list).length
  for (const list of lists)
    console.log(`  ${list}: ${of(faults, list) - of(left, list)} of ${of(faults, list)}`)
  // A fault that was drawn may change nothing: people look at those that are left.
  return left.length === 0 || values.draw !== undefined || values.from !== undefined ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 2
})
