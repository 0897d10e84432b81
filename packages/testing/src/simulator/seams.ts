import type { Clock, ControlPlane, RateCounter, Storage, Stores } from '@svc/core'
import type { MemoryTables } from '../memory-tables.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Life } from './life.ts'
import type { Timeline } from './timeline.ts'
import type { Endpoint } from './wire.ts'

/** What a planted fault in the stores may use. */
export interface StoresSeam {
  readonly tables: MemoryTables
  readonly timeline: Timeline
  /** The database's clock. */
  readonly now: () => Date
}

/** What a planted fault in one replica's view of the storage may use. */
export interface StorageSeam {
  readonly database: SimulatedDatabase
  readonly timeline: Timeline
  /** Ends when the replica crashes. */
  readonly life: Life
}

/**
 * Places where a run takes a part of yours instead of its own: another way to reach the plane (`endpoint`),
 * or a part with a fault planted in it, to see that the checks find it.
 */
export interface SimulationSeams {
  /** The services of a replica as they are made, to put a method of yours on one of them. */
  readonly plane?: (plane: ControlPlane) => void
  /** The agent API of a replica; default: straight over its services. */
  readonly endpoint?: (plane: ControlPlane) => Endpoint
  /** The stores as the database runs them: a call is a statement at the instant of its effect. */
  readonly stores?: (stores: Stores, seam: StoresSeam) => Stores
  /** The storage as one replica sees it: what is kept here dies with the replica. */
  readonly storage?: (storage: Storage, seam: StorageSeam) => Storage
  readonly clock?: (clock: Clock) => Clock
  readonly rateCounter?: (counter: RateCounter) => RateCounter
}
