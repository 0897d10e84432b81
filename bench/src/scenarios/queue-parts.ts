import type { Bench } from '../bench.ts'
import type { Fleet } from '../fleet.ts'
import { loopVariant } from '../loop-variant.ts'
import type { BARE_TABLES } from '../parts/bare-tables.ts'
import { READY } from '../parts/queue.ts'
import { startRedis } from '../redis.ts'
import type { Variant } from '../scenario.ts'
import { expectCount } from '../served.ts'

const SMALL_READY = 2000
const readyOf = ({ isSmall }: Bench) => (isSmall ? SMALL_READY : READY)

interface QueueVariant {
  readonly name: string
  readonly module: string
  readonly options: Readonly<Record<string, unknown>>
  readonly workers?: number
  /** Counts the work done. */
  readonly done?: string
}

const queue = ({ name, module, options, workers, done }: QueueVariant): Variant =>
  loopVariant({
    name,
    isPrepared: true,
    request: workers === undefined ? {} : { workers },
    start: async (bench) => {
      const databaseUrl = await bench.database()
      const part = await bench.part(module, { databaseUrl, ready: readyOf(bench), ...options })
      if (done === undefined) return { part }
      return { part, check: (counted) => expectCount(databaseUrl, done, counted) }
    },
  })

/** The product: each host of the fleet works on one job at a time. */
export const svcQueue = (name: string, fleet: Fleet, reportsRunning: boolean): Variant =>
  productQueue('queue-svc', name, fleet, { reportsRunning })

/** The product whose jobs are told to an endpoint of each license. */
export const toldQueue = (name: string, fleet: Fleet): Variant =>
  productQueue('queue-svc', name, fleet, { reportsRunning: true, tells: true })

/** Its statements in batches, and nothing around them. */
export const statementsQueue = (name: string, fleet: Fleet, reportsRunning: boolean): Variant =>
  productQueue('queue-statements', name, fleet, { reportsRunning })

const productQueue = (
  module: string,
  name: string,
  fleet: Fleet,
  habits: { readonly reportsRunning: boolean; readonly tells?: boolean },
): Variant =>
  queue({
    name,
    module,
    options: { fleet, ...habits },
    workers: fleet.hosts,
    done: `select count(*) from jobs j join deployments d on d.job_id = j.id where j.state = 'succeeded'`,
  })

/** Batched statements and nothing around them, on the least of tables or on the product's. */
export const bareQueue = (
  name: string,
  workers: number,
  reportsRunning: boolean,
  table: keyof typeof BARE_TABLES = 'least',
): Variant =>
  queue({
    name,
    module: 'queue-bare',
    options: { reportsRunning, table },
    workers,
    done: `select count(*) from jobs where state = 'succeeded'`,
  })

/** pg-boss with `workers` consumers, `batchSize` jobs a fetch. */
export const pgBossQueue = (name: string, workers: number, batchSize: number): Variant =>
  queue({
    name,
    module: 'queue-pg-boss',
    options: { batchSize },
    workers,
    done: `select count(*) from pgboss.job where state = 'completed'`,
  })

/** graphile-worker, `prefetch` jobs leased to the process. */
export const graphileQueue = (name: string, prefetch: number): Variant =>
  queue({ name, module: 'queue-graphile', options: { prefetch } })

/** BullMQ on a Redis of the run's own. */
export const bullMqQueue = (name: string): Variant => ({
  name,
  start: async (bench) => {
    const redis = await startRedis(await bench.folder())
    const loop = loopVariant({
      name,
      isPrepared: true,
      request: {},
      start: async () => {
        const { port, pid } = redis
        return { part: await bench.part('queue-bullmq', { port, pid, ready: readyOf(bench) }) }
      },
    })
    const running = await loop.start(bench)
    const stop = async () => {
      await running.stop()
      await redis[Symbol.asyncDispose]()
    }
    return { ...running, stop }
  },
})
