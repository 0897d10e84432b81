import { type Agent, agentId } from '../../../work/agents/agent.ts'
import { UNCONFIRMED_ERROR } from '../../../work/jobs/lease.ts'
import type { AlertHost, AlertKind } from '../alert.ts'
import type { AlertCondition } from './alert-condition.ts'
import type { FailedJob } from './alert-facts.ts'
import { hostOf, nameOf } from './alert-words.ts'

/** Reason of a cancel that the control plane requested itself. */
const TIMEOUT = 'timeout'

/** Returns the kind of a failure, or undefined if a person cancelled the job and it stopped. */
export function failureKind(job: FailedJob): AlertKind | undefined {
  if (job.error === UNCONFIRMED_ERROR) return 'cancel_unconfirmed'
  if (job.cancel !== undefined && job.cancel.reason !== TIMEOUT) return undefined
  return job.cancel === undefined && job.lost >= job.maxAttempts ? 'job_lost' : 'job_failed'
}

/** Returns the subject of a job for its dedup key: the application, else the kind and the target host. */
export const laneOf = (job: Pick<FailedJob, 'app' | 'kind' | 'target'>): string =>
  job.app === undefined ? `${job.kind}@${job.target}` : `app ${job.app}`

const SUMMARIES: Readonly<Partial<Record<AlertKind, string>>> = {
  job_failed: 'failed',
  job_lost: 'was lost: its hosts went silent while they held it',
  cancel_unconfirmed: 'was cancelled, and its host did not confirm that the work stopped',
}

/** Most characters of an error that a summary repeats. */
const MAX_ERROR_CHARS = 200

// Lost and unconfirmed jobs have a fixed error, which only repeats the summary.
function summaryOf(kind: AlertKind, job: string, error: string | undefined): string {
  const [line = ''] = (error ?? '').trim().split(/[\r\n]/)
  const chars = Array.from(line)
  const reason = chars.length > MAX_ERROR_CHARS ? `${chars.slice(0, MAX_ERROR_CHARS).join('')}…` : line
  const isSaid = kind !== 'job_failed' || reason === ''
  return `${job} ${SUMMARIES[kind]}${isSaid ? '' : `: ${reason}`}`
}

function hostFor(job: FailedJob, hosts: ReadonlyMap<string, Agent>): AlertHost | undefined {
  const fingerprint = job.claimedBy ?? (job.target === '' ? undefined : job.target)
  if (fingerprint === undefined) return undefined
  const agent = hosts.get(`${job.licenseId} ${fingerprint}`)
  return agent === undefined ? { fingerprint, hostname: '' } : hostOf(agent)
}

function failure(job: FailedJob, hosts: ReadonlyMap<string, Agent>): AlertCondition[] {
  const kind = failureKind(job)
  if (kind === undefined) return []
  const host = hostFor(job, hosts)
  const what = job.app === undefined ? job.kind : `${job.kind} of ${job.app}`
  const agent = host && hosts.get(`${job.licenseId} ${host.fingerprint}`)
  const where = host === undefined ? '' : ` on ${agent ? nameOf(agent) : agentId(host.fingerprint)}`
  return [
    {
      licenseId: job.licenseId,
      tenantId: undefined,
      dedupKey: `${kind}:${laneOf(job)}`,
      kind,
      severity: kind === 'job_failed' ? 'warning' : 'critical',
      summary: summaryOf(kind, `job ${what}${where}`, job.error),
      host,
      details: {
        job_id: job.id,
        job_kind: job.kind,
        ...(job.app === undefined ? {} : { app: job.app }),
        ...(job.deploymentId === undefined ? {} : { deployment_id: job.deploymentId }),
        ...(job.exitCode === undefined ? {} : { exit_code: job.exitCode }),
      },
      event: job.id,
    },
  ]
}

/** Returns the conditions about failed jobs without a later success. */
export function jobConditions(failures: readonly FailedJob[], hosts: readonly Agent[]): AlertCondition[] {
  const byKey = new Map(hosts.map((agent) => [`${agent.licenseId} ${agent.fingerprint}`, agent]))
  return failures.flatMap((job) => failure(job, byKey))
}
