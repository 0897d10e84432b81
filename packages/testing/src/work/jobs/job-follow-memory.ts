import type { Job } from '@svc/core'
import type { MemoryTables } from '../../memory-tables.ts'
import { enqueue } from './job-queue-memory.ts'
import type { MemoryJob } from './memory-job.ts'

/** Stores the job that follows one that has succeeded, as the trigger of the database does. */
export function follow(tables: MemoryTables, ended: MemoryJob, now: Date): void {
  const [next, ...rest] = ended.job.successors ?? []
  if (next === undefined) return
  tables.jobs.put(ended.job.id, ended)
  const { licenseId, kind, payload, urgent, app, serialKey, maxAttempts, timeoutSeconds } = ended.job
  const { roll } = payload as { readonly roll?: { readonly host: number } }
  const { id, target, deploymentId } = next
  enqueue(
    tables,
    {
      ...{ id, licenseId, kind, target, urgent, app, serialKey, maxAttempts, timeoutSeconds, deploymentId },
      payload: roll === undefined ? payload : { ...payload, roll: { ...roll, host: roll.host + 1 } },
      ...{ sealedEnv: undefined, dedupeKey: undefined, retryOf: undefined, runAt: ended.dueAt },
      successors: rest.length === 0 ? undefined : rest,
    },
    now,
  )
  const before = tables.deployments.all().find(({ jobId }) => jobId === ended.job.id)
  if (deploymentId !== undefined && before !== undefined)
    tables.deployments.put(deploymentId, { ...before, id: deploymentId, jobId: id, createdAt: now })
  passOrders(tables, ['appDomains'], ended.job, id)
}

/** Has domains and databases follow the repeat of their newest job, as the trigger of the database does. */
export function repeated(tables: MemoryTables, { id, licenseId, retryOf }: Job): void {
  if (retryOf !== undefined)
    passOrders(tables, ['appDomains', 'appDatabases'], { id: retryOf, licenseId }, id)
}

/** Puts a job in the place of another one in the rows whose newest job that is. */
function passOrders(tables: MemoryTables, names: readonly string[], before: Owned, jobId: string): void {
  for (const name of names) {
    const rows = tables.of<Owned & { readonly jobId: string }>(name)
    for (const row of rows.all())
      if (row.jobId === before.id && row.licenseId === before.licenseId) rows.put(row.id, { ...row, jobId })
  }
}

type Owned = Pick<Job, 'id' | 'licenseId'>
