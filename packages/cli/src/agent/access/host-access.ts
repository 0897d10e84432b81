import type { Log } from '@svc/core'
import type { Answer } from '../../connect/http-client.ts'
import { pause, spread } from '../pause.ts'
import type { AgentApi, HostKey } from '../wire/agent-api.ts'
import type { SessionNews } from '../wire/session-news.ts'
import { readPolicy } from './access-policy.ts'
import type { HostedApps } from './host-logs.ts'
import { type PendingSession, readPending } from './pending-session.ts'

/** Dependencies of `HostAccess`. */
export interface HostAccessParts {
  readonly api: AgentApi
  readonly stateDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly news: SessionNews
  readonly apps: HostedApps
  /** The key of this host. @throws Problem `conflict` while it cannot be read */
  readonly openKey: () => Promise<HostKey>
}

/** How long one request waits for a session, in seconds. */
const WAIT_SECONDS = 25
/** How often a host whose key cannot be read looks again. */
const KEY_MS = 30_000
/** The shortest pause of a host that takes no sessions of any kind, unless the plane lets it wait. */
const CALM_MS = 30_000
const NEXT_POLL_MS = 5000
const LONGEST_POLL_MS = 600_000
/** Sessions that a host carries at once, even if the plane allows more. */
const MAX_SESSIONS = 20

/** Asks for the sessions of this host, and carries them. */
export class HostAccess {
  readonly #parts: HostAccessParts
  readonly #running = new Map<string, Promise<void>>()
  #fault: string | undefined

  constructor(parts: HostAccessParts) {
    this.#parts = parts
  }

  /**
   * Asks until `draining`, and carries sessions until `life` is aborted. A host that takes none asks as well:
   * it alone can tell its operator so at once. Never throws.
   */
  async run(draining: AbortSignal, life: AbortSignal): Promise<void> {
    const { stateDir, log, api, news, openKey } = this.#parts
    let key: HostKey | undefined
    for (let failures = 0; !draining.aborted; ) {
      const { policy, fault, isAbsent } = await readPolicy(stateDir)
      this.#tell(fault)
      try {
        key ??= await openKey()
      } catch (error) {
        this.#tell((error as Error).message)
        await pause(KEY_MS, draining)
        continue
      }
      const startMs = performance.now()
      const waitSeconds = news.isTold ? 0 : WAIT_SECONDS
      const answer = await api.pending(waitSeconds, key, draining)
      if (draining.aborted) break
      failures = answer.status === 200 ? 0 : failures + 1
      if (failures > 0) log.warn({ status: answer.status, fault: answer.fault, failures }, ASKED_IN_VAIN)
      const sessions = answer.status === 200 ? readPending(answer.body) : []
      for (const session of sessions) this.#begin(session, life)
      const hasWaited = performance.now() - startMs >= 1000 * (WAIT_SECONDS - 1)
      if (failures > 0) await pause(api.retryMs(answer, failures), draining)
      else if (news.isTold) await news.next(draining)
      else if (sessions.length === 0 && !hasWaited)
        await pause(
          spread(Math.max(nextPollMs(answer), policy === undefined && !isAbsent ? CALM_MS : 0)),
          draining,
        )
    }
  }

  /** Resolves when no session is carried any more. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  #begin(session: PendingSession, life: AbortSignal): void {
    // An answer that came late is given again: the session runs already.
    if (this.#running.has(session.id)) return
    const { environment, log, stateDir, apps } = this.#parts
    // Not as it was when the host began to wait: it may have been taken away meanwhile.
    const policy = () => readPolicy(stateDir)
    const isBusy = this.#running.size >= MAX_SESSIONS
    // The client of the relay is loaded by the first session: most hosts have none.
    const run = import('./host-session.ts').then(({ runHostSession }) =>
      runHostSession({ session, policy, isBusy, environment, apps, log, life }),
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
