// `npm run simulate`: runs the simulator of @svc/testing, seed after seed.
//   --seed N       one seed; prints its digest, and its report when it breaks a promise
//   --seeds N      at least N seeds (default 1000, or none if a time is given)
//   --minutes N    at least N minutes; --seconds N likewise. With --seeds, both must be reached
//   --at-most N    stops after N seconds; a line that begins with SHORT: says how many seeds are missing
//   --from N       the first seed (default 1)
//   --workers N    processes to share the seeds between (default 1)
//   --app          through the whole HTTP application instead of the services alone
//   --planted X    with the planted fault of that name (packages/testing/test/simulator/planted)
// Exit code 1 if a seed breaks a promise, and for too few seeds unless --at-most ended the run; 2 for a bad
// option.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { type SimulationSeams, tellSeed } from '../packages/testing/src/simulator/index.ts'
import { endWith } from './ending.ts'
import { endingOf } from './figures.ts'

// Refusals are errors here, and many: stack traces that nobody reads would cost time.
Error.stackTraceLimit = 0

const names = ['seed', 'seeds', 'minutes', 'seconds', 'at-most', 'from', 'workers', 'step'] as const
const SEEDS = 1000
interface Options extends Partial<Record<(typeof names)[number], number>> {
  readonly seams: SimulationSeams
  /** The command-line flags that chose `seams`. */
  readonly flags: readonly string[]
}

interface Totals {
  seeds: number
  events: number
  requests: number
  faults: number
  jobs: number
  simulatedSeconds: number
  failed: number
  /** Processes that ran out of time before they had done their share. */
  stopped: number
}

async function readOptions(): Promise<Options> {
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      app: { type: 'boolean' },
      planted: { type: 'string' },
    },
  })
  const { app = false, planted, ...numbers } = values
  const entries = Object.entries(numbers).map(([name, value]) => [name, Number(value)] as const)
  const bad = entries.find(([, value]) => !Number.isFinite(value) || value < 0)
  if (bad !== undefined) throw new Error(`--${bad[0]} takes a number`)
  const seams = {
    ...(planted === undefined ? {} : await plantedSeams(planted)),
    ...(app ? await appSeams() : {}),
  }
  const flags = [...(app ? ['--app'] : []), ...(planted === undefined ? [] : ['--planted', planted])]
  return { ...Object.fromEntries(entries), seams, flags }
}

async function appSeams(): Promise<SimulationSeams> {
  const { inProcess } = await import('../test/support/in-process.ts')
  return { endpoint: inProcess }
}

async function plantedSeams(name: string): Promise<SimulationSeams> {
  const { planted } = await import('../packages/testing/test/simulator/planted/index.ts')
  return planted(name).seams
}

const inShell = (words: readonly string[]): string =>
  words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')

async function oneSeed(seed: number, { seams, flags }: Options): Promise<number> {
  const { result, report } = await tellSeed({ seed, seams }, inShell(flags))
  const { hash, events, requests, faults } = result
  if (report !== undefined) console.log(report)
  const digest = hash.toString(16).padStart(8, '0')
  console.log(`seed ${seed}: digest ${digest}, ${events} events, ${requests} requests, ${faults} faults`)
  return report === undefined ? 0 : 1
}

/** Returns the least seeds and seconds of a run, and the seconds after which it ends in any case. */
function goalOf(options: Options) {
  const seconds = options.seconds ?? 60 * (options.minutes ?? 0)
  const seeds = options.seeds ?? (seconds > 0 ? 0 : SEEDS)
  return { seeds, seconds, atMost: options['at-most'] ?? Number.POSITIVE_INFINITY }
}

async function manySeeds(options: Options): Promise<Totals> {
  const { from = 1, step = 1, seams, flags } = options
  const { seeds, seconds, atMost } = goalOf(options)
  const started = performance.now()
  const lasts = (most: number) => performance.now() - started < 1000 * most
  const totals = {
    seeds: 0,
    events: 0,
    requests: 0,
    faults: 0,
    jobs: 0,
    simulatedSeconds: 0,
    failed: 0,
    stopped: 0,
  }
  for (let seed = from; (totals.seeds < seeds || lasts(seconds)) && lasts(atMost); seed += step) {
    const { result, report } = await tellSeed({ seed, seams }, inShell(flags))
    totals.seeds += 1
    for (const key of ['events', 'requests', 'faults', 'jobs', 'simulatedSeconds'] as const)
      totals[key] += result[key]
    if (report === undefined) continue
    totals.failed += 1
    console.log(report)
  }
  return { ...totals, stopped: lasts(atMost) ? 0 : 1 }
}

/** Shares the seeds between n processes: worker w takes the seeds from + w, from + w + n, … */
async function shared(options: Options, workers: number): Promise<Totals[]> {
  const { from = 1, flags } = options
  const { seeds, seconds, atMost } = goalOf(options)
  const goal = ['--seeds', String(Math.ceil(seeds / workers)), '--seconds', String(seconds)]
  const stop = Number.isFinite(atMost) ? ['--at-most', String(atMost)] : []
  return Promise.all(
    Array.from({ length: workers }, (_, worker) =>
      child(['--from', String(from + worker), '--step', String(workers), ...goal, ...stop, ...flags]),
    ),
  )
}

function child(args: readonly string[]): Promise<Totals> {
  const script = process.argv[1] ?? ''
  const node = spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  node.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    node.on('error', reject).on('close', () => {
      const lines = output.trimEnd().split('\n')
      const totals = lines.pop() ?? ''
      for (const line of lines) console.log(line)
      if (!totals.startsWith('{')) reject(new Error(`a worker ended without its totals: ${totals}`))
      else resolve(JSON.parse(totals) as Totals)
    })
  })
}

function sum(parts: readonly Totals[]): Totals {
  const [first, ...others] = parts
  if (first === undefined) throw new Error('no worker ran')
  const total = { ...first }
  for (const part of others) for (const key of Object.keys(part) as (keyof Totals)[]) total[key] += part[key]
  return total
}

function summary(totals: Totals, seconds: number): string {
  const { seeds, events, requests, faults, jobs, simulatedSeconds, failed } = totals
  const figures = [
    `${seeds} seeds in ${seconds.toFixed(1)} s (${(seeds / seconds).toFixed(0)} seeds/s)`,
    `${events} events (${Math.round(events / seconds)} events/s)`,
    `${requests} requests, ${jobs} jobs, ${faults} faults`,
    `${(simulatedSeconds / 3600).toFixed(1)} simulated hours`,
  ]
  return `simulated ${figures.join(', ')}: ${failed} broke a promise`
}

async function main(): Promise<number> {
  const options = await readOptions()
  if (options.seed !== undefined) return oneSeed(options.seed, options)
  const started = performance.now()
  if (options.step !== undefined) {
    console.log(JSON.stringify(await manySeeds(options)))
    return 0
  }
  const { workers = 1 } = options
  const totals = workers > 1 ? sum(await shared(options, workers)) : await manySeeds(options)
  console.log(summary(totals, (performance.now() - started) / 1000))
  const asked = { asked: goalOf(options).seeds, done: totals.seeds, what: 'seeds' }
  const { code, line } = endingOf({ ...asked, isStopped: totals.stopped > 0 })
  if (line !== undefined) console.log(line)
  return totals.failed > 0 ? 1 : code
}

endWith(
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return 2
  }),
)
