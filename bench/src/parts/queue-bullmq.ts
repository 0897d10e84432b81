import { Queue, Worker } from 'bullmq'
import { treeCpuMicros } from '../measure/process-cpu.ts'
import type { StartPart } from '../part.ts'
import { Ledger, type QueueOptions, queuePart } from './queue.ts'
import { TimedJobs } from './timed-jobs.ts'

/** Options of BullMQ on a Redis that runs already. */
export interface BullMqOptions extends QueueOptions {
  readonly port: number
  /** Process id of the Redis, to read its processor time. */
  readonly pid: number
}

const NAME = 'deploy'
const CHUNK = 2000
const CONCURRENCY = 64

/** Runs one worker with as many concurrent handlers as other queues have hosts. */
export const start: StartPart<BullMqOptions> = async ({ port, pid, ready }) => {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null }
  const queue = new Queue(NAME, { connection })
  const ledger = new Ledger()
  const add = async (count: number) => {
    const data = { app: 'app', source: { type: 'image', image: 'example:1' } }
    for (let left = count; left > 0; left -= CHUNK) {
      await queue.addBulk(Array.from({ length: Math.min(left, CHUNK) }, () => ({ name: NAME, data })))
    }
  }
  const run = async ({ seconds }: { readonly seconds: number }) => {
    const timed = new TimedJobs()
    const cpuBefore = treeCpuMicros(pid) ?? 0
    const worker = new Worker(NAME, async (job) => timed.begin(job.id ?? ''), {
      connection,
      concurrency: CONCURRENCY,
    })
    worker.on('error', () => {})
    worker.on('completed', ({ id = '' }) => {
      timed.end(id)
      ledger.note(id)
    })
    await timed.over(seconds)
    const done = timed.done()
    const before = ledger.done
    await worker.close()
    const databaseMicros = (treeCpuMicros(pid) ?? 0) - cpuBefore
    return { ...done, answered: done.operations + ledger.done - before, databaseMicros }
  }
  return queuePart({ add, run, stop: () => queue.close() }, ledger, ready)
}
