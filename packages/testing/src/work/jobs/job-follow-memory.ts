import type { MemoryTables } from '../../memory-tables.ts'
import type { MemoryAppDomain } from '../apps/app-domains-store-memory.ts'
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
  const domains = tables.of<MemoryAppDomain>('appDomains')
  for (const domain of domains.all())
    if (domain.jobId === ended.job.id) domains.put(domain.id, { ...domain, jobId: id })
}
