import type { Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import { OFFLINE_SECONDS } from '../../work/agents/agent.ts'
import type { Overview } from './overview-store.ts'

/** The figures that a person reads first. */
export class OverviewReads {
  readonly #parts: Pick<Base, 'storage' | 'clock'>

  constructor(parts: Pick<Base, 'storage' | 'clock'>) {
    this.#parts = parts
  }

  /** Counts the hosts, jobs, alerts, apps and backups of a scope. */
  read(scope: Scope): Promise<Overview> {
    const { storage, clock } = this.#parts
    return storage.overview.read(scope, OFFLINE_SECONDS, clock.statementTime())
  }
}
