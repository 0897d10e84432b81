import type { Ids } from '../../kernel/ids.ts'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { type Job, type JobKind, MAX_ATTEMPTS, TIMEOUT_SECONDS } from './job.ts'
import { appOf, makesDeployment, type Payload } from './job-payload.ts'
import type { NewJob } from './jobs-store.ts'

/** A job as an operator orders it. */
export interface EnqueueInput {
  readonly licenseId: string
  readonly kind: JobKind
  readonly payload: unknown
  /** Full fingerprint of the only host that may do it; absent: any host of the license. */
  readonly target?: string | undefined
  readonly urgent?: boolean | undefined
  /** Default: `app:<app>` for kinds that work on an app. */
  readonly serialKey?: string | undefined
  readonly dedupeKey?: string | undefined
  readonly runAt?: Date | undefined
  readonly maxAttempts?: number | undefined
  readonly timeoutSeconds?: number | undefined
  /** The maker of the deployment that comes with it: an operator's name, or a push. */
  readonly madeBy?: string | undefined
  /** Full fingerprints of hosts that do it after `target`, each when the one before has succeeded. */
  readonly successors?: readonly string[] | undefined
}

/** Returns the job to be stored for an order. */
export function newJob(ids: Ids, input: EnqueueInput, payload: Payload, retryOf?: string): NewJob {
  const app = appOf(payload)
  const { successors = [] } = input
  const identity = () => ({
    id: ids.next('job'),
    deploymentId: makesDeployment(input.kind, payload) ? ids.next('dep') : undefined,
  })
  return {
    ...identity(),
    licenseId: input.licenseId,
    kind: input.kind,
    payload,
    sealedEnv: undefined,
    target: input.target ?? '',
    urgent: input.urgent ?? false,
    app,
    serialKey: input.serialKey ?? (app === undefined ? undefined : `app:${app}`),
    dedupeKey: input.dedupeKey,
    successors:
      successors.length === 0
        ? undefined
        : successors.map((target) => {
            const { id, deploymentId } = identity()
            return { id, target, ...present('deploymentId', deploymentId) }
          }),
    retryOf,
    runAt: input.runAt,
    maxAttempts: input.maxAttempts ?? MAX_ATTEMPTS,
    timeoutSeconds: input.timeoutSeconds ?? TIMEOUT_SECONDS,
  }
}

/**
 * A redeploy that names no source has the source of its app's last deployment.
 * @throws Problem `conflict` when there is none
 */
export async function withLastSource(
  { deployments }: Pick<Stores, 'deployments'>,
  { licenseId, kind }: Pick<EnqueueInput, 'licenseId' | 'kind'>,
  payload: Payload,
): Promise<Payload> {
  const app = appOf(payload)
  if (kind !== 'redeploy' || payload.source !== undefined || app === undefined) return payload
  const [last] = await deployments.list({ licenseId, app, limit: 1 })
  if (last !== undefined) return { ...payload, source: last.source }
  throw new Problem('conflict', {
    detail: `${app} was never deployed, so there is no last source: name one in the payload`,
  })
}

/** Stores a job with the deployment that it makes, if it makes one. */
export async function storeJob(
  { apps, jobs, deployments }: Pick<Stores, 'apps' | 'jobs' | 'deployments'>,
  job: NewJob,
  madeBy: string | undefined,
  now: Date | undefined,
): Promise<{ job: Job; created: boolean }> {
  const result = await jobs.enqueue(job, now)
  if (!result.created || job.deploymentId === undefined || job.app === undefined) return result
  const source = (job.payload.source ?? {}) as Record<string, unknown>
  const { licenseId, app } = job
  await apps.ensure({ licenseId, name: app }, now)
  await deployments.add({ id: job.deploymentId, licenseId, jobId: job.id, app, source, madeBy }, now)
  return result
}
