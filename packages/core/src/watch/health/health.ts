import { present } from '../../kernel/present.ts'
import { inTime } from '../../kernel/race.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Base } from '../../platform/base.ts'
import { isRefusedPooling, type MigrationStatus } from '../../platform/storage/storage.ts'
import type { Readiness, ReadinessChecks } from './readiness.ts'

/** Dependencies of `Health`. */
export interface HealthParts extends Pick<Base, 'storage' | 'signer' | 'timers'> {
  readonly licenses: Licenses
  /** Groups of settings that are disabled because of a bad value. */
  readonly faults: Readonly<Record<string, readonly string[] | undefined>>
}

/** Timeout of a check, after which the database counts as unreachable. */
const CHECK_MS = 2000
/** How long an answer is cached after it was found. */
const CACHE_MS = 1000

type Phase = 'starting' | 'serving' | 'draining'

interface CachedReadiness {
  readonly answer: Promise<Readiness>
  /** When the answer was found; undefined until then. */
  foundMs?: number
}

/**
 * The readiness probe. It runs one check at a time and caches the result for a second, so that probes never
 * add up to load.
 */
export class Health {
  readonly #parts: HealthParts
  readonly #draining = new AbortController()
  #phase: Phase = 'serving'
  #latest: CachedReadiness | undefined

  constructor(parts: HealthParts) {
    this.#parts = parts
  }

  /**
   * Makes the service unready until `started`, even if all checks pass: only probes are answered meanwhile.
   */
  starting(): void {
    this.#enter('starting')
  }

  /** From now on the checks alone decide the readiness. */
  started(): void {
    this.#enter('serving')
  }

  /** Makes the service unready, so that a load balancer removes it while it finishes its requests. */
  drain(): void {
    this.#enter('draining')
    this.#draining.abort()
  }

  /** Aborted when the service begins to drain, so that long waits end. */
  get draining(): AbortSignal {
    return this.#draining.signal
  }

  /** Whether the service has not started to serve. */
  get isStarting(): boolean {
    return this.#phase === 'starting'
  }

  /** Whether the service is about to stop, so that long waits should end. */
  get isDraining(): boolean {
    return this.#phase === 'draining'
  }

  /** Returns the current readiness; never throws. */
  ready(): Promise<Readiness> {
    const now = this.#parts.timers.elapsedMs()
    const isStale = now - (this.#latest?.foundMs ?? now) > CACHE_MS
    if (this.#latest === undefined || isStale) this.#latest = this.#begin()
    return this.#latest.answer
  }

  #enter(phase: Phase): void {
    this.#phase = phase
    this.#latest = undefined
  }

  #begin(): CachedReadiness {
    const look: CachedReadiness = { answer: this.#look() }
    look.answer.then(() => {
      look.foundMs = this.#parts.timers.elapsedMs()
    })
    return look
  }

  async #look(): Promise<Readiness> {
    const [storage, licensing] = await Promise.all([this.#storage(), this.#licensing()])
    const closed = Object.keys(this.#parts.faults)
    const checks: ReadinessChecks = {
      ...storage,
      signing: this.#signing(),
      licensing,
      ...present('settings', closed.length > 0 ? { status: 'warn', closed } : undefined),
      ...present('starting', this.isStarting ? { status: 'fail' } : undefined),
      ...present('draining', this.isDraining ? { status: 'fail' } : undefined),
    }
    return { ok: Object.values(checks).every((check) => check?.status !== 'fail'), checks }
  }

  async #storage(): Promise<Pick<ReadinessChecks, 'disk' | 'database' | 'tables' | 'migrations'>> {
    const { storage, timers } = this.#parts
    let reason = 'unreachable'
    const found = await inTime(timers, CHECK_MS, () => storage.health(), undefined).catch((error) => {
      if (isRefusedPooling(error)) reason = 'sessions-not-kept'
    })
    const embedded = EMBEDDED[storage.kind]
    if (found === undefined) return { database: { status: 'fail', reason } }
    const { latencyMs: latency_ms, missingTables: missing, migrations } = found
    const database: ReadinessChecks['database'] =
      embedded === undefined
        ? { status: 'pass', latency_ms }
        : { status: 'not-configured', embedded, latency_ms }
    return {
      ...(await this.#disk()),
      database,
      tables: { status: missing.length > 0 ? 'fail' : 'pass', missing },
      migrations: migrationsCheck(migrations, this.isStarting),
    }
  }

  /** Returns a failed check when the free room is down to the reserve, below which every write is refused. */
  async #disk(): Promise<Pick<ReadinessChecks, 'disk'>> {
    const room = await this.#parts.storage.disk?.().catch(() => undefined)
    if (room === undefined || room.freeBytes > room.reservedBytes) return {}
    return { disk: { status: 'fail', reason: 'disk-full' } }
  }

  #signing(): ReadinessChecks['signing'] {
    const { signer } = this.#parts
    if (signer.status === 'ready') return { status: 'pass' }
    return { status: 'warn', reason: signer.status }
  }

  async #licensing(): Promise<ReadinessChecks['licensing']> {
    const { licenses, timers } = this.#parts
    const { mode } = licenses
    if (mode === 'development') return { status: 'warn', mode }
    if (this.isStarting) return { status: 'pass', mode }
    // An unreachable database is reported by the other checks.
    const areThereKeys = await inTime(timers, CHECK_MS, () => licenses.areThereKeys(), true).catch(() => true)
    return areThereKeys ? { status: 'pass', mode } : { status: 'warn', mode, reason: 'no-license' }
  }
}

// A database that is ahead is not a failure: during a rolling upgrade, older replicas serve on a schema that
// the first new replica has migrated, and a failure would stop all of them at once. A release does not start
// on such a database.
function migrationsCheck(
  { pending, drifted, ahead }: MigrationStatus,
  isStarting: boolean,
): ReadinessChecks['migrations'] {
  const isWrong = pending.length + drifted.length > 0 || (isStarting && ahead !== undefined)
  if (ahead === undefined) return { status: isWrong ? 'fail' : 'pass', pending, drifted }
  return { status: isWrong ? 'fail' : 'warn', pending, drifted, ahead }
}

const EMBEDDED = {
  'pglite-folder': 'folder',
  'pglite-memory': 'memory',
  fake: 'memory',
  postgresql: undefined,
} as const
