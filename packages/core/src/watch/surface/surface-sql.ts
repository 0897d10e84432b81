import type { Session } from '../../platform/database/session.ts'
import type { SurfaceScansStore } from './surface-scans-store.ts'
import * as scans from './surface-scans-store-sql.ts'
import type { SurfaceTargetsStore } from './surface-targets-store.ts'
import * as targets from './surface-targets-store-sql.ts'

export { entities } from './surface-tables-sql.ts'

/** The stores of scans. */
export interface SurfaceStores {
  readonly surfaceScans: SurfaceScansStore
  readonly surfaceTargets: SurfaceTargetsStore
}

/** Returns the stores of scans. */
export const stores = (session: Session): SurfaceStores => ({
  ...scans.stores(session),
  ...targets.stores(session),
})
