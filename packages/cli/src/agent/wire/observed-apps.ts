import type { ObservedEntry } from '@svc/core/adapters'
import type { AppStatus } from '../../host-apps/app-status.ts'

/** Bytes of entries in a heartbeat at most; the rest goes with the next ones. */
const MAX_BYTES = 24_576
const MAX_MISSING = 20
const WINDOW_MS = 600_000
/** Everything is told again so often, for a service that has forgotten it. */
const ANEW_MS = 3_600_000

/** The starts of an application's instances at a moment. */
interface Sample {
  readonly at: number
  readonly restarts: number
}

/** The applications of this host as heartbeats tell of them: those whose state has changed. */
export class ObservedApps {
  readonly #status: () => Promise<readonly AppStatus[] | undefined>
  readonly #now: () => number
  readonly #samples = new Map<string, Sample[]>()
  /** The entries that the service has, by application. */
  readonly #told = new Map<string, string>()
  #since: number

  /** `status` resolves to undefined while nothing keeps applications running. */
  constructor(status: () => Promise<readonly AppStatus[] | undefined>, now: () => number) {
    this.#status = status
    this.#now = now
    this.#since = now()
  }

  /** Entries that the service does not know yet, as many as go into a heartbeat. */
  async next(): Promise<readonly ObservedEntry[]> {
    const apps = await this.#status()
    if (apps === undefined) return []
    if (this.#now() - this.#since > ANEW_MS) {
      this.#told.clear()
      this.#since = this.#now()
    }
    const entries = apps.map((app) => this.#entryOf(app))
    const there = new Set(apps.map(({ app }) => app))
    for (const app of this.#samples.keys()) if (!there.has(app)) this.#samples.delete(app)
    const gone = [...this.#told.keys()].filter((app) => !there.has(app)).map(goneOf)
    const fresh = entries.filter((entry) => this.#told.get(entry.app) !== JSON.stringify(entry))
    return firstOf([...gone, ...fresh])
  }

  /** Notes that the service has taken entries. */
  taken(entries: readonly ObservedEntry[]): void {
    for (const entry of entries)
      if (entry.state === 'gone') this.#told.delete(entry.app)
      else this.#told.set(entry.app, JSON.stringify(entry))
  }

  #entryOf({
    app,
    state,
    sha,
    number: release,
    processes,
    crons,
    maintenance,
    certificates,
  }: AppStatus): ObservedEntry {
    const missing = processes.filter(({ up }) => !up).map((each) => `${each.process}.${each.number}`)
    const up = processes.length - missing.length
    const isStopped = state === 'stopped'
    const standing = missing.length === 0 ? 'up' : up === 0 ? 'down' : 'degraded'
    return {
      ...{ app, state: isStopped ? 'stopped' : standing, sha, release, up, of: processes.length },
      ...(missing.length === 0 ? {} : { missing: missing.slice(0, MAX_MISSING) }),
      restarts: this.#restarts(
        app,
        processes.reduce((sum, { restarts }) => sum + restarts, 0),
      ),
      ...(crons.length === 0 ? {} : { crons: crons.map(known) }),
      ...(maintenance ? { maintenance } : {}),
      ...(certificates.length === 0 ? {} : { certificates: [...certificates] }),
    }
  }

  /** How often instances were started again within the window. */
  #restarts(app: string, restarts: number): number {
    const at = this.#now()
    const before = this.#samples.get(app) ?? []
    // A new release counts from zero.
    const own = restarts < (before.at(-1)?.restarts ?? 0) ? [{ at, restarts: 0 }] : before
    const kept = own.filter((sample, index) => at - sample.at <= WINDOW_MS || index === own.length - 1)
    this.#samples.set(app, [...kept, { at, restarts }])
    return restarts - (kept[0]?.restarts ?? restarts)
  }
}

const known = (cron: AppStatus['crons'][number]) =>
  JSON.parse(JSON.stringify(cron)) as AppStatus['crons'][number]

const goneOf = (app: string): ObservedEntry => ({ app, state: 'gone', release: 0, up: 0, of: 0, restarts: 0 })

function firstOf(entries: readonly ObservedEntry[]): readonly ObservedEntry[] {
  let bytes = 0
  return entries.filter((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1
    return bytes <= MAX_BYTES
  })
}
