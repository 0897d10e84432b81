import { alertFactBugs } from './alert-facts.ts'
import { alertBugs } from './alerts.ts'
import { claimBugs } from './claims.ts'
import { fleetBugs } from './fleet.ts'
import { logBugs } from './logs.ts'
import type { PlantedBug } from './planted-bug.ts'
import { queueBugs } from './queue.ts'
import { reportBugs } from './reports.ts'
import { serviceBugs } from './services.ts'
import { webhookBugs } from './webhooks.ts'

/** Every planted fault. */
export const PLANTED: readonly PlantedBug[] = [
  ...claimBugs,
  ...reportBugs,
  ...logBugs,
  ...queueBugs,
  ...fleetBugs,
  ...serviceBugs,
  ...alertBugs,
  ...alertFactBugs,
  ...webhookBugs,
]

/** Returns the planted fault of that name. @throws Error when there is none */
export function planted(name: string): PlantedBug {
  const found = PLANTED.find((bug) => bug.name === name)
  if (found === undefined) throw new Error(`no planted fault is called ${name}`)
  return found
}
