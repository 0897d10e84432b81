import { alertBugs } from './alerts.ts'
import { claimBugs } from './claims.ts'
import { fleetBugs } from './fleet.ts'
import { logBugs } from './logs.ts'
import type { PlantedBug } from './planted-bug.ts'
import { queueBugs } from './queue.ts'
import { reportBugs } from './reports.ts'

/** Every planted fault. */
export const PLANTED: readonly PlantedBug[] = [
  ...claimBugs,
  ...reportBugs,
  ...logBugs,
  ...queueBugs,
  ...fleetBugs,
  ...alertBugs,
]
