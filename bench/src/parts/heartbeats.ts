import { PGlite } from '@electric-sql/pglite'
import type { AgentsStore } from '@svc/core/ports'
import { migrate, openStorage } from '@svc/core/sql'
import pg from 'pg'
import { migrateDriver } from '../../../packages/core/src/platform/database/migrator.ts'
import { pgliteDriver } from '../../../packages/core/src/platform/database/orm.ts'
import { heartbeats } from '../../../packages/core/src/work/agents/agents-store-sql.ts'
import { renewBatch } from '../../../packages/core/src/work/jobs/job-renew-sql.ts'
import { type Fleet, fingerprint, licenseId, licenseOf } from '../fleet.ts'
import { closedLoop, type LoopRequest } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { BareBatch } from './bare-batch.ts'
import { bareLanes } from './bare-lanes.ts'
import { ListedJobs } from './listed-jobs.ts'

const WAYS = { svc, listing, apart, statement, crowd, single }

/** How heartbeats are stored in the process: a database by its URL, or one in a folder. */
export interface HeartbeatsOptions {
  readonly way: keyof typeof WAYS
  readonly source: { readonly url: string } | { readonly dataDir: string }
  readonly fleet: Fleet
}

type Beat = Parameters<AgentsStore['heartbeat']>[0]

/** Stores one heartbeat and returns the host's count from the database. */
interface HeartbeatKeeper extends AsyncDisposable {
  beat(beat: Beat): Promise<number>
}

/** Concurrent callers that make the fleet known. */
const KNOWN_BY = 64

/** Heartbeats of a fleet, each host in its turn, straight into storage. */
export const start: StartPart<HeartbeatsOptions> = async ({ way, source, fleet }) => {
  const keeper = await WAYS[way](source, fleet)
  const beats = Array.from({ length: fleet.hosts }, (_, host) => beatOf(fleet, host))
  const seen = new Map<string, number>()
  let next = 0
  const once = async () => {
    const beat = beats[next] as Beat
    next = (next + 1) % beats.length
    const seq = await keeper.beat(beat)
    const last = seen.get(beat.fingerprint) ?? 0
    if (seq <= last) throw new Error(`the count of a host went from ${last} to ${seq}`)
    seen.set(beat.fingerprint, seq)
    return true
  }
  // The fleet is known before anything is measured: a first heartbeat makes a row and its index entry, all
  // others change it.
  await closedLoop({ workers: KNOWN_BY, seconds: Number.POSITIVE_INFINITY, limit: beats.length }, once)
  return {
    commands: { run: (request: LoopRequest) => closedLoop(request, once) },
    stop: async () => keeper[Symbol.asyncDispose](),
  }
}

const beatOf = (fleet: Fleet, host: number): Beat => ({
  licenseId: licenseId(licenseOf(fleet, host)),
  fingerprint: fingerprint(host),
  hostname: `host-${host}.example.com`,
  version: '1.4.2',
  state: 'ok',
  bootId: undefined,
  cpuPct: 12.5,
  memPct: 41.25,
  diskPct: 63.5,
  diskTotalGb: 480,
  lastCaptureAt: 1_760_000_000,
  captureSuccess: true,
  lastDrillAt: undefined,
  drillPass: undefined,
})

/** The product's store. */
async function svc(source: HeartbeatsOptions['source']): Promise<HeartbeatKeeper> {
  if ('url' in source) await migrate(source.url)
  const storage = await openStorage(source)
  return {
    beat: async (beat) => (await storage.agents.heartbeat(beat)).seq,
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

/** The product's stores, each heartbeat with the renewal of the job that it lists. */
async function listing(source: HeartbeatsOptions['source'], fleet: Fleet): Promise<HeartbeatKeeper> {
  if (!('url' in source)) throw new Error('there is no such way on PGlite')
  await migrate(source.url)
  const listed = new ListedJobs()
  await listed.add(source.url, fleet)
  const storage = await openStorage(source)
  return {
    beat: async (beat) => {
      const { seq } = await storage.agents.heartbeat(beat)
      const { owners, leaseSeconds, now } = listed.renewal(beat, seq)
      listed.check(await storage.jobs.renew(owners, leaseSeconds, now), seq)
      return seq
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

/** The same, but each renewal is a statement of its own. */
async function apart(source: HeartbeatsOptions['source'], fleet: Fleet): Promise<HeartbeatKeeper> {
  if (!('url' in source)) throw new Error('there is no such way on PGlite')
  await migrate(source.url)
  const listed = new ListedJobs()
  await listed.add(source.url, fleet)
  const storage = await openStorage(source)
  const { rows, close } = bareLanes(source.url, 10)
  return {
    beat: async (beat) => {
      const { seq } = await storage.agents.heartbeat(beat)
      const [moved] = await renewBatch([listed.renewal(beat, seq)], rows)
      listed.check(moved, seq)
      return seq
    },
    [Symbol.asyncDispose]: async () => {
      await storage[Symbol.asyncDispose]()
      await close()
    },
  }
}

/** Runs only the product's statement for one host, once a heartbeat, on PostgreSQL. */
async function statement(source: HeartbeatsOptions['source']): Promise<HeartbeatKeeper> {
  if (!('url' in source)) throw new Error('there is no such way on PGlite')
  await migrate(source.url)
  const { rows, close } = bareLanes(source.url, 10)
  return {
    beat: async (write) => (await heartbeats([{ write, now: undefined }], rows))[0]?.seq ?? 0,
    [Symbol.asyncDispose]: close,
  }
}

/** Runs only the product's statement for many heartbeats together, on PGlite. */
async function crowd(source: HeartbeatsOptions['source']): Promise<HeartbeatKeeper> {
  if (!('dataDir' in source)) throw new Error('there is no such way on PostgreSQL')
  const driver = await pgliteDriver(source)
  await migrateDriver(driver)
  const { hotRows, lanes, close } = driver
  const together = (beats: readonly Beat[]) =>
    heartbeats(
      beats.map((write) => ({ write, now: undefined })),
      hotRows,
    )
  const batch = new BareBatch(together, lanes)
  return { beat: async (beat) => (await batch.ask(beat))?.seq ?? 0, [Symbol.asyncDispose]: close }
}

const CREATE = `create table hosts (license_id text, fingerprint text, hostname text, version text, state text,
  cpu_pct float8, mem_pct float8, disk_pct float8, disk_total_gb float8, last_capture_at float8,
  capture_success boolean, seq bigint not null default 1, last_heartbeat timestamptz not null default now(),
  primary key (license_id, fingerprint)) with (fillfactor = 70)`
const COLUMNS =
  'hostname, version, state, cpu_pct, mem_pct, disk_pct, disk_total_gb, last_capture_at, capture_success'
const UPSERT = `insert into hosts as h (license_id, fingerprint, ${COLUMNS})
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (license_id, fingerprint)
  do update set (${COLUMNS}) = row(${COLUMNS.replaceAll(/\w+/g, 'excluded.$&')}), seq = h.seq + 1,
    last_heartbeat = now() returning seq::float8 as seq`

const valuesOf = (beat: Beat): unknown[] => [
  beat.licenseId,
  beat.fingerprint,
  beat.hostname,
  beat.version,
  beat.state,
  beat.cpuPct,
  beat.memPct,
  beat.diskPct,
  beat.diskTotalGb,
  beat.lastCaptureAt,
  beat.captureSuccess,
]

/** One upsert a heartbeat: prepared on PostgreSQL, as its manual shows it on PGlite. */
async function single(source: HeartbeatsOptions['source']): Promise<HeartbeatKeeper> {
  if ('dataDir' in source) {
    const pglite = await PGlite.create({ dataDir: source.dataDir })
    await pglite.exec(CREATE)
    return {
      beat: async (beat) => (await pglite.query<{ seq: number }>(UPSERT, valuesOf(beat))).rows[0]?.seq ?? 0,
      [Symbol.asyncDispose]: () => pglite.close(),
    }
  }
  const pool = new pg.Pool({ connectionString: source.url, max: 10 })
  await pool.query(CREATE)
  return {
    beat: async (beat) =>
      (await pool.query({ name: 'upsert', text: UPSERT, values: valuesOf(beat) })).rows[0].seq,
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
