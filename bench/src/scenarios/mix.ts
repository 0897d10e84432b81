import { PGlite } from '@electric-sql/pglite'
import { openStorage } from '@svc/core/sql'
import type { Bench } from '../bench.ts'
import { type Fleet, fingerprint, LARGE_FLEET, licenseId, licenseRows, withClient } from '../fleet.ts'
import type { Stream } from '../load/load.ts'
import { Histogram } from '../measure/histogram.ts'
import { watchCores } from '../measure/machine.ts'
import { median } from '../measure/statistics.ts'
import type { PartProcess } from '../part-process.ts'
import type { Done, Scenario, Variant } from '../scenario.ts'
import { productDatabase, servedProduct } from '../served.ts'

const POSTGRESQL = 'svc over HTTP, PostgreSQL'
const HALF = 'the same, half as many a second'
const PGLITE = 'svc over HTTP, PGlite folder'
const SECONDS = 60
const RATES = { heartbeat: 5000, claim: 1000, logs: 50 } as const
const LINES = 20
/** Number of jobs whose hosts send output; each license stays far below its limit of 240 posts a minute. */
const WRITING_HOSTS = 200

const fleet: Fleet = LARGE_FLEET
const jobs = Array.from({ length: WRITING_HOSTS }, (_, host) => ({
  id: `job_${String(host).padStart(26, '0')}`,
  host,
}))

const HELD = `insert into jobs (id, license_id, kind, state, payload, claimed_by, claimed_at, attempt, available_at,
    max_attempts, timeout_seconds)
  select id, license, 'deploy', 'running', '{}', host, now(), 1, now() + interval '1 day', 3, 86400
  from unnest($1::text[], $2::text[], $3::text[]) as n (id, license, host)`
const heldValues = () => [
  jobs.map(({ id }) => id),
  jobs.map(({ host }) => licenseId(host)),
  jobs.map(({ host }) => fingerprint(host)),
]

const streamsOf = (url: string, share: number): readonly Stream[] => [
  {
    name: 'heartbeat',
    url,
    connections: 96,
    rate: share * RATES.heartbeat,
    requests: { kind: 'heartbeat', fleet },
  },
  { name: 'claim', url, connections: 32, rate: share * RATES.claim, requests: { kind: 'claim', fleet } },
  {
    name: 'logs',
    url,
    connections: 8,
    rate: share * RATES.logs,
    requests: { kind: 'logs', fleet, jobs, lines: LINES },
  },
]

/** The server of a mix, and the share of the load that is sent. */
interface MixWay {
  readonly serve: (bench: Bench) => Promise<PartProcess>
  readonly share?: number
}

/** Sends all three kinds of requests at once. Faults are a figure here, because their absence is the goal. */
async function mixed(bench: Bench, part: PartProcess, seconds: number, share: number): Promise<Done> {
  const memory: number[] = []
  const look = async () => void memory.push((await part.usage()).rssBytes)
  const looking = setInterval(() => void look().catch(() => {}), 1000)
  await look()
  const streams = streamsOf(part.url, share)
  const busy = watchCores()
  const outcomes = await bench.send({ seconds, streams }).finally(() => clearInterval(looking))
  const machineBusy = busy()
  await look()
  const latency = new Histogram()
  for (const outcome of outcomes) latency.merge(outcome.latency)
  const faults = outcomes.flatMap((outcome, at) =>
    Object.entries(outcome.faults).map(
      ([reason, count]) => [`${streams[at]?.name}: ${reason}`, count] as const,
    ),
  )
  const operations = outcomes.reduce((sum, outcome) => sum + outcome.operations, 0)
  const p99 = outcomes.map(({ latency: own }, at) => [
    `${streams[at]?.name}P99Ms`,
    new Histogram().merge(own).quantile(0.99) / 1000,
  ])
  const errors = faults.reduce((sum, [, count]) => sum + count, 0)
  return {
    operations,
    seconds: Math.max(...outcomes.map((outcome) => outcome.seconds)),
    latency: latency.toJSON(),
    figures: {
      errors,
      ...Object.fromEntries(faults),
      memoryGrowth: growthOf(memory),
      machineBusy,
      ...Object.fromEntries(p99),
    },
  }
}

// Compares with the second quarter, because pools and code are warm by then.
function growthOf(memory: readonly number[]): number {
  const quarter = Math.max(1, Math.floor(memory.length / 4))
  return median(memory.slice(-quarter)) / median(memory.slice(quarter, 2 * quarter))
}

const mixVariant = (name: string, { serve, share = 1 }: MixWay): Variant => ({
  name,
  start: async (bench) => {
    const part = await serve(bench)
    return {
      work: (seconds) => mixed(bench, part, seconds, share),
      usage: () => part.usage(),
      stop: () => part.stop(),
    }
  },
})

async function onPostgresql(bench: Bench): Promise<PartProcess> {
  const url = await productDatabase(bench, fleet)
  await withClient(url, (client) => client.query(HELD, heldValues()))
  return (await servedProduct(bench, url)).part
}

async function onPglite(bench: Bench): Promise<PartProcess> {
  const dataDir = await bench.folder()
  await (await openStorage({ dataDir }))[Symbol.asyncDispose]()
  const database = await PGlite.create({ dataDir: `${dataDir}/database` })
  const { text, values } = licenseRows(fleet)
  await database.query(text, values)
  await database.query(HELD, heldValues())
  await database.close()
  return bench.part('product', { env: { SERVICE_DATA_DIR: dataDir } })
}

/**
 * The requests of a large fleet, all kinds at once and for a minute. The variant with half of them shows how
 * a machine does that is too small for all.
 */
export const mix: Scenario = {
  name: 'mix',
  question: '5,000 heartbeats, 1,000 claims and 50 log posts a second, held for a minute',
  variants: [
    mixVariant(POSTGRESQL, { serve: onPostgresql }),
    mixVariant(HALF, { serve: onPostgresql, share: 0.5 }),
    mixVariant(PGLITE, { serve: onPglite }),
  ],
  baseline: POSTGRESQL,
  seconds: SECONDS,
  rounds: 1,
  gates: [
    { goal: 'mix-p99', figure: 'p99', of: POSTGRESQL, atMost: 50_000 },
    { goal: 'mix-errors', figure: 'errors', of: POSTGRESQL, atMost: 0 },
    { goal: 'mix-memory', figure: 'memoryGrowth', of: POSTGRESQL, atMost: 1.2 },
  ],
}
