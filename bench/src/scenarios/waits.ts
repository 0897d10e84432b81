import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import type { Bench } from '../bench.ts'
import { type Fleet, fingerprint, licenseId, licenseOf, withClient } from '../fleet.ts'
import type { PartProcess } from '../part-process.ts'
import type { Running, Scenario, Variant } from '../scenario.ts'
import { productDatabase, servedProduct } from '../served.ts'
import { type Asking, WaitingFleet } from '../waiting-fleet.ts'

const WAITS = 'hosts that wait 50 s'
const ASKS = 'hosts that ask every 5 s'
const HELD = 'node:http, requests held'
const ALL = 'as many hosts as one replica lets wait'
const PER_SECOND = 20
const FLEET: Fleet = { hosts: 5000, licenses: 200 }

/** Files that a process may open, and a number that it needs for other things than hosts. */
const OPEN_FILES = Number(/open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024)
const OTHER_FILES = 1000
/** A replica lets 20,000 hosts wait; a machine may let it have fewer connections. */
const MOST_HOSTS = Math.min(20_000, OPEN_FILES - OTHER_FILES)
const LARGE: Fleet = { hosts: MOST_HOSTS, licenses: Math.floor(MOST_HOSTS / 25) }
// Hosts that ask have a license each, since twenty-five of one would be limited.
const ASKING: Fleet = { hosts: 5000, licenses: 5000 }

/** Longer than the time between two looks for missed jobs. */
const idleSeconds = (bench: Bench): number => (bench.isSmall ? 2 : 31)

const sized = (bench: Bench, fleet: Fleet): Fleet =>
  bench.isSmall ? { hosts: fleet.hosts / 50, licenses: fleet.licenses / 50 } : fleet

/** Memory that hosts take while they wait, in KiB a host. */
interface Memory {
  /** Resident memory of the process. */
  readonly hostKib: number
  /** In use after a collection of garbage. */
  readonly heapKib: number
}

const LOOKS = 60
/** One quiet second may be a second of other programs. */
const QUIET_LOOKS = 3
/** Processor time of an idle second. */
const IDLE_MICROS = 150_000

/** Waits until a process has answered the first requests of a fleet, or for a minute. */
async function settled(part: PartProcess): Promise<void> {
  for (let look = 0, quiet = 0; look < LOOKS && quiet < QUIET_LOOKS; look += 1) {
    const { cpuMicros } = await part.usage()
    await pause(1000)
    quiet = (await part.usage()).cpuMicros - cpuMicros < IDLE_MICROS ? quiet + 1 : 0
  }
}

/** Opens the connections of a fleet, and returns the memory that a process takes for them. */
async function memoryOf(part: PartProcess, hosts: WaitingFleet, fleet: Fleet): Promise<Memory> {
  const heap = await part.heapBytes()
  const { rssBytes } = await part.usage()
  await hosts.open()
  await settled(part)
  const hostKib = ((await part.usage()).rssBytes - rssBytes) / 1024 / fleet.hosts
  return { hostKib, heapKib: ((await part.heapBytes()) - heap) / 1024 / fleet.hosts }
}

const FLAGS = ['--expose-gc']

const variant = (name: string, of: Fleet, asking: Asking): Variant => ({
  name,
  start: async (bench): Promise<Running> => {
    const fleet = sized(bench, of)
    const url = await productDatabase(bench, fleet)
    await addHosts(url, fleet)
    const drainMs = 'waitSeconds' in asking ? await drainOf(bench, url, fleet, asking) : 0
    const { part } = await servedProduct(bench, url, { flags: FLAGS })
    const storage = await openStorage({ url, poolSize: 4 })
    const hosts = new WaitingFleet(part.url, fleet, asking)
    const memory = await memoryOf(part, hosts, fleet)
    const idle = await part.usage()
    await pause(1000 * idleSeconds(bench))
    const spent = (await part.usage()).cpuMicros - idle.cpuMicros
    const idleMicros = spent / fleet.hosts / idleSeconds(bench)
    return {
      work: async (seconds) => {
        const ordered = await orderJobs(storage, fleet, seconds)
        while (hosts.got < ordered && Object.keys(hosts.faults).length === 0) await pause(20)
        const latency = hosts.latency.toJSON()
        const figures = { ...memory, idleMicros, drainMs }
        return { operations: ordered, seconds, latency, faults: hosts.faults, figures }
      },
      usage: () => part.usage(),
      stop: async () => {
        hosts.close()
        await storage[Symbol.asyncDispose]()
        await part.stop()
      },
    }
  },
})

/**
 * Stops a replica with a fleet that waits, and returns how long it takes until each host has its answer.
 * @throws Error when a host has none
 */
async function drainOf(bench: Bench, url: string, fleet: Fleet, asking: Asking): Promise<number> {
  const { part } = await servedProduct(bench, url)
  const hosts = new WaitingFleet(part.url, fleet, asking)
  await hosts.open()
  await settled(part)
  hosts.rest()
  const start = performance.now()
  const stopped = part.stop()
  while (hosts.sentHome < fleet.hosts && performance.now() - start < DRAIN_MS) await pause(5)
  const took = performance.now() - start
  await stopped
  hosts.close()
  if (hosts.sentHome < fleet.hosts) throw new Error(`${fleet.hosts - hosts.sentHome} hosts had no answer`)
  return took
}

const DRAIN_MS = 20_000

/** Requests that are read and held, by nothing but `node:http`. */
const held = (of: Fleet): Variant => ({
  name: HELD,
  start: async (bench): Promise<Running> => {
    const fleet = sized(bench, of)
    const part = await bench.part('bare-held', null, FLAGS)
    const hosts = new WaitingFleet(part.url, fleet, { waitSeconds: 50 })
    const memory = await memoryOf(part, hosts, fleet)
    return {
      work: async (seconds) => {
        await pause(1000 * seconds)
        return { operations: fleet.hosts, seconds, faults: hosts.faults, figures: { ...memory } }
      },
      stop: async () => {
        hosts.close()
        await part.stop()
      },
    }
  },
})

async function addHosts(url: string, fleet: Fleet): Promise<void> {
  await withClient(url, async (client) => {
    const hosts = Array.from({ length: fleet.hosts }, (_, host) => host)
    const values = [hosts.map((host) => licenseId(licenseOf(fleet, host))), hosts.map(fingerprint)]
    await client.query(
      'insert into agents (license_id, fingerprint) select * from unnest($1::text[], $2::text[])',
      values,
    )
    await client.query('vacuum analyze agents')
  })
}

/** Orders jobs for any host of the licenses in turn, at an even pace; returns their number. */
async function orderJobs(storage: Storage, fleet: Fleet, seconds: number): Promise<number> {
  const jobs = Math.round(PER_SECOND * seconds)
  const start = performance.now()
  for (let number = 0; number < jobs; number += 1) {
    await pause(Math.max(0, start + (1000 * number) / PER_SECOND - performance.now()))
    await storage.jobs.enqueue({
      ...{
        id: `job_${process.pid}_${start}_${number}`.replace('.', '_'),
        licenseId: licenseId(number % fleet.licenses),
      },
      ...{ kind: 'prune', payload: { ordered_at: performance.timeOrigin + performance.now() }, target: '' },
      ...{
        sealedEnv: undefined,
        successors: undefined,
        urgent: false,
        app: undefined,
        serialKey: undefined,
        dedupeKey: undefined,
        deploymentId: undefined,
      },
      ...{ retryOf: undefined, runAt: undefined, maxAttempts: 3, timeoutSeconds: 3600 },
    })
  }
  return jobs
}

/** How soon a host begins a job, and the cost of a fleet that waits. */
export const waits: Scenario = {
  name: 'waits',
  question: 'From the order of a job to its host over HTTP, with 5,000 idle hosts, 20 jobs a second',
  variants: [
    variant(WAITS, FLEET, { waitSeconds: 50 }),
    variant(ASKS, ASKING, { pauseMs: 5000 }),
    held(FLEET),
  ],
  baseline: ASKS,
  seconds: 10,
  rounds: 3,
  gates: [
    { goal: 'waits-p50', figure: 'p50', of: WAITS, atMost: 50_000 },
    { goal: 'waits-p99', figure: 'p99', of: WAITS, atMost: 250_000 },
    { goal: 'waits-memory', figure: 'hostKib', of: WAITS, pieces: HELD, atMost: 12 },
    { goal: 'waits-idle', figure: 'idleMicros', of: WAITS, over: ASKS, atMost: 0.2 },
  ],
}

/** As many hosts as one replica lets wait. */
export const waitsOfAll: Scenario = {
  name: 'waits-20000',
  question: 'The same with 20,000 idle hosts at one replica, or as many as may open a connection here',
  variants: [variant(ALL, LARGE, { waitSeconds: 50 })],
  baseline: ALL,
  seconds: 10,
  rounds: 2,
  gates: [
    { goal: 'waits-20000-p99', figure: 'p99', of: ALL, atMost: 250_000 },
    { goal: 'waits-20000-drain', figure: 'drainMs', of: ALL, atMost: 5000 },
  ],
}
