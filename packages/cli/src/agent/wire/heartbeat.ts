import type { Log } from '@svc/core'
import type { Answer } from '../../connect/http-client.ts'
import type { AgentTiming } from '../agent-options.ts'
import { pause } from '../pause.ts'
import type { RunningJobs } from '../run/running-jobs.ts'
import type { AgentState } from '../state/agent-state.ts'
import type { AgentApi } from './agent-api.ts'
import { bootId, type HostMeter } from './host-facts.ts'
import type { ObservedApps } from './observed-apps.ts'
import type { PlaneKeys } from './plane-keys.ts'

/** The state of this host that the fleet list shows. */
export type HostState = 'online' | 'busy' | 'draining' | 'stopped'

/** Parts that heartbeats work with. */
export interface HeartbeatParts {
  readonly api: AgentApi
  readonly keys: PlaneKeys
  readonly state: AgentState
  readonly meter: HostMeter
  readonly jobs: RunningJobs
  readonly hostname: string
  readonly version: string
  readonly log: Log
  readonly timing: AgentTiming
  readonly hostState: () => HostState
  readonly apps: ObservedApps
}

/** Longest wait between heartbeats that the plane may set. */
const CEILING_MS = 3_600_000

/**
 * Sends heartbeats: they renew the leases of running jobs, and their answers bring cancels and the signed
 * refresh.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts
  readonly #first = Promise.withResolvers<void>()
  #intervalMs: number
  /** Whether the service has said that it takes the states of applications. */
  #takesApps = false

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
    this.#intervalMs = parts.timing.heartbeatMs
  }

  /** Resolves after the first heartbeat, accepted or not. */
  get first(): Promise<void> {
    return this.#first.promise
  }

  /**
   * Sends a heartbeat at once and then at the interval that the plane sets, until `signal` aborts. Never
   * throws.
   */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      const answer = await this.beat(signal)
      this.#first.resolve()
      failures = answer.status === 200 ? 0 : failures + 1
      if (failures > 0 && !signal.aborted) {
        const { status, fault } = answer
        this.#parts.log.warn({ status, fault, failures }, 'a heartbeat was not accepted')
      }
      // The spread only shortens the interval: the plane calls a host offline after two intervals and 20 s.
      const restMs =
        failures > 0 ? this.#parts.api.retryMs(answer, failures) : this.#intervalMs * (1 - Math.random() / 10)
      await pause(restMs, signal)
    }
  }

  /** Sends one heartbeat and returns its answer. */
  async beat(signal: AbortSignal): Promise<Answer> {
    const apps = this.#takesApps ? await this.#parts.apps.next().catch(() => []) : []
    const facts = { ...(await this.#facts()), ...(apps.length > 0 ? { apps } : {}) }
    const answer = await this.#parts.api.heartbeat(facts, signal)
    if (answer.status !== 200) return answer
    this.#parts.apps.taken(apps)
    this.#takesApps = answer.header('svc-apps') === '1'
    this.#parts.jobs.hearCancels(answer.header('svc-cancel'))
    const { next_interval: next, refresh } = (answer.body ?? {}) as {
      next_interval?: unknown
      refresh?: unknown
    }
    if (typeof next === 'number' && next > 0) {
      this.#intervalMs = Math.min(Math.max(next * 1000, this.#parts.timing.heartbeatFloorMs), CEILING_MS)
    }
    if (typeof refresh === 'string') await this.#take(refresh, signal)
    return answer
  }

  async #facts(): Promise<Record<string, unknown>> {
    const { meter, jobs, hostname, version, hostState, state } = this.#parts
    const boot = bootId()
    const running = jobs.list()
    return {
      hostname,
      version,
      state: hostState(),
      ...(await meter.sample()),
      ...(boot ? { boot_id: boot } : {}),
      ...(running.length > 0 ? { jobs: running } : {}),
      ...(state.backupHealth ? { backup_health: state.backupHealth } : {}),
      ...(state.restoreDrill ? { restore_drill: state.restoreDrill } : {}),
    }
  }

  /**
   * Accepts a refresh only when its signature is valid, it names this host, and it is newer than the last
   * one.
   */
  async #take(refresh: string, signal: AbortSignal): Promise<void> {
    const { keys, state, log, jobs } = this.#parts
    const verdict = await keys.verify(refresh, 'svc-rfr+jwt', { signal, isFinal: () => true })
    if (!verdict.ok) return log.warn({ reason: verdict.reason }, 'a refresh was not accepted')
    const { fp, iat, seq, cancel } = verdict.claims
    if (fp !== state.fingerprint)
      return log.warn({ reason: 'wrong-fingerprint' }, 'a refresh was not accepted')
    if (typeof iat !== 'number' || iat <= (state.refresh?.iat ?? 0)) return
    await state.keepRefresh({ iat, seq: typeof seq === 'number' ? seq : 0 })
    if (Array.isArray(cancel)) jobs.cancel(cancel.filter((id) => typeof id === 'string'))
  }
}
