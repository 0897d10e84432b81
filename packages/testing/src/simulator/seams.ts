import type { Clock, ControlPlane, RateCounter, Storage } from '@svc/core'
import type { Stores } from '@svc/core/ports'
import type { MemoryTables } from '../memory-tables.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Life } from './life.ts'
import type { Timeline } from './timeline.ts'
import type { Endpoint } from './wire.ts'

/** Parts that a planted fault in the stores may use. */
export interface StoresSeam {
  readonly tables: MemoryTables
  readonly timeline: Timeline
  /** The database's clock. */
  readonly now: () => Date
}

/** Parts that a planted fault in one replica's view of the storage may use. */
export interface StorageSeam {
  readonly database: SimulatedDatabase
  readonly timeline: Timeline
  /** Ends when the replica crashes. */
  readonly life: Life
}

/**
 * Parts of a run that a caller may replace: with another way to reach the plane (`endpoint`), or with a
 * planted fault that the checks must find.
 */
export interface SimulationSeams {
  /** Called with the new services of a replica, to replace a method of one of them. */
  readonly plane?: (plane: ControlPlane) => void
  /** Returns the agent API of a replica; by default the API calls the services directly. */
  readonly endpoint?: (plane: ControlPlane) => Endpoint
  /** Returns the stores as the database runs them: each call is a statement at the instant of its effect. */
  readonly stores?: (stores: Stores, seam: StoresSeam) => Stores
  /** Returns the storage as one replica sees it; its state is lost when the replica crashes. */
  readonly storage?: (storage: Storage, seam: StorageSeam) => Storage
  readonly clock?: (clock: Clock) => Clock
  readonly rateCounter?: (counter: RateCounter) => RateCounter
}
