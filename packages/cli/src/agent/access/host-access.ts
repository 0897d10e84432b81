import type { Clock, Log } from '@svc/core'
import type { Answer } from '../../http-client.ts'
import { pause, spread } from '../pause.ts'
import type { AgentApi } from '../wire/agent-api.ts'
import { type AccessPolicy, readPolicy } from './access-policy.ts'
import { AgentKey } from './agent-key.ts'
import { type PendingSession, readPending } from './pending-session.ts'

/** Dependencies of `HostAccess`. */
export interface HostAccessParts {
  readonly api: AgentApi
  readonly stateDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log: Log
}

/** How long one request waits for a session, in seconds. */
const WAIT_SECONDS = 25
/** How often a host without a policy looks for one. */
const POLICY_MS = 30_000
const NEXT_POLL_MS = 5000
const LONGEST_POLL_MS = 600_000
/** Sessions that a host carries at once, whatever the plane allows. */
const MAX_SESSIONS = 20

/** Asks for the sessions of this host, and carries them. */
export class HostAccess {
  readonly #parts: HostAccessParts
  readonly #running = new Map<string, Promise<void>>()
  #fault: string | undefined

  constructor(parts: HostAccessParts) {
    this.#parts = parts
  }

  /** Asks until `draining`, and carries sessions until `life` is aborted. Never throws. */
  async run(draining: AbortSignal, life: AbortSignal): Promise<void> {
    const { stateDir, clock, log } = this.#parts
    let key: AgentKey | undefined
    for (let failures = 0; !draining.aborted; ) {
      const { policy, fault } = await readPolicy(stateDir)
      this.#tell(fault)
      if (policy === undefined) {
        await pause(POLICY_MS, draining)
        continue
      }
      try {
        key ??= await AgentKey.open(stateDir, clock)
      } catch (error) {
        this.#tell((error as Error).message)
        await pause(POLICY_MS, draining)
        continue
      }
      const startMs = performance.now()
      const answer = await this.#parts.api.pending(WAIT_SECONDS, key, draining)
      if (draining.aborted) break
      failures = answer.status === 200 ? 0 : failures + 1
      if (failures > 0) log.warn({ status: answer.status, fault: answer.fault, failures }, ASKED_IN_VAIN)
      const sessions = answer.status === 200 ? readPending(answer.body) : []
      for (const session of sessions) this.#begin(session, policy, life)
      const hasWaited = performance.now() - startMs >= 1000 * (WAIT_SECONDS - 1)
      if (failures > 0) await pause(this.#parts.api.retryMs(answer, failures), draining)
      else if (sessions.length === 0 && !hasWaited) await pause(spread(nextPollMs(answer)), draining)
    }
  }

  /** Resolves when no session is carried any more. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  #begin(session: PendingSession, policy: AccessPolicy, life: AbortSignal): void {
    // An answer that came late is given again: the session runs already.
    if (this.#running.has(session.id)) return
    const { environment, log } = this.#parts
    const isBusy = this.#running.size >= MAX_SESSIONS
    // The client of the relay is loaded by the first session: most hosts have none.
    const run = import('./host-session.ts').then(({ runHostSession }) =>
      runHostSession({ session, policy, isBusy, environment, log, life }),
    )
    this.#running.set(
      session.id,
      run.finally(() => this.#running.delete(session.id)),
    )
  }

  #tell(fault: string | undefined): void {
    if (fault !== undefined && fault !== this.#fault)
      this.#parts.log.error({ fault }, 'this host takes no sessions')
    this.#fault = fault
  }
}

const ASKED_IN_VAIN = 'the plane did not say whether there are sessions'

function nextPollMs({ body }: Answer): number {
  const { next_poll: seconds } = (body ?? {}) as { next_poll?: unknown }
  return typeof seconds === 'number' && seconds > 0 ? Math.min(1000 * seconds, LONGEST_POLL_MS) : NEXT_POLL_MS
}
