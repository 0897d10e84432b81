import type { Scope } from '../../kernel/scope.ts'
import type { LicenseClaim } from '../../people/licenses/license.ts'
import type { JobKind } from '../jobs/job.ts'
import type { Agent } from './agent.ts'

/** A heartbeat as the host sent it; an absent field keeps its last value. */
export interface HeartbeatWrite extends LicenseClaim {
  readonly fingerprint: string
  readonly hostname: string | undefined
  readonly version: string | undefined
  readonly state: string | undefined
  readonly bootId: string | undefined
  readonly cpuPct: number | undefined
  readonly memPct: number | undefined
  readonly diskPct: number | undefined
  readonly diskTotalGb: number | undefined
  readonly lastCaptureAt: number | undefined
  readonly captureSuccess: boolean | undefined
  readonly lastDrillAt: number | undefined
  readonly drillPass: boolean | undefined
}

/** Facts that answer a heartbeat. */
export interface HeartbeatOutcome {
  /** Rises by one with each heartbeat of the host. */
  readonly seq: number
  /** Jobs this host holds that it should stop. */
  readonly cancel: readonly string[]
  readonly drained: boolean
}

/** An operator's changes of a host; an absent field keeps its value. */
export interface AgentChange {
  readonly label?: string
  readonly drained?: boolean
}

/** The work that a host says it does, when it asks for some. */
export interface HostWork {
  /** Kinds of jobs that it runs; undefined if it does not say. */
  readonly kinds: readonly JobKind[] | undefined
  /** How many jobs it runs at a time; undefined if it does not say. */
  readonly concurrency: number | undefined
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly agents: AgentsStore
  }
}

/** The live registry of hosts. A host is (license, fingerprint). */
export interface AgentsStore {
  /**
   * Upserts the host. The only write of `lastHeartbeat`, which never goes back.
   * @throws Problem `unauthorized` when the license is to be checked and is not usable
   */
  heartbeat(write: HeartbeatWrite, now?: Date): Promise<HeartbeatOutcome>
  /** The hosts of a scope, by hostname then fingerprint. */
  list(scope: Scope): Promise<readonly Agent[]>
  change(licenseId: string, fingerprint: string, change: AgentChange, now?: Date): Promise<Agent | undefined>
  /** Keeps the work that a host says it does; false when the host has not reported yet. */
  noteWork(licenseId: string, fingerprint: string, work: HostWork): Promise<boolean>
  /** The key that is kept for the host, raw, in base64url; undefined when there is none. */
  accessKey(licenseId: string, fingerprint: string): Promise<string | undefined>
  /** Whether the host has reported. */
  isKnown(licenseId: string, fingerprint: string): Promise<boolean>
  /**
   * Removes the host if its license has more than `most` hosts, this one included; returns whether it did.
   */
  turnAway(licenseId: string, fingerprint: string, most: number): Promise<boolean>
  /**
   * Removes the host from the registry; false when there is none. Its jobs stay. With `silentSeconds`, only a
   * host whose last heartbeat is longer ago.
   */
  forget(licenseId: string, fingerprint: string, silentSeconds?: number, now?: Date): Promise<boolean>
}
