import type { Clock } from '../../kernel/clock.ts'
import type { DiskRoom, Pooling, Storage, StorageHealth } from '../../platform/storage/storage.ts'
import type { Finding, NamedCheck } from './system-check.ts'

/** Dependencies of the storage checks. */
export interface StorageCheckParts {
  readonly storage: Pick<
    Storage,
    'kind' | 'health' | 'disk' | 'oldestTransactionSeconds' | 'mayChangeAudit' | 'pooling'
  >
  readonly clock: Clock
}

/** A transaction open for longer was probably forgotten: dumps of this database take minutes. */
const OLD_TRANSACTION_SECONDS = 3600
const CLOCK_WARN_MS = 2000
const CLOCK_FAIL_MS = 60_000
/** The check warns when the free room is at most this many times the reserve. */
const ROOM_AHEAD = 4

interface DatabaseReading {
  readonly found: StorageHealth | undefined
  readonly oldestTransactionSeconds: number
  readonly mayChangeAudit: boolean
  readonly pooling: Pooling
  /** Times of our own clock before and after the query. */
  readonly from: number
  readonly until: number
}

const UNREACHABLE: Finding = { status: 'fail', detail: 'unreachable' }

/**
 * Returns checks of the database: whether it answers, whether its schema and clock match ours, and whether it
 * has room.
 */
export function storageChecks({ storage, clock }: StorageCheckParts): readonly NamedCheck[] {
  const look = shared(() => lookAt({ storage, clock }))
  return [
    { name: 'database', asks: true, run: async () => databaseFinding(storage.kind, await look()) },
    { name: 'migrations', run: async () => migrationsFinding(await look()) },
    { name: 'clock', run: async () => clockFinding(storage.kind, await look()) },
    { name: 'disk', run: async () => diskFinding(await storage.disk?.()) },
  ]
}

// Checks that begin together share one query.
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}

async function lookAt({ storage, clock }: StorageCheckParts): Promise<DatabaseReading> {
  const from = clock.now().getTime()
  const trying = storage.pooling?.().catch(() => undefined)
  const found = await storage.health().catch(() => undefined)
  const until = clock.now().getTime()
  const pooling = (await trying) ?? { isKept: true, lacking: [] }
  const bare = { found, from, until, pooling, oldestTransactionSeconds: 0, mayChangeAudit: false }
  if (found === undefined || !pooling.isKept) return bare
  const [oldest, mayChangeAudit] = await Promise.all([
    storage.oldestTransactionSeconds?.().catch(() => undefined),
    storage.mayChangeAudit?.().catch(() => undefined),
  ])
  return {
    ...bare,
    oldestTransactionSeconds: oldest ?? 0,
    mayChangeAudit: mayChangeAudit ?? false,
  }
}

function databaseFinding(
  kind: Storage['kind'],
  { found, pooling, oldestTransactionSeconds, mayChangeAudit }: DatabaseReading,
): Finding {
  if (!pooling.isKept) return { status: 'fail', detail: 'sessions-not-kept' }
  if (found === undefined) return UNREACHABLE
  if (oldestTransactionSeconds > OLD_TRANSACTION_SECONDS) return { status: 'warn', detail: 'old-transaction' }
  if (pooling.lacking.length > 0) return { status: 'warn', detail: 'limits-missing' }
  if (mayChangeAudit) return { status: 'warn', detail: 'audit-can-change' }
  return kind === 'postgresql' || kind === 'pglite-folder'
    ? { status: 'ok' }
    : { status: 'warn', detail: 'in-memory' }
}

function migrationsFinding({ found }: DatabaseReading): Finding {
  if (found === undefined) return UNREACHABLE
  const { drifted, pending, ahead } = found.migrations
  if (drifted.length > 0) return { status: 'fail', detail: 'drifted' }
  if (pending.length > 0) return { status: 'fail', detail: 'pending' }
  if (found.missingTables.length > 0) return { status: 'fail', detail: 'tables-missing' }
  return ahead === undefined ? { status: 'ok' } : { status: 'warn', detail: 'ahead' }
}

function clockFinding(kind: Storage['kind'], { found, from, until }: DatabaseReading): Finding {
  // An embedded database uses the clock of this process.
  if (kind.startsWith('pglite')) return { status: 'skipped', detail: 'embedded' }
  if (found === undefined) return UNREACHABLE
  const theirs = found.now.getTime()
  const apartMs = Math.max(from - theirs, theirs - until)
  if (apartMs > CLOCK_FAIL_MS) return { status: 'fail', detail: 'clock-differs' }
  return apartMs > CLOCK_WARN_MS ? { status: 'warn', detail: 'clock-differs' } : { status: 'ok' }
}

/**
 * Returns the finding for the room left on a disk; `room` is undefined if the service keeps no files of its
 * own.
 */
export function diskFinding(room: DiskRoom | undefined): Finding {
  if (room === undefined) return { status: 'skipped', detail: 'not-configured' }
  const { freeBytes, reservedBytes } = room
  if (freeBytes <= reservedBytes) return { status: 'fail', detail: 'disk-full' }
  return freeBytes <= reservedBytes * ROOM_AHEAD
    ? { status: 'warn', detail: 'disk-nearly-full' }
    : { status: 'ok' }
}
