import { Problem } from '../../kernel/problem.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Base } from '../../platform/base.ts'
import type { AgentMetrics } from './agent-metrics.ts'

/** How often the log names one license whose new hosts are refused, in milliseconds. */
const TELL_EVERY_MS = 600_000
/** When a refused host asks again, in seconds: somebody has to make room first. */
const RETRY_SECONDS = 300

/** The parts that `HostLimit` is built from. */
export interface HostLimitParts extends Pick<Base, 'storage' | 'clock' | 'log'> {
  readonly metrics: AgentMetrics
  readonly hostsPerLicense: number
}

/** Keeps a license from filling the registry: each host is a row, later an alert, and read at every tick. */
export class HostLimit {
  readonly #parts: HostLimitParts
  readonly #told = new RecentMap<number>()

  constructor(parts: HostLimitParts) {
    this.#parts = parts
  }

  /**
   * Checks a host at its first heartbeat, so that known hosts cost nothing.
   * @throws Problem `too-many-hosts` when the license has as many hosts as it may; the host is removed again
   */
  async admit(licenseId: string, fingerprint: string): Promise<void> {
    const { storage, metrics, hostsPerLicense } = this.#parts
    if (!(await storage.agents.turnAway(licenseId, fingerprint, hostsPerLicense))) return
    metrics.hostRefused()
    this.#tell(licenseId)
    throw new Problem('too-many-hosts', {
      detail: `${licenseId} has ${hostsPerLicense} hosts, as many as it may: svc fleet forget makes room, SERVICE_HOSTS_PER_LICENSE allows more`,
      retryAfterSeconds: RETRY_SECONDS,
    })
  }

  #tell(license: string): void {
    const { clock, log, hostsPerLicense: hosts } = this.#parts
    const now = clock.now().getTime()
    if (now - (this.#told.get(license) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return
    this.#told.set(license, now)
    log.warn({ license, hosts }, 'a license has as many hosts as it may: new ones are refused')
  }
}
