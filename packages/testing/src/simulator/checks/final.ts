import type { MemoryTables } from '../../memory-tables.ts'
import type { Operator } from '../operator.ts'
import type { Verdict } from '../verdict.ts'
import { isEnded, spell } from './held.ts'

/** Inputs of the check at the end of a run. */
export interface FinalFacts {
  readonly tables: MemoryTables
  readonly operator: Pick<Operator, 'enqueued' | 'operated' | 'revoked'>
}

/**
 * Checks the end of a run: no acknowledged job is lost, every job has ended, and every deployment has its
 * job.
 */
export function checkEnd({ tables, operator }: FinalFacts, verdict: Verdict): void {
  const { enqueued, operated, revoked } = operator
  for (const id of enqueued) {
    verdict.expect(
      tables.jobs.get(id) !== undefined,
      'I4 no job lost',
      () => `${id} was acknowledged and is gone`,
    )
  }
  const deployments = new Map(tables.deployments.all().map((each) => [each.id, each]))
  for (const row of tables.jobs.all()) {
    const { id, deploymentId, licenseId, state } = row.job
    const mirror = deploymentId === undefined ? undefined : deployments.get(deploymentId)
    const isMirrored = deploymentId === undefined || (mirror?.jobId === id && mirror.licenseId === licenseId)
    verdict.expect(isMirrored, 'a deployment is stored with its job', () => spell(row))
    const isDone = isEnded(state) || revoked.has(licenseId)
    verdict.expect(isDone, 'I4 every job ends once faults stop', () => spell(row))
  }
  const audited = tables.audit.all().length
  verdict.expect(
    audited >= operated,
    'operations are audited',
    () => `${operated} were answered, ${audited} audited`,
  )
}
