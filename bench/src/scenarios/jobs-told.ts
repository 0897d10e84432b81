import type { Fleet } from '../fleet.ts'
import type { Scenario } from '../scenario.ts'
import { svcQueue, toldQueue } from './queue-parts.ts'

const SILENT = 'svc: claim, running, succeeded'
const TOLD = 'the same, told to an endpoint of each license'
const FLEET: Fleet = { hosts: 64, licenses: 16 }

/** The cost of the trigger that tells of jobs, on claims and reports. */
export const jobsTold: Scenario = {
  name: 'jobs-told',
  question: 'A job from claim to succeeded, with and without an endpoint that is told of it',
  variants: [svcQueue(SILENT, FLEET, true), toldQueue(TOLD, FLEET)],
  baseline: SILENT,
  gates: [],
}
