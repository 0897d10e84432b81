import { duration } from '../../kernel/duration.ts'
import { shellWord } from '../../kernel/shell-word.ts'
import { type License, shutText } from '../../people/licenses/license.ts'
import { type Agent, agentId, agentState } from '../agents/agent.ts'
import type { Job } from './job.ts'
import type { ListedJob } from './jobs-store.ts'
import { isRunBy } from './run-kinds.ts'

/** Time without a claim after which the hosts of a license seem not to ask for work, in seconds. */
const QUIET_SECONDS = 300

/** One reason why a job waits: a fixed word for scripts, a sentence for people. */
export interface WaitReason {
  readonly code:
    | 'not-pending'
    | 'license-shut'
    | 'not-due'
    | 'serialised'
    | 'host-unknown'
    | 'host-offline'
    | 'host-drained'
    | 'host-busy'
    | 'kind-not-run'
    | 'gives-way'
    | 'no-host'
    | 'no-claim-lately'
    | 'next'
  readonly text: string
}

/** The facts that explain why a job waits. */
export interface WaitFacts {
  readonly job: Job
  /** Undefined if the license of the job was never issued. */
  readonly license: License | undefined
  readonly holder: Job | undefined
  readonly hosts: readonly Agent[]
  /** Jobs that hosts of the license hold. */
  readonly held: readonly ListedJob[]
  readonly lastClaim: Date | undefined
  readonly now: Date
}

/**
 * Every reason that keeps a pending job waiting, the strongest first; a job that is not pending has one
 * reason, its state.
 */
export function explainWait(facts: WaitFacts): readonly WaitReason[] {
  const { job, license, holder, now } = facts
  if (job.state !== 'pending') return [{ code: 'not-pending', text: notPending(job, now) }]
  const reasons: WaitReason[] = []
  const shut = license && shutText(license, now)
  if (shut !== undefined) reasons.push({ code: 'license-shut', text: `waits, since ${shut}` })
  if (holder !== undefined) {
    reasons.push({
      code: 'serialised',
      text: `waits for ${holder.id} (${holder.kind}, ${holder.state}) to end`,
    })
  } else if (job.availableAt !== undefined && job.availableAt > now) {
    reasons.push({ code: 'not-due', text: `is not due before ${job.availableAt.toISOString()}` })
  }
  reasons.push(...hostReasons(facts, reasons.length > 0))
  if (job.serialKey !== undefined && !isRunBy(facts.hosts, job, now))
    reasons.push({ code: 'gives-way', text: givesWay(job.serialKey) })
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

const givesWay = (serialKey: string): string => `jobs of ${serialKey} that hosts run go ahead of it`

/** Says that a job waits for a host that runs its kind, and that others of its serial key go first. */
export function notRun({ kind, target, serialKey }: Job): string {
  const who =
    target === ''
      ? `no host of this license that is online runs ${kind}`
      : `the host that it is for does not run ${kind}, or is not online`
  return `${who}: the job waits${serialKey === undefined ? '' : `, and ${givesWay(serialKey)}`}`
}

// While something else keeps a job, hosts that take nothing say nothing about it.
function hostReasons(facts: WaitFacts, isKept: boolean): WaitReason[] {
  const { job, hosts, lastClaim, now } = facts
  if (job.target !== '') {
    const host = hosts.find((each) => each.fingerprint === job.target)
    if (host === undefined) return [unknownHost(job.target)]
    if (!runs(host, job))
      return [{ code: 'kind-not-run', text: `host ${nameOf(host)} does not run ${job.kind}` }]
    return unfit(host, facts)
  }
  if (hosts.length === 0) return [{ code: 'no-host', text: 'no host has ever reported under this license' }]
  const able = hosts.filter((host) => runs(host, job))
  if (able.length === 0) return [{ code: 'kind-not-run', text: `no host of this license runs ${job.kind}` }]
  const reasons = able.map((host) => unfit(host, facts))
  if (reasons.every((each) => each.length > 0)) return reasons.flat()
  if (isKept) return []
  const quiet = lastClaim === undefined || now.getTime() - lastClaim.getTime() > QUIET_SECONDS * 1000
  return quiet ? [{ code: 'no-claim-lately', text: 'no host has taken a job under this license lately' }] : []
}

const unknownHost = (fingerprint: string): WaitReason => ({
  code: 'host-unknown',
  text: `its host ${agentId(fingerprint)} has never reported`,
})

// A host that never said which kinds it runs is given jobs of all of them.
const runs = ({ kinds }: Agent, { kind }: Job): boolean => kinds === undefined || kinds.includes(kind)

const nameOf = ({ hostname, fingerprint }: Agent): string => hostname || agentId(fingerprint)

function unfit(host: Agent, { held, now }: WaitFacts): WaitReason[] {
  const id = agentId(host.fingerprint)
  const name = nameOf(host)
  if (host.drainedAt !== undefined) {
    const undo = `svc fleet undrain ${shellWord(id)}`
    return [{ code: 'host-drained', text: `host ${name} is drained; ${undo}` }]
  }
  const state = agentState(host, now)
  if (state === 'offline' || state === 'unknown') {
    const since =
      host.lastHeartbeat === undefined ? 'never reported' : `silent since ${host.lastHeartbeat.toISOString()}`
    return [{ code: 'host-offline', text: `host ${name} is ${state}: ${since}` }]
  }
  const { concurrency } = host
  const own = held.filter(({ claimedBy }) => claimedBy === host.fingerprint)
  if (own.length < (concurrency ?? 1)) return []
  const most = concurrency === undefined ? '' : `; it takes ${concurrency} at a time`
  return [{ code: 'host-busy', text: `host ${name} is busy with ${busyWith(own, now)}${most}` }]
}

/** Jobs of a busy host that its reason names. */
const NAMED_JOBS = 3

function busyWith(held: readonly ListedJob[], now: Date): string {
  const named = held.slice(0, NAMED_JOBS).map(({ id, kind, app, claimedAt }) => {
    const words = [kind, ...(app === undefined ? [] : [app])].join(' ')
    return `${id} (${words}${claimedAt === undefined ? '' : `, ${duration((now.getTime() - claimedAt.getTime()) / 1000)}`})`
  })
  const rest = held.length - named.length
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
