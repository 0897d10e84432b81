// `npm run conform`: random sequences of commands, which the fake storage and a database must answer alike.
//   --runs N       sequences in all (default 2000), each up to 200 commands and 100 on average
//   --seed N       of the first hundred, the next hundred has the next (default: a new one)
//   --workers N    processes that share the same sequences, each with its own database (default 1)
//   --at-most N    stops after so many seconds; a line that begins with SHORT: says how many are missing
//   --storage S    pglite (default) or postgresql: the server of DATABASE_URL, else a throwaway one
// Exit code 1 with the smallest sequence that is answered otherwise, and for fewer than asked that no
// --at-most explains; 2 for a bad option.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
// @ts-expect-error: plain JavaScript
import startPostgres from '../test/global-setup.js'
// @ts-expect-error: plain JavaScript
import stopPostgres from '../test/global-teardown.js'
import { endWith } from './ending.ts'
import { endingOf } from './figures.ts'

const STORAGES = ['pglite', 'postgresql'] as const
type StorageName = (typeof STORAGES)[number]

interface Options {
  readonly runs: number
  readonly seed: number
  readonly workers: number
  readonly atMostSeconds: number
  readonly storage: StorageName
  /** Which of the workers this process is; undefined: it starts them. */
  readonly worker: number | undefined
}

/**
 * Sequences of one seed. Workers take such pieces in turn: how many there are decides nothing about what is
 * asked.
 */
const PIECE = 100

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Math.trunc(performance.timeOrigin) % 2 ** 31) },
    workers: { type: 'string', default: '1' },
    'at-most': { type: 'string', default: '86400' },
    storage: { type: 'string', default: 'pglite' },
    worker: { type: 'string' },
  },
})

function readOptions(): Options {
  const storage = STORAGES.find((name) => name === values.storage)
  const [runs, seed, workers, atMostSeconds] = [
    values.runs,
    values.seed,
    values.workers,
    values['at-most'],
  ].map(Number)
  const numbers = { runs, seed, workers, atMostSeconds }
  const bad = Object.entries(numbers).find(([, value]) => !Number.isFinite(value))
  if (bad !== undefined || storage === undefined)
    throw new TypeError(`${bad?.[0] ?? 'storage'}: not a value for it`)
  const worker = values.worker === undefined ? undefined : Number(values.worker)
  return { ...(numbers as Record<keyof typeof numbers, number>), storage, worker }
}

/** What a process did of its share. */
interface Share {
  readonly ran: number
  /** Whether its time was over before. */
  readonly isStopped: boolean
}

/** One process: its share of the sequences on a database of its own. */
async function work({ runs, seed, workers, worker, atMostSeconds, storage }: Options): Promise<Share> {
  const { pgliteDatabase, postgresDatabase } = await import('../packages/core/test/conformance/database.ts')
  const { runBoth, sequences } = await import('../packages/core/test/conformance/sequence.ts')
  await using database = await (storage === 'pglite' ? pgliteDatabase() : postgresDatabase())
  let ran = 0
  const property = fc.asyncProperty(sequences, async (commands) => {
    await runBoth(database, commands)
    ran += 1
  })
  for (let piece = worker ?? 0; piece * PIECE < runs; piece += workers) {
    // Counted from the start of the process: on a busy machine to open a database takes its time as well.
    const leftMs = 1000 * atMostSeconds - performance.now()
    if (leftMs < 1) return { ran, isStopped: true }
    const numRuns = Math.min(PIECE, runs - piece * PIECE)
    const stop = { interruptAfterTimeLimit: leftMs, markInterruptAsFailure: false }
    const given = { numRuns, seed: seed + piece, includeErrorInReport: true, ...stop }
    const checked = await fc.check(property, given)
    if (checked.failed) throw new Error(await fc.asyncDefaultReportMessage(checked))
    if (checked.interrupted) return { ran, isStopped: true }
  }
  return { ran, isStopped: false }
}

async function shared({ runs, seed, workers, atMostSeconds, storage }: Options): Promise<Share[]> {
  const numbers = { runs, seed, workers, 'at-most': atMostSeconds }
  const fixed = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, `${value}`])
  return Promise.all(
    Array.from({ length: workers }, (_, worker) =>
      child([...fixed, '--storage', storage, '--worker', `${worker}`]),
    ),
  )
}

function child(args: readonly string[]): Promise<Share> {
  const node = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  node.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    node.on('error', reject).on('close', (code) => {
      if (code === 0) resolve(JSON.parse(output) as Share)
      else reject(new Error(output))
    })
  })
}

async function main(): Promise<number> {
  const options = readOptions()
  if (options.worker !== undefined) {
    console.log(JSON.stringify(await work(options)))
    return 0
  }
  const { runs, seed, storage } = options
  const started = performance.now()
  await using _server = storage === 'postgresql' ? await server() : undefined
  const shares = await shared(options)
  const ran = shares.reduce((sum, share) => sum + share.ran, 0)
  const seconds = (performance.now() - started) / 1000
  const last = seed + Math.ceil(runs / PIECE) - 1
  const seeds = last === seed ? `seed ${seed}` : `seeds ${seed} to ${last}`
  console.log(`${ran} sequences on the fake and on ${storage} alike in ${seconds.toFixed(1)} s (${seeds})`)
  const isStopped = shares.some((share) => share.isStopped)
  const { code, line } = endingOf({ asked: runs, done: ran, what: 'sequences', isStopped })
  if (line !== undefined) console.log(line)
  return code
}

/** Puts a server's address where the databases of tests look for it. */
async function server(): Promise<AsyncDisposable> {
  await startPostgres()
  return { [Symbol.asyncDispose]: async () => stopPostgres() }
}

endWith(
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return values.worker || !(error instanceof TypeError) ? 1 : 2
  }),
)
