import type { Bench } from '../bench.ts'
import { loopVariant } from '../loop-variant.ts'
import { READY } from '../parts/queue.ts'
import { startRedis } from '../redis.ts'
import type { Variant } from '../scenario.ts'
import { expectCount } from '../served.ts'

const SMALL_READY = 2000
const readyOf = ({ isSmall }: Bench) => (isSmall ? SMALL_READY : READY)

/** The product: `workers` hosts of one license. */
export const svcQueue = (name: string, workers: number, reportsRunning: boolean): Variant =>
  loopVariant({
    name,
    isPrepared: true,
    request: { workers },
    start: async (bench) => {
      const databaseUrl = await bench.database()
      const part = await bench.part('queue-svc', { databaseUrl, ready: readyOf(bench), reportsRunning })
      const done = `select count(*) from jobs j join deployments d on d.job_id = j.id where j.state = 'succeeded'`
      return { part, check: (counted) => expectCount(databaseUrl, done, counted) }
    },
  })

/** Batched statements on one bare table: what no queue of this kind can pass. */
export const bareQueue = (name: string, workers: number, reportsRunning: boolean): Variant =>
  loopVariant({
    name,
    isPrepared: true,
    request: { workers },
    start: async (bench) => {
      const databaseUrl = await bench.database()
      const part = await bench.part('queue-bare', { databaseUrl, ready: readyOf(bench), reportsRunning })
      const done = `select count(*) from jobs where state = 'succeeded'`
      return { part, check: (counted) => expectCount(databaseUrl, done, counted) }
    },
  })

/** pg-boss with `workers` consumers, `batchSize` jobs a fetch. */
export const pgBossQueue = (name: string, workers: number, batchSize: number): Variant =>
  loopVariant({
    name,
    isPrepared: true,
    request: { workers },
    start: async (bench) => {
      const databaseUrl = await bench.database()
      const part = await bench.part('queue-pg-boss', { databaseUrl, ready: readyOf(bench), batchSize })
      const done = `select count(*) from pgboss.job where state = 'completed'`
      return { part, check: (counted) => expectCount(databaseUrl, done, counted) }
    },
  })

/** graphile-worker, `prefetch` jobs leased to the process. */
export const graphileQueue = (name: string, prefetch: number): Variant =>
  loopVariant({
    name,
    isPrepared: true,
    request: {},
    start: async (bench) => {
      const databaseUrl = await bench.database()
      return { part: await bench.part('queue-graphile', { databaseUrl, ready: readyOf(bench), prefetch }) }
    },
  })

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
