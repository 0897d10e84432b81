import { Logger, makeWorkerUtils, run as runWorker } from 'graphile-worker'
import type { StartPart } from '../part.ts'
import { Ledger, type QueueOptions, queuePart } from './queue.ts'
import { TimedJobs } from './timed-jobs.ts'

/** graphile-worker, with or without its local queue. */
export interface GraphileOptions extends QueueOptions {
  readonly databaseUrl: string
  /** Jobs leased to the process at once; 0: each is fetched by itself. */
  readonly prefetch: number
}

const TASK = 'deploy'
const CHUNK = 5000
/** More at once does not make it quicker on a pool of ten. */
const CONCURRENT_JOBS = 24

const logger = new Logger(() => () => {})

/** Handlers that do nothing, on the pool that it recommends. */
export const start: StartPart<GraphileOptions> = async ({ databaseUrl, ready, prefetch }) => {
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger })
  await utils.migrate()
  const ledger = new Ledger()
  const add = async (count: number) => {
    const payload = { app: 'app', source: { type: 'image', image: 'example:1' } }
    for (let left = count; left > 0; left -= CHUNK) {
      await utils.addJobs(
        Array.from({ length: Math.min(left, CHUNK) }, () => ({ identifier: TASK, payload })),
      )
    }
  }
  const batching = { localQueue: { size: prefetch }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
  const worker = {
    connectionString: databaseUrl,
    concurrentJobs: CONCURRENT_JOBS,
    maxPoolSize: CONCURRENT_JOBS + 2,
    pollInterval: 100,
    ...(prefetch > 0 ? batching : {}),
  }
  const run = async ({ seconds }: { readonly seconds: number }) => {
    const timed = new TimedJobs()
    const runner = await runWorker({
      preset: { worker },
      logger,
      noHandleSignals: true,
      taskList: { [TASK]: async () => {} },
    })
    runner.events.on('job:start', ({ job }) => timed.begin(job.id))
    runner.events.on('job:complete', ({ job }) => {
      timed.end(job.id)
      ledger.note(job.id)
    })
    await timed.over(seconds)
    const done = timed.done()
    const before = ledger.done
    await runner.stop()
    return { ...done, answered: done.operations + ledger.done - before }
  }
  return queuePart({ add, run, stop: async () => utils.release() }, ledger, ready)
}
