import { PgBoss } from 'pg-boss'
import { closedLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'
import { Ledger, type QueueOptions, queuePart } from './queue.ts'

/** pg-boss, so many jobs a fetch. */
export interface PgBossOptions extends QueueOptions {
  readonly databaseUrl: string
  readonly batchSize: number
}

const QUEUE = 'deploy'
const CHUNK = 5000

/** Consumers that fetch and complete; its own maintenance is off while it is measured. */
export const start: StartPart<PgBossOptions> = async ({ databaseUrl, ready, batchSize }) => {
  const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE)
  const ledger = new Ledger()
  const data = { app: 'app', source: { type: 'image', image: 'example:1' } }
  const add = async (count: number) => {
    for (let left = count; left > 0; left -= CHUNK) {
      await boss.insert(
        QUEUE,
        Array.from({ length: Math.min(left, CHUNK) }, () => ({ data })),
      )
    }
  }
  const once = async () => {
    const jobs = await boss.fetch(QUEUE, { batchSize })
    if (jobs.length === 0) return false
    await boss.complete(
      QUEUE,
      jobs.map(({ id }) => id),
    )
    for (const { id } of jobs) ledger.note(id)
    return true
  }
  const run = async (request: Parameters<typeof closedLoop>[0]) => {
    const before = ledger.done
    const done = await closedLoop(request, once)
    return { ...done, operations: ledger.done - before }
  }
  return queuePart({ add, run, stop: () => boss.stop({ graceful: false }) }, ledger, ready)
}
