import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import type { Bench } from '../bench.ts'
import { type Fleet, fingerprint, licenseId, licenseOf, withClient } from '../fleet.ts'
import type { Running, Scenario, Variant } from '../scenario.ts'
import { productDatabase, servedProduct } from '../served.ts'
import { type Asking, WaitingFleet } from '../waiting-fleet.ts'

const WAITS = 'hosts that wait 50 s'
const ASKS = 'hosts that ask every 5 s'
const PER_SECOND = 20
const FLEET: Fleet = { hosts: 5000, licenses: 200 }
// Hosts that ask have a license each, since twenty-five of one would be limited.
const ASKING: Fleet = { hosts: 5000, licenses: 5000 }

/** Longer than the time between two looks for missed jobs. */
const idleSeconds = (bench: Bench): number => (bench.isSmall ? 2 : 31)

const sized = (bench: Bench, fleet: Fleet): Fleet =>
  bench.isSmall ? { hosts: fleet.hosts / 50, licenses: fleet.licenses / 50 } : fleet

const variant = (name: string, of: Fleet, asking: Asking): Variant => ({
  name,
  start: async (bench): Promise<Running> => {
    const fleet = sized(bench, of)
    const url = await productDatabase(bench, fleet)
    await addHosts(url, fleet)
    const { part } = await servedProduct(bench, url, { flags: ['--expose-gc'] })
    const storage = await openStorage({ url, poolSize: 4 })
    const before = await part.usage()
    const heapBefore = await part.heapBytes()
    const hosts = new WaitingFleet(part.url, fleet, asking)
    await hosts.open()
    await pause(1000)
    const idle = await part.usage()
    await pause(1000 * idleSeconds(bench))
    const spent = (await part.usage()).cpuMicros - idle.cpuMicros
    const idleMicros = spent / fleet.hosts / idleSeconds(bench)
    const hostKib = ((await part.usage()).rssBytes - before.rssBytes) / 1024 / fleet.hosts
    const heapKib = ((await part.heapBytes()) - heapBefore) / 1024 / fleet.hosts
    return {
      work: async (seconds) => {
        const ordered = await orderJobs(storage, fleet, seconds)
        while (hosts.got < ordered && Object.keys(hosts.faults).length === 0) await pause(20)
        const latency = hosts.latency.toJSON()
        return {
          operations: ordered,
          seconds,
          latency,
          faults: hosts.faults,
          figures: { hostKib, heapKib, idleMicros },
        }
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
  variants: [variant(WAITS, FLEET, { waitSeconds: 50 }), variant(ASKS, ASKING, { pauseMs: 5000 })],
  baseline: ASKS,
  seconds: 10,
  rounds: 3,
  gates: [
    { goal: 'waits-p50', figure: 'p50', of: WAITS, atMost: 50_000 },
    { goal: 'waits-p99', figure: 'p99', of: WAITS, atMost: 250_000 },
    { goal: 'waits-memory', figure: 'hostKib', of: WAITS, atMost: 12 },
    { goal: 'waits-idle', figure: 'idleMicros', of: WAITS, over: ASKS, atMost: 0.2 },
  ],
}
