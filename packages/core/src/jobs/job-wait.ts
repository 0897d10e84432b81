import { type Agent, agentId, agentState } from '../agents/agent.ts'
import { shellWord } from '../shell-word.ts'
import type { Job } from './job.ts'

/** Time without a claim after which the hosts of a license seem not to ask for work, in seconds. */
const QUIET_SECONDS = 300

/** One reason why a job waits: a fixed word for scripts, a sentence for people. */
export interface WaitReason {
  readonly code:
    | 'not-pending'
    | 'not-due'
    | 'serialised'
    | 'host-unknown'
    | 'host-offline'
    | 'host-drained'
    | 'no-host'
    | 'no-claim-lately'
    | 'next'
  readonly text: string
}

/** The facts that explain why a job waits. */
export interface WaitFacts {
  readonly job: Job
  readonly holder: Job | undefined
  readonly hosts: readonly Agent[]
  readonly lastClaim: Date | undefined
  readonly now: Date
}

/**
 * Every reason that keeps a pending job waiting, the strongest first; a job that is not pending has one
 * reason, its state.
 */
export function explainWait(facts: WaitFacts): readonly WaitReason[] {
  const { job, holder, now } = facts
  if (job.state !== 'pending') return [{ code: 'not-pending', text: notPending(job, now) }]
  const reasons: WaitReason[] = []
  if (holder !== undefined) {
    reasons.push({
      code: 'serialised',
      text: `waits for ${holder.id} (${holder.kind}, ${holder.state}) to end`,
    })
  } else if (job.availableAt !== undefined && job.availableAt > now) {
    reasons.push({ code: 'not-due', text: `is not due before ${job.availableAt.toISOString()}` })
  }
  reasons.push(...hostReasons(facts))
  return reasons.length > 0
    ? reasons
    : [{ code: 'next', text: 'is due; the next claim of an eligible host takes it' }]
}

function notPending(job: Job, now: Date): string {
  if (job.state !== 'claimed' && job.state !== 'running') return `has ended: ${job.state}`
  const host = agentId(job.claimedBy ?? '')
  if (job.availableAt === undefined || job.availableAt > now) return `is ${job.state} on ${host}`
  return `is ${job.state} on ${host}, which has been silent past its lease; the next claim takes it over`
}

function hostReasons({ job, hosts, lastClaim, now }: WaitFacts): WaitReason[] {
  if (job.target !== '') {
    const host = hosts.find((each) => each.fingerprint === job.target)
    return host === undefined ? [unknownHost(job.target)] : unfit(host, now)
  }
  if (hosts.length === 0) return [{ code: 'no-host', text: 'no host has ever reported under this license' }]
  const reasons = hosts.map((host) => unfit(host, now))
  if (reasons.every((each) => each.length > 0)) return reasons.flat()
  const quiet = lastClaim === undefined || now.getTime() - lastClaim.getTime() > QUIET_SECONDS * 1000
  return quiet ? [{ code: 'no-claim-lately', text: 'no host has taken a job under this license lately' }] : []
}

const unknownHost = (fingerprint: string): WaitReason => ({
  code: 'host-unknown',
  text: `its host ${agentId(fingerprint)} has never reported`,
})

function unfit(host: Agent, now: Date): WaitReason[] {
  const id = agentId(host.fingerprint)
  const name = host.hostname === '' ? id : host.hostname
  if (host.drainedAt !== undefined) {
    const undo = `svc fleet undrain ${shellWord(id)}`
    return [{ code: 'host-drained', text: `host ${name} is drained; ${undo}` }]
  }
  const state = agentState(host, now)
  if (state !== 'offline' && state !== 'unknown') return []
  const since =
    host.lastHeartbeat === undefined ? 'never reported' : `silent since ${host.lastHeartbeat.toISOString()}`
  return [{ code: 'host-offline', text: `host ${name} is ${state}: ${since}` }]
}
