import { type Agent, OFFLINE_SECONDS } from '../agents/agent.ts'
import type { Job } from './job.ts'

/** The fields of a host that tell the kinds it runs. */
export type RunningHost = Pick<Agent, 'fingerprint' | 'kinds' | 'lastHeartbeat'>

const isLive = ({ lastHeartbeat }: RunningHost, now: Date): boolean =>
  lastHeartbeat !== undefined && now.getTime() - lastHeartbeat.getTime() <= OFFLINE_SECONDS * 1000

/**
 * Whether one of the hosts of a license that are online may take a job: it runs the kind, or has never
 * declared its kinds. True while none is online, since nobody knows then.
 */
export function isRunBy(
  hosts: readonly RunningHost[],
  { kind, target }: Pick<Job, 'kind' | 'target'>,
  now: Date,
): boolean {
  const live = hosts.filter((host) => isLive(host, now))
  return (
    live.length === 0 ||
    live.some(
      ({ fingerprint, kinds }) =>
        (target === '' || fingerprint === target) && (kinds === undefined || kinds.includes(kind)),
    )
  )
}
