import { PLATFORM } from '@svc/core'
import type { RetentionState } from '@svc/core/ports'
import { FakeClock, memoryStorage, testPlane } from '@svc/testing'
import { MemoryTables } from '../../../../testing/src/memory-tables.ts'

const HOST = 'fp-test'
const HELD = { held: true } as RetentionState

/** A plane, and jobs that ended some days ago; `held`: its database had jobs before it had rules. */
export async function retentionPlane({
  held = false,
  env = {},
  tables = new MemoryTables(),
}: {
  held?: boolean
  env?: Record<string, string>
  tables?: MemoryTables
} = {}) {
  const clock = new FakeClock(new Date('2026-01-05T12:00:00Z'))
  const storage = memoryStorage(clock, tables)
  const faked = testPlane({ clock, storage, env })
  if (held) tables.of<RetentionState>('retention').put('1', HELD)
  const [known] = await storage.licenses.list(PLATFORM)
  const license = known ?? (await faked.plane.licenses.issue({ label: 'web' })).license
  const { jobs, operations, metrics } = faked.plane
  const ended = async (app?: string) => {
    const payload = app === undefined ? {} : { app, source: { type: 'upload', sha: 'a'.repeat(40) } }
    const kind = app === undefined ? 'prune' : 'deploy'
    const { job } = await jobs.enqueue({ licenseId: license.id, kind, payload })
    await jobs.claim({ licenseId: license.id, fingerprint: HOST, claimKey: undefined })
    const owner = { jobId: job.id, licenseId: license.id, fingerprint: HOST, attempt: undefined }
    const lines = [{ ts: 1, line: 'a line' }]
    await jobs.appendLogs({ ...owner, lines, offset: undefined, idempotencyKey: undefined })
    await jobs.report({ ...owner, state: 'succeeded', exitCode: 0, error: undefined })
    return job.id
  }
  const tick = async (hours = 1) => {
    clock.advance({ hours })
    await faked.plane.scheduler.tick()
  }
  const is = async (id: string) => {
    const job = await storage.jobs.get(PLATFORM, id)
    return [job !== undefined, (await storage.jobs.logs(id, 0, 9)).length > 0]
  }
  const run = (name: string) => operations.run(name, {}, 'ann')
  return {
    tables,
    plane: faked.plane,
    clock,
    storage,
    ended,
    tick,
    is,
    run,
    operations,
    metrics,
    log: faked.log,
    license,
  }
}
/** Hours of days. */
export const days = (count: number) => 24 * count
