// `npm run conform`: random sequences of commands; the fake storage and a database must give the same
// answers. --runs N sequences in all (default 2000), each up to 200 commands and 100 on average --seed N of
// the first hundred; each hundred after it has the next number (default: a new one) --workers N processes to
// share the sequences between, each with its own database (default 1) --at-most N stops after N seconds; a
// line that begins with SHORT: says how many sequences are missing --storage S pglite (default) or
// postgresql: the server of DATABASE_URL, else a throwaway one Exit code 1 with the smallest sequence whose
// answers differ, and for too few sequences unless --at-most ended the run; 2 for a bad option.
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
  /** The number of this worker process; undefined in the process that starts the workers. */
  readonly worker: number | undefined
}

/** Sequences of one seed. Workers take whole pieces in turn, so that their number changes no sequence. */
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

/** The work that one process did. */
interface Share {
  readonly ran: number
  /** Whether the time ran out first. */
  readonly isStopped: boolean
}

/** Runs this process's share of the sequences on a database of its own. */
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
    // The time counts from the start of the process: on a busy machine, opening a database is slow too.
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

/** Starts PostgreSQL, and sets the variable that tells test databases its URL. */
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
