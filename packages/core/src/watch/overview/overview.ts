import type { Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import { OFFLINE_SECONDS } from '../../work/agents/agent.ts'
import type { Overview } from './overview-store.ts'

type Parts = Pick<Base, 'config' | 'storage' | 'clock'>

/** The figures that a person reads first. */
export class OverviewReads {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Counts the hosts, jobs, alerts, apps and backups of a scope. Late is the same as for alerts. */
  read(scope: Scope): Promise<Overview> {
    const { config, storage, clock } = this.#parts
    const { backupHours, drillDays } = config.alerts
    const lateAfter = { silentSeconds: OFFLINE_SECONDS, backupHours, drillDays }
    return storage.overview.read(scope, lateAfter, clock.statementTime())
  }
}
