import { Problem } from '../../kernel/problem.ts'
import { ofLicense, PLATFORM, type Scope } from '../../kernel/scope.ts'
import { SharedReads } from '../../kernel/shared-reads.ts'
import { shellWord } from '../../kernel/shell-word.ts'
import type { Base } from '../../platform/base.ts'
import type { HostUsages } from '../host-usage/host-usage.ts'
import type { JobState } from '../jobs/job.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type Agent, agentId, HEARTBEAT_SECONDS, OFFLINE_SECONDS } from './agent.ts'
import type { AgentMetrics } from './agent-metrics.ts'
import type { AgentChange, HeartbeatWrite } from './agents-store.ts'
import {
  type FleetBackup,
  type FleetServer,
  fleetBackup,
  fleetServer,
  type OperatorServer,
  operatorServer,
} from './fleet.ts'
import { HostLimit } from './host-limit.ts'
import { hostCalled } from './host-name.ts'
import { type HostView, hostView } from './host-view.ts'
import { REFRESH_TYP, refreshClaims } from './refresh.ts'

/** The parts that `Agents` is built from. */
export interface AgentsParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'signer' | 'issuer' | 'log'> {
  readonly jobs: Jobs
  readonly hostUsage: Pick<HostUsages, 'note'>
  readonly metrics: AgentMetrics
  /** Most hosts of a license; hosts that are known already stay. */
  readonly hostsPerLicense: number
}

/** A heartbeat with the jobs whose leases it renews. */
export interface Heartbeat extends HeartbeatWrite {
  readonly jobs: readonly { readonly id: string; readonly attempt: number }[]
}

/** The answer to a heartbeat. */
export interface HeartbeatAnswer {
  /** Seconds until the next one. */
  readonly nextInterval: number
  /** Signed, fingerprint-bound; undefined without a usable signing key. */
  readonly refresh: string | undefined
  readonly cancel: readonly string[]
}

/** Reads of the hosts of a license. They have no limit (spec, Limits), so those that meet share one. */
interface Fleet {
  readonly servers: readonly FleetServer[]
  readonly backups: readonly FleetBackup[]
}

/** Most jobs of each state that the view of a host names. */
const MOST_JOBS = 100

/** The live registry: heartbeats, fleet reads and operators' actions on hosts. */
export class Agents {
  readonly #parts: AgentsParts
  readonly #limit: HostLimit
  readonly #fleets: SharedReads<Fleet>

  constructor(parts: AgentsParts) {
    this.#parts = parts
    this.#limit = new HostLimit(parts)
    this.#fleets = new SharedReads((licenseId) => this.#fleetOf(licenseId))
  }

  /**
   * Takes a heartbeat: upserts the host, renews the listed leases, signs a refresh (spec, Heartbeat result).
   * @throws Problem `unauthorized` when the license is to be checked and is not usable, `too-many-hosts` for
   * a new host beyond the limit of the license
   */
  async heartbeat(beat: Heartbeat): Promise<HeartbeatAnswer> {
    const { storage, clock, jobs, metrics, hostUsage } = this.#parts
    const { licenseId, fingerprint } = beat
    // The statements that may refuse run first.
    const { seq, cancel, drained } = await storage.agents.heartbeat(beat, clock.statementTime())
    if (seq === 1) await this.#limit.admit(licenseId, fingerprint)
    if (beat.jobs.length > 0) {
      await jobs.renew(beat.jobs.map(({ id, attempt }) => ({ jobId: id, attempt, licenseId, fingerprint })))
    }
    metrics.heartbeat()
    hostUsage.note(beat, beat)
    const isSigned = this.#parts.signer.status === 'ready'
    const refresh = isSigned ? await this.#refresh(beat, seq, drained, cancel) : undefined
    return { nextInterval: HEARTBEAT_SECONDS, refresh, cancel }
  }

  /** The hosts of a license (spec, GET /v1/fleet/servers). */
  async servers(licenseId: string): Promise<readonly FleetServer[]> {
    return (await this.#fleets.of(licenseId)).servers
  }

  /** The hosts of a scope, for operators. */
  async overview(scope: Scope): Promise<readonly OperatorServer[]> {
    const [agents, orgOf] = await Promise.all([this.list(scope), this.#orgsOf(scope)])
    const now = this.#parts.clock.now()
    return agents.map((agent) => operatorServer(agent, orgOf(agent.licenseId), now))
  }

  /** The backups of a scope's hosts, optionally of one hostname (spec, GET /v1/fleet/backups). */
  async backups(scope: Scope, hostname?: string): Promise<readonly FleetBackup[]> {
    const backups = await this.#backupsOf(scope)
    return hostname === undefined ? backups : backups.filter((backup) => backup.hostname === hostname)
  }

  /** The hosts of a scope. */
  list(scope: Scope): Promise<readonly Agent[]> {
    return this.#parts.storage.agents.list(scope)
  }

  /**
   * The one host of a scope that `name` means: a display id, a hostname, a label, `fp:` and a fingerprint, or
   * a long fingerprint alone.
   * @throws Problem `not-found`, or `ambiguous` with the candidates
   */
  async resolve(scope: Scope, name: string): Promise<Agent> {
    return hostCalled(await this.list(scope), scope, name)
  }

  /**
   * Changes an operator's settings of a host; returns it as operators see it.
   * @throws Problem `not-found`
   */
  async change(
    agent: Pick<Agent, 'licenseId' | 'fingerprint'>,
    change: AgentChange,
  ): Promise<OperatorServer> {
    const { storage, clock } = this.#parts
    const changed = await storage.agents.change(
      agent.licenseId,
      agent.fingerprint,
      change,
      clock.statementTime(),
    )
    if (changed === undefined) throw noHost()
    return operatorServer(changed, await this.#orgOf(agent.licenseId), clock.now())
  }

  /** Everything that is known of a host, with the jobs that it holds. */
  async show(agent: Agent): Promise<HostView> {
    const { storage, clock } = this.#parts
    const { licenseId, fingerprint } = agent
    const held = (state: JobState) =>
      storage.jobs.list(ofLicense(licenseId), { state, host: fingerprint, limit: MOST_JOBS })
    const [{ org, label }, claimed, running] = await Promise.all([
      this.#ownerOf(licenseId),
      held('claimed'),
      held('running'),
    ])
    const jobs = [...claimed, ...running]
    return hostView({ agent, org, licenseLabel: label, jobs, now: clock.now() })
  }

  /**
   * Takes a host off the registry, with its label and its drain. Its jobs stay. One that still reports comes
   * back with its next heartbeat, as a new host, so it is taken off only with `isForced`.
   * @throws Problem `conflict` for a host that is online
   */
  async forget(agent: Agent, isForced = false): Promise<void> {
    const { storage, clock } = this.#parts
    const { licenseId, fingerprint, hostname } = agent
    const silent = isForced ? undefined : OFFLINE_SECONDS
    if (await storage.agents.forget(licenseId, fingerprint, silent, clock.statementTime())) return
    const isThere = (await this.list(ofLicense(licenseId))).some((each) => each.fingerprint === fingerprint)
    if (!isThere) return
    const id = agentId(fingerprint)
    const drain = agent.drainedAt === undefined ? `; svc fleet drain ${shellWord(id)} keeps work from it` : ''
    throw new Problem('conflict', {
      detail: `host ${hostname || id} is online: its next heartbeat would bring it back without its label and drain. Stop its agent first${drain}`,
    })
  }

  #refresh(beat: Heartbeat, seq: number, drained: boolean, cancel: readonly string[]): Promise<string> {
    const { signer, issuer, ids, clock } = this.#parts
    const { licenseId, fingerprint } = beat
    const facts = { issuer, licenseId, fingerprint, tokenId: ids.next('tok'), seq, drained, cancel }
    return signer.signAsync(REFRESH_TYP, refreshClaims({ ...facts, now: clock.now() }))
  }

  async #backupsOf(scope: Scope): Promise<readonly FleetBackup[]> {
    if (scope.of === 'license') return (await this.#fleets.of(scope.id)).backups
    const now = this.#parts.clock.now()
    return (await this.list(scope)).map((agent) => fleetBackup(agent, now))
  }

  async #fleetOf(licenseId: string): Promise<Fleet> {
    const [agents, org] = await Promise.all([this.list(ofLicense(licenseId)), this.#orgOf(licenseId)])
    const now = this.#parts.clock.now()
    return {
      servers: agents.map((agent) => fleetServer(agent, org, now)),
      backups: agents.map((agent) => fleetBackup(agent, now)),
    }
  }

  /** Returns the names of the tenants of a scope's licenses: two statements, whatever their number. */
  async #orgsOf(scope: Scope): Promise<(licenseId: string) => string> {
    if (scope.of === 'license') {
      const org = await this.#orgOf(scope.id)
      return () => org
    }
    const { storage } = this.#parts
    const [licenses, tenants] = await Promise.all([storage.licenses.list(scope), storage.tenants.list(scope)])
    const names = new Map(tenants.map(({ id, name }) => [id, name]))
    const orgs = new Map(licenses.map(({ id, tenantId = '' }) => [id, names.get(tenantId) ?? '']))
    return (licenseId) => orgs.get(licenseId) ?? ''
  }

  async #orgOf(licenseId: string): Promise<string> {
    return (await this.#ownerOf(licenseId)).org
  }

  /** Returns the name of the tenant of a license, and the license's own. */
  async #ownerOf(licenseId: string): Promise<{ readonly org: string; readonly label: string }> {
    const { licenses, tenants } = this.#parts.storage
    const { tenantId, label = '' } = (await licenses.get(licenseId)) ?? {}
    if (tenantId === undefined) return { org: '', label }
    return { org: (await tenants.find(PLATFORM, tenantId))?.name ?? '', label }
  }
}

const noHost = (): Problem => new Problem('not-found', { detail: 'the host was forgotten meanwhile' })
