import type {
  DeployedApp,
  Deployment,
  DeploymentFilter,
  DeploymentsStore,
  NewDeployment,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes, jsonCopy } from '../../text-order.ts'

/** Deployments in memory; the state of each is read from its job. */
export function memoryDeploymentsStore(tables: MemoryTables, run: Run, time: () => Date): DeploymentsStore {
  const { deployments, jobs } = tables
  const toDeployment = (row: NewDeployment & { readonly createdAt: Date }): Deployment[] => {
    const job = jobs.get(row.jobId)?.job
    return job === undefined ? [] : [{ ...row, state: job.state, target: job.target }]
  }
  return {
    add: (deployment: NewDeployment, now = time()) => run(() => add(tables, deployment, now)),
    get: (id: string) =>
      run(() => {
        const row = deployments.get(id)
        return row === undefined ? undefined : toDeployment(row)[0]
      }),
    list: ({ licenseId, app, limit }: DeploymentFilter) =>
      run(() =>
        deployments
          .all()
          .filter((row) => licenseId === undefined || row.licenseId === licenseId)
          .filter((row) => app === undefined || row.app === app)
          .sort((one, other) => byBytes(other.id, one.id))
          .slice(0, limit)
          .flatMap(toDeployment),
      ),
    newestOf: (apps: readonly DeployedApp[]) =>
      run(() =>
        apps.flatMap(({ licenseId, app }) =>
          deployments
            .all()
            .filter((row) => row.licenseId === licenseId && row.app === app)
            .sort((one, other) => byBytes(other.id, one.id))
            .slice(0, 1)
            .flatMap(toDeployment),
        ),
      ),
  }
}

function add({ deployments, jobs }: MemoryTables, deployment: NewDeployment, now: Date): void {
  const { id, jobId, source } = deployment
  if (jobs.get(jobId) === undefined) throw new Error(`there is no job ${jobId}`)
  if (deployments.all().some((row) => row.id === id || row.jobId === jobId)) {
    throw new Error('there is a deployment with this id or of this job already')
  }
  deployments.put(id, { ...deployment, source: jsonCopy(source), createdAt: now })
}
