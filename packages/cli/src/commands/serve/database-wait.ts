import type { ControlPlane } from '@svc/core'
import { Problem } from '@svc/core/client'
import { type DatabaseServer, migrateUnlessUnderWay, refuseForeign } from '@svc/core/sql'
import { failureOf } from '../../terminal/failure.ts'

/** The parts of a wait for a database. */
export interface DatabaseWaitParts {
  readonly plane: ControlPlane
  readonly server: DatabaseServer
  /** Whether a schema that is behind this release may be migrated. */
  readonly mayMigrate: boolean
  /** Called once, when the database is one that this release can serve from. */
  readonly onGood: () => void
  /** Called when `onGood` has thrown. */
  readonly onFault: (fault: unknown) => void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4000
/** Interval between log lines about an obstacle that stays, for people who read only the end of a log. */
const REMINDER_MS = 60_000

/** An obstacle to serving, in words for an operator. */
interface Obstacle {
  readonly sentence: string
  readonly details?: readonly string[]
}

/** Checks the database again and again until it is good, or the wait is disposed. */
export function databaseWait(parts: DatabaseWaitParts): AsyncDisposable {
  const over = new AbortController()
  const running = untilGood(parts, over.signal).then((isGood) => {
    if (isGood) parts.onGood()
  })
  running.catch(parts.onFault)
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await running.catch(() => {})
    },
  }
}

async function untilGood(parts: DatabaseWaitParts, over: AbortSignal): Promise<boolean> {
  const { timers } = parts.plane
  const tell = notices(parts.plane)
  for (let pauseMs = FIRST_PAUSE_MS; !over.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const obstacle = await obstacleNow(parts)
    if (over.aborted) break
    if (obstacle === undefined) return true
    tell(obstacle)
    await timers.pause(pauseMs, over)
  }
  return false
}

/** Tells each obstacle when it is first met, and from time to time while it stays. */
function notices({ log, timers }: ControlPlane): (obstacle: Obstacle) => void {
  let said = { sentence: '', atMs: 0 }
  return ({ sentence, details = [] }) => {
    const nowMs = timers.elapsedMs()
    if (sentence === said.sentence && nowMs - said.atMs < REMINDER_MS) return
    said = { sentence, atMs: nowMs }
    log.warn({ waits_for: sentence, ...(details.length > 0 && { details }) }, 'not ready: looking again')
  }
}

/** The obstacle to serving now; undefined: there is none. */
async function obstacleNow({ plane, server, mayMigrate }: DatabaseWaitParts): Promise<Obstacle | undefined> {
  try {
    const { missingTables, migrations } = await plane.storage.health()
    refuseForeign(migrations)
    if (migrations.pending.length > 0) {
      if (!mayMigrate) return NOT_MIGRATED
      if ((await migrateUnlessUnderWay(server)) === undefined) return UNDER_WAY
      plane.log.info({}, 'the database is migrated')
      return undefined
    }
    if (missingTables.length === 0) return undefined
    return { sentence: `tables are missing: restore the database from a backup`, details: missingTables }
  } catch (error) {
    // The trace of a fault helps nobody here.
    const { sentence, details } = failureOf(error)
    return { sentence, ...(error instanceof Problem && { details }) }
  }
}

const NOT_MIGRATED: Obstacle = {
  sentence: 'the database is not migrated: run svc migrate, or start with --migrate',
}
const UNDER_WAY: Obstacle = { sentence: 'another process is migrating the database' }
